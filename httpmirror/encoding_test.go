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
// before one that it only accepts; programs that accept anything, and browsers, which name HTML alone, get the page.
func TestAcceptance(t *testing.T) {
	m := realMirror(t)
	const page = "/library/payments/"
	for want, headers := range map[string][]string{
		file.Markdown: {
			// Agents: their makers' documentation and reports, 2025-11 to 2026-10.
			"text/markdown, text/html, */*",              // Claude Code
			"text/markdown, */*",                         // Gemini CLI
			"text/markdown, text/plain;q=0.9, */*;q=0.8", // Cursor
			"text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1", // OpenCode
			"text/markdown, text/html;q=0.9, */*;q=0.8",                                                // OpenClaw, the MCP fetch server
			"text/markdown, text/html;q=0.9, */*;q=0.1",
			"text/markdown;q=0.9, text/html;q=0.8",
			"text/markdown,text/html", "text/markdown", "TEXT/MARKDOWN", "text/markdown; variant=CommonMark",
			"*/*, text/markdown", "text/*, text/markdown", "text/*, text/html;q=0.1", "text/markdown, application/json",
		},
		file.JSON: {
			"application/json", "application/json, text/plain, */*", "application/json, text/html", // axios
			"application/json, text/html;q=0.9", "application/*", "application/json, text/markdown",
		},
		file.HTML: {
			// Agents that name HTML, or nothing.
			"text/html, */*", // Codex
			"*/*", "",        // ChatGPT, Perplexity, Gemini, curl, Python
			"text/html, text/markdown", // names HTML first
			"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8,text/markdown;q=0.7",
			// Browsers: Chromium and what is built on it, Firefox and Safari over the years, Internet Explorer, and those of text.
			"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
			"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
			"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
			"text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8",
			"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
			"text/html, application/xhtml+xml, image/jxr, */*",
			"text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01",
			"text/html, text/*;q=0.5, image/*, application/*, x-scheme-handler/*",
			"*/*;q=0.1, text/html", "text/html;q=1.0,*/*;q=0.1",
			// The page answers those who accept none of the forms.
			"text/*", "application/json;q=0, text/markdown;q=0", "image/png", "garbage", "application/json;q=-1", "text/markdown;q=",
		},
	} {
		for _, header := range headers {
			res := ask(t, m, "GET", page, "Accept", header)
			if got := res.Header.Get("Content-Type"); got != want || res.StatusCode != 200 {
				t.Errorf("%q: %d %s, want %s", header, res.StatusCode, got, want)
			}
			if got := res.Header.Get("Vary"); got != "Accept, Accept-Encoding" {
				t.Errorf("%q: vary = %q", header, got)
			}
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
