package httpmirror

import (
	"embed"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
)

//go:embed static
var staticFiles embed.FS

// staticTypes are the media types of the static files.
var staticTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// staticFiles puts the stylesheet, the script and the icon.
func (p *pages) staticFiles() error {
	return fs.WalkDir(staticFiles, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := staticFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return p.b.add("/"+name, staticTypes[path.Ext(name)], body)
	})
}

// staticAddress gives the address of a static file. Its query changes with the content, so a
// browser never joins a new page to an old stylesheet; the path stays.
func staticAddress(name string) string {
	body, err := staticFiles.ReadFile("static/" + name)
	if err != nil {
		panic(err) // the name is a constant of this package, and the file is embedded
	}
	h := fnv.New32a()
	h.Write(body)
	return fmt.Sprintf("/static/%s?v=%08x", name, h.Sum32())
}
