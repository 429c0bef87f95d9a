package html

import (
	"embed"
	"html/template"
	"sync"

	"almanac/httpmirror/phrase"
)

//go:embed templates/*.html
var templateFiles embed.FS

// templates parses the templates of the pages that exist once. html/template escapes by context, so a record's text
// stays text wherever a page shows it.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("pages").Funcs(template.FuncMap{
		"place": phrase.Place,
		"leaf":  phrase.Leaf,
		"count": phrase.Count,
		"size":  phrase.Size,
	}).ParseFS(templateFiles, "templates/*.html"))
})

// filled returns the content that the named template makes of data.
func filled(name string, data any) content {
	return func(m *markup) error { return templates().ExecuteTemplate(m, name, data) }
}
