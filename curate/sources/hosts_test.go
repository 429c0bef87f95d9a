package sources

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/curate/links"
)

const quote = "A receiver MUST treat the value as opaque, and compare it byte for byte."

var day = time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)

// clock returns a clock that shows another day and runs, because the pace to a host is kept by it.
func clock() func() time.Time {
	began := time.Now()
	return func() time.Time { return day.Add(time.Since(began)) }
}

// testConfig returns a configuration without long pauses, which may connect to this machine.
func testConfig() links.Config {
	return links.Config{
		UserAgent: "almanac-test/1.0", Product: "almanac-test", Hosts: 4, Pace: time.Nanosecond, Timeout: time.Minute, Attempts: 2,
		Backoff: time.Nanosecond, MaxWait: 1500 * time.Millisecond, Allow: func(netip.Addr) bool { return true }, Now: clock(),
	}
}

// host starts a server of its own for one handler, so that it is a host of its own to the checker.
func host(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// typed returns a handler that answers with a body of a type.
func typed(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body)
	}
}

func run(t *testing.T, cfg links.Config, claims ...Claim) []Finding {
	t.Helper()
	report, err := Round{Claims: claims, State: newState(t), Journal: filepath.Join(t.TempDir(), "journal"), Progress: io.Discard}.Run(t.Context(), links.New(cfg))
	if err != nil {
		t.Fatal(err)
	}
	return report.Findings
}

func page(title, body string) string {
	return "<!doctype html><html><head><title>" + title + "</title><script>var x = '" + strings.ReplaceAll(quote, "'", "") + "x'</script></head><body>" + body + "</body></html>"
}

// TestHosts: what a round says about a claim, for every way in which a host can behave. Only a quote that was found makes a claim
// stand; only a host that says so makes it gone; what nobody knows is not known.
func TestHosts(t *testing.T) {
	real := page("Specification", "<p>First.</p><p>A receiver <em>MUST</em> treat the value as\n opaque, and compare it <b>byte</b> for byte.</p>")
	zip := func(body []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(body)
		z.Close()
		return b.Bytes()
	}
	bomb := zip(make([]byte, 64<<20))
	tests := []struct {
		name, verdict, detail string
		timeout               time.Duration
		h                     http.HandlerFunc
	}{
		{name: "a page", verdict: Stands, h: typed("text/html; charset=utf-8", real)},
		{name: "Markdown", verdict: Stands, h: typed("text/plain; charset=utf-8", "# Spec\n\nA receiver **MUST** treat the\nvalue as `opaque`, and compare it byte\\\nfor byte.\n")},
		{name: "a raw file without a type", verdict: Stands, h: typed("", "x A receiver MUST treat the value as opaque, and compare it byte for byte. y")},
		{name: "the quote across a table", verdict: Stands, h: typed("text/html", page("T", "<table><tr><td>A receiver MUST treat</td><td>the value as opaque,</td><td>and compare it byte for byte.</td></table>"))},
		{name: "a PDF", verdict: Stands, h: typed("application/pdf", string(pdfOf(quote)))},
		{name: "a PDF of another text", verdict: Gone, h: typed("application/pdf", string(pdfOf("Something else.")))},
		{name: "a broken PDF", verdict: Unread, detail: "cannot be read", h: typed("application/pdf", "%PDF-1.7\nrubbish")},
		{name: "compressed", verdict: Stands, h: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/html")
			w.Write(zip([]byte(real)))
		}},
		{name: "UTF-16", verdict: Stands, h: typed("text/plain; charset=utf-16le", string(utf16(quote)))},
		{name: "UTF-8 that is Latin-1", verdict: Stands, h: typed("text/html; charset=utf-8", "<title>caf\xe9</title>"+quote)},
		{name: "the quote only in a script", verdict: Gone, detail: "does not have the quote", h: typed("text/html", page("Specification", "<p>Rewritten.</p>"))},
		{name: "other content with 200", verdict: Gone, detail: "does not have the quote", h: typed("text/html", page("Specification", "<p>A receiver MAY treat the value as opaque.</p>"))},
		{name: "an image", verdict: Unread, detail: "has no words", h: typed("image/png", "\x89PNG\x00\x00")},
		{name: "404", verdict: Gone, detail: "404", h: http.NotFound},
		{name: "410", verdict: Gone, detail: "410", h: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusGone) }},
		{name: "a soft 404", verdict: Gone, detail: "Page not found", h: typed("text/html", page("Page not found", "<p>Sorry."))},
		{name: "a soft 404 that quotes", verdict: Gone, detail: "Page not found", h: typed("text/html", page("Page not found", quote))},
		{name: "to a login", verdict: Gone, detail: "leads to", h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/spec" {
				http.Redirect(w, r, "/login?next=/spec", http.StatusFound)
				return
			}
			typed("text/html", page("Welcome", "<form>"))(w, r)
		}},
		{name: "moved", verdict: Moved, detail: "moved permanently to", h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/spec" {
				http.Redirect(w, r, "/new/spec", http.StatusMovedPermanently)
				return
			}
			typed("text/html", real)(w, r)
		}},
		{name: "elsewhere for now", verdict: Stands, h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/spec" {
				http.Redirect(w, r, "/mirror/spec", http.StatusFound)
				return
			}
			typed("text/html", real)(w, r)
		}},
		{name: "moved to another text", verdict: Gone, detail: "does not have the quote", h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/spec" {
				http.Redirect(w, r, "/new/spec", http.StatusMovedPermanently)
				return
			}
			typed("text/html", page("New", "<p>Welcome to our new site."))(w, r)
		}},
		{name: "500", verdict: Unread, detail: "500", h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}},
		{name: "403", verdict: Unread, detail: "403", h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				w.WriteHeader(http.StatusForbidden)
			}
		}},
		{name: "robots.txt", verdict: Unread, detail: "robots.txt forbids it", h: typed2("User-agent: *\nDisallow: /spec\n", real)},
		{name: "robots.txt fails", verdict: Unread, detail: "robots.txt answers 503", h: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }},
		{name: "429 for an hour", verdict: Unread, detail: "asks for no requests until", h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(http.StatusTooManyRequests)
			}
		}},
		{name: "no answer", verdict: Unread, detail: "no answer in time", timeout: 300 * time.Millisecond, h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				<-r.Context().Done()
			}
		}},
		{name: "a body that never ends", verdict: Unread, detail: "no answer in time", timeout: 300 * time.Millisecond, h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				io.WriteString(w, real)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
		}},
		{name: "cut in the middle", verdict: Unread, detail: "closed before", h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				w.Header().Set("Content-Length", "100000")
				io.WriteString(w, real)
				panic(http.ErrAbortHandler)
			}
		}},
		{name: "huge, the quote at the start", verdict: Stands, h: func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, quote)
			io.CopyN(w, endless{}, 32<<20)
		}},
		{name: "huge, without the quote", verdict: Unread, detail: "longer than is read", h: func(w http.ResponseWriter, r *http.Request) { io.CopyN(w, endless{}, 32<<20) }},
		{name: "a bomb", verdict: Unread, h: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/plain")
			w.Write(bomb)
		}},
		{name: "compressed rubbish", verdict: Unread, h: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				w.Header().Set("Content-Encoding", "gzip")
				io.WriteString(w, "this is not gzip")
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig()
			if tt.timeout > 0 {
				cfg.Timeout = tt.timeout
			}
			f := run(t, cfg, Claim{Record: "x", Quote: quote, Source: host(t, tt.h) + "/spec"})[0]
			if f.Verdict != tt.verdict || !strings.Contains(f.Detail, tt.detail) {
				t.Errorf("got %s, %q; want %s, …%s…", f.Verdict, f.Detail, tt.verdict, tt.detail)
			}
		})
	}
}

// typed2 returns a handler with a robots.txt of its own.
func typed2(robots, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, robots)
			return
		}
		typed("text/html", body)(w, r)
	}
}

// endless is a text without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "lorem ipsum "[i%12]
	}
	return len(p), nil
}

func utf16(s string) []byte {
	b := []byte{0xFF, 0xFE}
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8))
	}
	return b
}

// pdfOf returns a PDF of one page with a line of text.
func pdfOf(line string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(body string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	b.WriteString("%PDF-1.4\n")
	content := "BT /F1 12 Tf 72 720 Td (" + line + ") Tj ET"
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>")
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}

// TestPinned: when a source no longer has a quote, the report says whether the text that was read still has it.
func TestPinned(t *testing.T) {
	now := host(t, typed("text/html", page("Specification", "<p>Rewritten.")))
	then := host(t, typed("text/plain", quote))
	lost := host(t, http.NotFound)
	f := run(t, testConfig(), Claim{Record: "a", Quote: quote, Source: now, Pinned: then}, Claim{Record: "b", Quote: quote, Source: then, Pinned: lost}, Claim{Record: "c", Source: now})
	var got []string
	for _, f := range f {
		got = append(got, f.Claim.Record+" "+f.Verdict+" "+f.Pinned)
	}
	if diff := cmp.Diff([]string{"a gone stands", "b stands gone", "c answers "}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestInterruptedRoundResumes: a round that was killed resumes with what is left, asks no address twice, and ends with the findings
// of a round that nobody killed. An address that several claims share is asked once.
func TestInterruptedRoundResumes(t *testing.T) {
	var mu sync.Mutex
	asked := make(map[string]int)
	ctx, stop := context.WithCancel(t.Context())
	base := host(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path != "/robots.txt" {
			if asked[r.URL.Path]++; len(asked) == 10 {
				stop()
			}
		}
		typed("text/plain", quote)(w, r)
	})
	var claims []Claim
	for i := range 20 {
		claims = append(claims, Claim{Record: fmt.Sprint("r", i), Quote: quote, Source: fmt.Sprintf("%s/%d", base, i)},
			Claim{Record: fmt.Sprint("s", i), Quote: "Not there.", Source: fmt.Sprintf("%s/%d", base, i)})
	}
	round := Round{Claims: claims, State: newState(t), Journal: filepath.Join(t.TempDir(), "journal"), Progress: io.Discard}
	if _, err := round.Run(ctx, links.New(testConfig())); err == nil || !strings.Contains(err.Error(), "run the same command to resume") {
		t.Fatalf("the round was not interrupted: %v", err)
	}
	report, err := round.Run(t.Context(), links.New(testConfig()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		want := Stands
		if strings.HasPrefix(f.Claim.Record, "s") {
			want = Gone
		}
		if f.Verdict != want {
			t.Errorf("%s: %s, want %s", f.Claim.Record, f.Verdict, want)
		}
	}
	again := 0
	for path, n := range asked {
		if n > 1 {
			again++ // the one under way when it was killed
			if again > 1 || n > 2 {
				t.Errorf("%s was asked %d times", path, n)
			}
		}
	}
	if len(asked) != 20 {
		t.Errorf("%d addresses were asked, want 20", len(asked))
	}
}
