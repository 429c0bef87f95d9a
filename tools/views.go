package tools

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The addresses and the media type of the views. A view is a page that a host shows with the results of a tool (MCP
// Apps, SEP-1865). It shows what the result says, so that other hosts lose nothing, and has everything in itself: it
// asks the host alone, and no network.
const (
	compareView = "ui://compare"
	payView     = "ui://pay"
	viewMIME    = "text/html;profile=mcp-app"
)

// qrScript is the path of the mirror's script that draws QR codes.
const qrScript = "/static/qr.js"

var (
	//go:embed views/view.css
	viewStyles string
	//go:embed views/host.js
	hostScript string
	//go:embed views/compare.js
	compareScript string
	//go:embed views/pay.js
	payScript string
)

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

// newViews returns the views: of comparisons and of payments, where there are such.
func newViews(documents ResourceFiles, compared, paid bool) (list []ownResource, err error) {
	if compared {
		list = append(list, newView(compareView, "Payment protocols compared", hostScript+compareScript,
			map[string]any{"prefersBorder": true}))
	}
	if !paid {
		return list, nil
	}
	qr, ok := documents.File(qrScript)
	if !ok {
		return nil, fmt.Errorf("the mirror lacks %s, which draws QR codes", qrScript)
	}
	border := map[string]any{"prefersBorder": true, "permissions": map[string]any{"clipboardWrite": struct{}{}}}
	return append(list, newView(payView, "Full-text search", string(qr.Body)+hostScript+payScript, border)), nil
}

// newView returns a view with its scripts.
func newView(uri, title, scripts string, meta map[string]any) ownResource {
	body := fmt.Sprintf(viewPage, title, viewStyles, scripts)
	return ownResource{&mcp.Resource{
		URI: uri, Name: "view-" + strings.TrimPrefix(uri, "ui://"), Title: title, MIMEType: viewMIME,
		Description: "A page that hosts show with the results of a tool.", Size: int64(len(body)), Meta: mcp.Meta{"ui": meta},
	}, body}
}
