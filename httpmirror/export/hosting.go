package export

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"go.almanac.example/httpmirror/file"
)

// hostingFiles are the templates of configurations for servers of an export.
//
//go:embed hosting
var hostingFiles embed.FS

// hosts are the endings of the names of configurations, by server.
var hosts = map[string]string{"nginx": ".nginx.conf", "caddy": ".Caddyfile", "bucket": ".bucket.sh"}

// A typeRule gives files their media type: those whose paths match a regular expression, which an object store knows as
// globs.
type typeRule struct {
	Pattern string
	Globs   []string
	Type    string
}

// typeRules give every published file its media type. Of several that match, the last one counts.
var typeRules = []typeRule{
	{`(/|\.html)$`, []string{"*.html"}, file.HTML},
	{`\.json$`, []string{"*.json"}, file.JSON},
	{`\.jsonl$`, []string{"*.jsonl"}, "application/jsonl"},
	{`\.jsonld$`, []string{"*.jsonld"}, file.JSONLD},
	{`\.md$`, []string{"*.md"}, file.Markdown},
	{`\.txt$`, []string{"*.txt"}, file.Text},
	{`\.csv$`, []string{"*.csv"}, "text/csv; charset=utf-8"},
	{`\.xml$`, []string{"*.xml"}, file.XML},
	{`\.atom$`, []string{"*.atom"}, file.Atom},
	{`\.ics$`, []string{"*.ics"}, file.Calendar},
	{`\.svg$`, []string{"*.svg"}, file.SVG},
	{`\.png$`, []string{"*.png"}, file.PNG},
	{`\.ico$`, []string{"*.ico"}, "image/vnd.microsoft.icon"},
	{`\.css$`, []string{"*.css"}, "text/css; charset=utf-8"},
	{`\.js$`, []string{"*.js"}, "text/javascript; charset=utf-8"},
	{`\.schema\.json$`, []string{"*.schema.json"}, file.Schema},
	{`(/feed|^/news/[^/]*)\.json$`, []string{"*/feed.json", "news/*.json"}, file.JSONFeed},
	{`/croissant\.json$`, []string{"*/croissant.json"}, file.JSONLD},
	{`^/opensearch\.xml$`, []string{"opensearch.xml"}, file.OpenSearch},
	{`^/\.well-known/ai-catalog\.json$`, []string{".well-known/ai-catalog.json"}, file.AICatalog},
	{`^/\.well-known/api-catalog$`, []string{".well-known/api-catalog"}, file.Linkset},
	{`^/\.well-known/l402(-services)?$`, []string{".well-known/l402", ".well-known/l402-services"}, file.JSON},
}

// A SchemaRule gives the documents whose paths match a regular expression the Link to their schema. Of several that
// match, the last one counts.
type SchemaRule struct{ Pattern, Link string }

// A MovedRule leads the paths that match a regular expression to another one, in which $1 is its first group. They were
// published once.
type MovedRule struct{ Pattern, To string }

// CaddyTo returns the path as Caddy writes it, for a matcher of a name.
func (m MovedRule) CaddyTo(name string) string {
	return strings.NewReplacer("$1", "{re."+name+".1}").Replace(m.To)
}

// Hosting is the server of an exported folder.
type Hosting struct {
	Host      string      // one of Hosts
	Dir       string      // the folder, as it was exported
	Headers   http.Header // of every answer
	Cache     string      // Cache-Control of a file
	Immutable string      // Cache-Control of what is asked for under a version
	Schemas   []SchemaRule
	Moved     []MovedRule
}

// Hosts returns the servers for which there are configurations, sorted.
func Hosts() []string { return slices.Sorted(maps.Keys(hosts)) }

// File returns the name of the file for the configuration, which lies beside the folder, because everything in the
// folder is published.
func (h Hosting) File() string { return filepath.Clean(h.Dir) + hosts[h.Host] }

// Config returns the configuration.
func (h Hosting) Config() ([]byte, error) {
	if hosts[h.Host] == "" {
		return nil, fmt.Errorf("%q is not a host that a configuration can be written for: use one of %s",
			h.Host, strings.Join(Hosts(), ", "))
	}
	dir, err := filepath.Abs(h.Dir)
	if err != nil {
		return nil, err
	}
	first, schemas := slices.Clone(typeRules), slices.Clone(h.Schemas) // of several that match, nginx takes the first
	slices.Reverse(first)
	slices.Reverse(schemas)
	t, err := template.ParseFS(hostingFiles, "hosting/"+h.Host+".tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Dir": dir, "Headers": h.Headers, "Cache": h.Cache, "Immutable": h.Immutable, "Last": typeRules, "First": first,
		"Schemas": h.Schemas, "FirstSchemas": schemas, "Moved": h.Moved,
	})
	return b.Bytes(), err
}
