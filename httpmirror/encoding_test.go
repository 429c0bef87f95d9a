package httpmirror

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/parttest"
)

// TestAcceptance: of the forms that a client wants equally, it gets the one that it names first, and one that it names
// before one that it only accepts; programs that accept anything, and browsers, which name HTML alone, get the page. The
// agents' headers are those of their reports and of mdream.dev/tools/accept-header, acceptmarkdown.com/status (2026-04-18) and
// openclawradar.com (access logs of 2026-04).
func TestAcceptance(t *testing.T) {
	const (
		chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"
		firefox  = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	)
	m := realMirror(t)
	for _, c := range []struct{ client, accept, want string }{
		{"Claude Code", "text/markdown, text/html, */*", file.Markdown},
		{"Gemini CLI", "text/markdown, */*", file.Markdown},
		{"Cursor", "text/markdown, text/plain;q=0.9, */*;q=0.8", file.Markdown},
		{"OpenCode", "text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1", file.Markdown},
		{"OpenClaw, the MCP fetch server", "text/markdown, text/html;q=0.9, */*;q=0.8", file.Markdown},
		{"OpenClaw, documented", "text/markdown, text/html;q=0.9, */*;q=0.1", file.Markdown},
		{"Codex, which follows the page's link to Markdown", "text/html, */*", file.HTML},
		{"ChatGPT-User, Manus, Copilot", chromium, file.HTML},
		{"Claude-User, Meta, PerplexityBot, curl, Python", "*/*", file.HTML},
		{"Perplexity-User", "", file.HTML},
		{"axios", "application/json, text/plain, */*", file.JSON},
		{"AgentGrade", "text/plain", file.Text},
		{"Chrome, Edge, Brave, Opera, Vivaldi, Samsung Internet", chromium, file.HTML},
		{"Firefox, Safari", firefox, file.HTML},
		{"Firefox, older", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", file.HTML},
		{"Firefox, older still", "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", file.HTML},
		{"Chromium, older", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8", file.HTML},
		{"Internet Explorer", "text/html, application/xhtml+xml, image/jxr, */*", file.HTML},
		{"Lynx", "text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01", file.HTML},
		{"w3m", "text/html, text/*;q=0.5, image/*, application/*, x-scheme-handler/*", file.HTML},
		{"HTML by weight", "*/*;q=0.1, text/html", file.HTML}, {"HTML before anything", "text/html;q=1.0,*/*;q=0.1", file.HTML},
		{"Markdown by weight", "text/markdown;q=0.9, text/html;q=0.8", file.Markdown},
		{"without spaces", "text/markdown,text/html", file.Markdown}, {"alone", "text/markdown", file.Markdown},
		{"in capitals", "TEXT/MARKDOWN", file.Markdown}, {"with a parameter", "text/markdown; variant=CommonMark", file.Markdown},
		{"a name before a range", "*/*, text/markdown", file.Markdown}, {"before a narrower one", "text/*, text/markdown", file.Markdown},
		{"HTML last", "text/*, text/html;q=0.1", file.Markdown}, {"Markdown before JSON", "text/markdown, application/json", file.Markdown},
		{"plain text by weight", "text/plain, text/html;q=0.5", file.Text}, {"plain text before all", "text/plain, */*", file.Text},
		{"JSON", "application/json", file.JSON}, {"JSON before HTML", "application/json, text/html", file.JSON},
		{"JSON by weight", "application/json, text/html;q=0.9", file.JSON}, {"applications", "application/*", file.JSON},
		{"JSON before Markdown", "application/json, text/markdown", file.JSON},
		{"HTML before Markdown", "text/html, text/markdown", file.HTML},
		{"a browser with Markdown", firefox + ",text/markdown;q=0.7", file.HTML},
		// The page answers those who accept none of the forms.
		{"any text", "text/*", file.HTML}, {"neither", "application/json;q=0, text/markdown;q=0", file.HTML}, {"pictures", "image/png", file.HTML},
		{"no header", "garbage", file.HTML}, {"no weight", "application/json;q=-1", file.HTML}, {"an empty weight", "text/markdown;q=", file.HTML},
	} {
		res := ask(t, m, "GET", "/library/payments/", "Accept", c.accept)
		if got := res.Header.Get("Content-Type"); got != c.want || res.StatusCode != 200 || res.Header.Get("Vary") != "Accept, Accept-Encoding" {
			t.Errorf("%s, %q: %d %s, want %s; %v", c.client, c.accept, res.StatusCode, got, c.want, res.Header)
		}
	}
}

// TestPlainText: the files for models are plain text, which every reader takes (Codex refuses text/markdown), and Markdown to those
// who name it first.
func TestPlainText(t *testing.T) {
	m := smallMirror(t)
	for _, path := range []string{catalog.LLMsPath, catalog.LLMsFullPath} {
		f, _ := m.File(path)
		for accepted, want := range map[string]string{
			"": file.Text, "*/*": file.Text, "text/html, */*": file.Text, "text/plain, text/markdown": file.Text, "text/markdown": file.Markdown,
			"text/markdown, text/html, */*": file.Markdown, "text/markdown, text/plain;q=0.9, */*;q=0.8": file.Markdown,
		} {
			for _, condition := range []string{"Accept-Encoding", "Range"} { // whole, and a part
				res := ask(t, m, "GET", path, "Accept", accepted, condition, map[string]string{"Range": "bytes=0-9", "Accept-Encoding": "br"}[condition])
				if got := res.Header.Get("Content-Type"); got != want || res.Header.Get("Vary") != "Accept, Accept-Encoding" || f.Listing().MediaType != file.Text {
					t.Errorf("%s, %q: %s, want %s; %v", path, accepted, got, want, res.Header)
				}
			}
		}
	}
}

// Each coding decodes to the same bytes, under a validator of its own, to GET and HEAD alike.
func TestCodingsHoldTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	m, nth := realMirror(t), 45
	if parttest.Wanted(t) {
		nth = 9
	}
	tags := make(map[string]string)
	for i, task := range m.renderer.tasks(func(*form) bool { return true }) {
		if ids := task.kind.list(m.cat); task.id != ids[0] && i%nth != 0 {
			continue // the first of each kind, and every 45th, or ninth where the real parts run: many kinds have hundreds
		}
		f, _ := m.File(task.path)
		for _, coding := range []string{"", "br", "gzip"} {
			res := ask(t, m, "GET", f.Path, "Accept-Encoding", coding)
			body := bodyOf(t, res)
			if got := res.Header.Get("Content-Length"); got != strconv.Itoa(len(body)) {
				t.Errorf("%s %s: length %s, and %d bytes", f.Path, coding, got, len(body))
			}
			if len(f.Body) >= file.MinCoded && len(body) >= len(f.Body) && coding != "" && res.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s %s: %d bytes grew to %d", f.Path, coding, len(f.Body), len(body))
			}
			if plain := decoded(t, res.Header.Get("Content-Encoding"), body); plain != string(f.Body) {
				t.Errorf("%s %s: does not decode to the file", f.Path, coding)
			}
			tag := res.Header.Get("Etag")
			if old, ok := tags[tag]; ok && old != body {
				t.Errorf("%s %s: two bodies have the tag %s", f.Path, coding, tag)
			}
			tags[tag] = body
			head := ask(t, m, "HEAD", f.Path, "Accept-Encoding", coding)
			for _, name := range []string{"Content-Length", "Content-Encoding", "Etag", "Content-Type", "Vary", "Last-Modified"} {
				if got, want := head.Header.Get(name), res.Header.Get(name); got != want {
					t.Errorf("HEAD %s %s: %s = %q, GET has %q", f.Path, coding, name, got, want)
				}
			}
		}
	}
}

func decoded(t *testing.T, coding, body string) string {
	t.Helper()
	var r io.Reader = bytes.NewReader([]byte(body))
	var err error
	switch coding {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		r, err = gzip.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// Many callers at once get the same bytes, also of what is compressed at that moment.
func TestConcurrentCallers(t *testing.T) {
	m := smallMirror(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for f := range m.Files() {
				res := ask(t, m, "GET", f.Path, "Accept-Encoding", "gzip, br")
				if plain := decoded(t, res.Header.Get("Content-Encoding"), bodyOf(t, res)); plain != string(f.Body) {
					t.Errorf("%s: does not decode to the file", f.Path)
				}
			}
		})
	}
	wg.Wait()
}

func TestRedirectsLeadToUsOnly(t *testing.T) {
	m := smallMirror(t)
	for _, path := range []string{"//evil.example", "//evil.example/..", "/\\evil.example", "/library/../library", "//library", "/%2fevil.example"} {
		res := ask(t, m, "GET", path)
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d to %q, want 404", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
}
