package tools

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A view is a page that a host shows with the results of a tool (MCP Apps, SEP-1865). It shows what the result says, so
// that other hosts lose nothing, and has everything in itself: it asks the host alone, and no network.
type view struct {
	*mcp.Resource
	body []byte
}

// The addresses and the media type of the views.
const (
	compareView = "ui://compare"
	payView     = "ui://pay"
	viewMIME    = "text/html;profile=mcp-app"
)

// qrScript is the path of the mirror's script that draws QR codes.
const qrScript = "/static/qr.js"

//go:embed views
var viewFiles embed.FS

// viewPage is a view, of its title, styles and script. Its policy holds where that of a host is more lenient.
const viewPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%s</title>
<meta http-equiv="Content-Security-Policy"
	content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<style>
%s</style></head>
<body><main><p>Waiting for the result.</p></main>
<script type="module">
%s</script></body></html>
`

// newViews returns the views.
func newViews(documents ResourceFiles, compared, paid bool) (list []view, err error) {
	if compared {
		border := map[string]any{"prefersBorder": true}
		compare, err := newView(compareView, "Payment protocols compared", nil, "compare.js", border)
		if err != nil {
			return nil, err
		}
		list = append(list, compare)
	}
	if !paid {
		return list, nil
	}
	qr, ok := documents.File(qrScript)
	if !ok {
		return nil, fmt.Errorf("the mirror lacks %s, which draws QR codes", qrScript)
	}
	border := map[string]any{"prefersBorder": true, "permissions": map[string]any{"clipboardWrite": struct{}{}}}
	pay, err := newView(payView, "Full-text search", qr.Body, "pay.js", border)
	return append(list, pay), err
}

// newView returns a view with a library and a script of its own.
func newView(uri, title string, library []byte, script string, meta map[string]any) (view, error) {
	parts := map[string][]byte{"view.css": nil, "host.js": nil, script: nil}
	for name := range parts {
		var err error
		if parts[name], err = viewFiles.ReadFile("views/" + name); err != nil {
			return view{}, fmt.Errorf("read a view: %w", err)
		}
	}
	scripts := bytes.Join([][]byte{library, parts["host.js"], parts[script]}, nil)
	body := fmt.Appendf(nil, viewPage, title, parts["view.css"], scripts)
	return view{&mcp.Resource{
		URI: uri, Name: "view-" + strings.TrimPrefix(uri, "ui://"), Title: title, MIMEType: viewMIME,
		Description: "A page that hosts show with the results of a tool.", Size: int64(len(body)), Meta: mcp.Meta{"ui": meta},
	}, body}, nil
}

// view returns the view at an address, if there is one.
func (r *resources) view(uri string) (view, bool) {
	for _, v := range r.views {
		if v.URI == uri {
			return v, true
		}
	}
	return view{}, false
}
