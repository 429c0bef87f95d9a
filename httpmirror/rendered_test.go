package httpmirror

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/internal/problem"
)

// largeMirror is the site of a catalog in a cache that holds a few files of it, as if it were too large for memory.
func largeMirror(tb testing.TB, c *catalog.Catalog, cache int64) *Mirror {
	tb.Helper()
	m, err := Build(c, Options{Version: "1.2.3", Contact: "mailto:security@example.org", CacheSize: cache})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// answers is how a mirror answers some requests for a path.
func answers(t *testing.T, m *Mirror, path string) (list []string) {
	t.Helper()
	for _, headers := range [][]string{
		nil, {"Accept-Encoding", "br"}, {"Accept-Encoding", "gzip"}, {"Accept", "text/markdown"}, {"Accept", "application/json"}, {"Range", "bytes=1-9"},
	} {
		res := ask(t, m, "GET", path, headers...)
		var b strings.Builder
		res.Header.Write(&b)
		list = append(list, res.Status+"\n"+b.String()+"\n"+bodyOf(t, res))
	}
	return list
}

// A site of which few files can be kept answers as one that keeps all: with the same bytes and headers, for every address, and where
// there is nothing. Every 35th file is asked for, and every seventh where the real parts run.
func TestRenderedWhenAsked(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	small, large, nth := realMirror(t), largeMirror(t, realCatalog(t), 4<<20), 35
	if parttest.Wanted(t) {
		nth = 7
	}
	var paths []string
	for f := range small.Files() { // which keeps them all
		paths = append(paths, f.Path)
	}
	for i, path := range append(paths, "/library/entry/nothing/", "/library/payments/2/", "/library/payments/1/", "/library/payments/x/", "/tags/agents/02/", "/changes/2001-01-01/",
		"/api/changes/2001-02-30.json", "/library/payments", "/library/entry/mqtt-5/index.html", "/schemas/nothing.schema.json", "/", "", "/api/entries/.json") {
		if i%nth != 0 && i < len(paths) && !slices.Contains([]string{catalog.ManifestPath, catalog.SitemapPath, catalog.LLMsFullPath, catalog.SupportJSONPath}, path) {
			continue // each kind has many
		}
		if diff := cmp.Diff(answers(t, small, path), answers(t, large, path)); diff != "" {
			t.Errorf("%s (-all kept +few kept):\n%.2000s", path, diff)
		}
	}
}

// The files in memory never take more than the cache may, whatever is asked for, and by how many at once.
func TestCacheIsBounded(t *testing.T) {
	const bound = 1 << 20
	m := largeMirror(t, realCatalog(t), bound)
	var paths []string
	for path := range m.paths() {
		paths = append(paths, path)
	}
	size := func() int64 {
		m.cache.mu.Lock()
		defer m.cache.mu.Unlock()
		return m.cache.size
	}
	var g sync.WaitGroup
	for worker := range 4 {
		g.Go(func() {
			for i := worker; i < len(paths); i += 13 {
				if res := ask(t, m, "GET", paths[i], "Accept-Encoding", "gzip"); res.StatusCode != http.StatusOK {
					t.Errorf("%s answers %d", paths[i], res.StatusCode)
				}
				if size := size(); size > bound {
					t.Errorf("after %s the cache has %d bytes", paths[i], size)
				}
			}
		})
	}
	g.Wait()
	if size := size(); size < bound/2 {
		t.Errorf("the cache holds only %d bytes", size)
	}
}

// A request for the manifest of a large site before the hashes of its files are known is told when to come back.
func TestManifestOfALargeSite(t *testing.T) {
	c, o := smallCatalog(t, testTime), mustComplete(t, Options{})
	finish := make(chan struct{})
	slow := single("slow", rawForm("/slow.txt", file.Text,
		func(*renderer, string) ([]byte, error) { <-finish; return nil, nil }))
	m := build(c, o, append(kinds(c, o), slow))
	m.cache.timeout = time.Millisecond
	res := ask(t, m, "GET", catalog.ManifestPath)
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("answers %d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
	}
	if want := problem.New(problem.Overloaded); !strings.Contains(bodyOf(t, res), string(want.Code)) {
		t.Errorf("the answer is not %s", want.Code)
	}
	close(finish)
	for f := range m.Files() {
		if f.Path == catalog.ManifestPath && !bytes.Contains(f.Body, []byte(`"/slow.txt"`)) {
			t.Error("the manifest lacks the document that took long")
		}
	}
}

func mustComplete(t *testing.T, o Options) Options {
	t.Helper()
	o, err := o.complete()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestPaymentsOfALargeSite: the manifest of a large site lists its files in each state of payments.
func TestPaymentsOfALargeSite(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	down := largeMirror(t, smallCatalog(t, testTime), 64<<10)
	all := largeMirror(t, smallCatalog(t, testTime), 1<<30)
	down = down.WithPayments(catalog.PaymentsDown)
	for _, state := range []catalog.Payments{catalog.PaymentsDown, catalog.PaymentsLive} {
		got, want := down.WithPayments(state), all.WithPayments(state)
		for _, path := range []string{catalog.ManifestPath, catalog.SupportJSONPath, catalog.HomePath} {
			if diff := cmp.Diff(answers(t, want, path), answers(t, got, path)); diff != "" {
				t.Errorf("%s in state %d (-all kept +few kept):\n%.2000s", path, state, diff)
			}
		}
	}
}

// brokenKind declares a document that cannot be rendered.
func brokenKind() *kind {
	return single("broken", rawForm("/broken.txt", file.Text,
		func(*renderer, string) ([]byte, error) { return nil, errors.New("the ink ran out") }))
}

// A panic in the code of one document is a failure of that document and of the manifest, and the process lives.
func TestPanicOfADocument(t *testing.T) {
	c := smallCatalog(t, testTime)
	var log bytes.Buffer
	o := mustComplete(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	broken := single("broken", rawForm("/broken.txt", file.Text,
		func(*renderer, string) ([]byte, error) { panic("the press jammed") }))
	m := build(c, o, append(kinds(c, o), broken))
	for _, path := range []string{"/broken.txt", catalog.ManifestPath, catalog.ManifestPath} {
		log.Reset()
		res := ask(t, m, "GET", path)
		body := bodyOf(t, res)
		if res.StatusCode != http.StatusInternalServerError || strings.Contains(body, "press") {
			t.Errorf("%s answers %d: %s", path, res.StatusCode, body)
		}
		wantProblem(t, res, body)
		if !strings.Contains(log.String(), "render /broken.txt: panic: the press jammed") {
			t.Errorf("%s: the log does not have the reason: %s", path, log.String())
		}
	}
	if res := ask(t, m, "GET", catalog.HomePath); res.StatusCode != http.StatusOK {
		t.Errorf("the home page answers %d", res.StatusCode)
	}
	if err := m.renderer.check(); err == nil {
		t.Error("the check finds nothing")
	}
}

// A failure that passes is over with the next request, for the manifest.
func TestPassingFailure(t *testing.T) {
	c, o := smallCatalog(t, testTime), mustComplete(t, Options{})
	var failures atomic.Int64
	flaky := single("article", form{path: "/flaky.md", mediaType: file.Markdown,
		render: func(*renderer, string) ([]byte, error) {
			if failures.Add(-1) >= 0 {
				return nil, errors.New("no ink today")
			}
			return nil, nil
		}})
	m := build(c, o, append(kinds(c, o), flaky))
	for _, want := range []int{http.StatusInternalServerError, http.StatusOK} {
		failures.Store(0)
		if want != http.StatusOK {
			failures.Store(1)
		}
		if res := ask(t, m, "GET", catalog.ManifestPath); res.StatusCode != want {
			t.Errorf("the manifest answers %d, want %d", res.StatusCode, want)
		}
	}
}

// A document that cannot be rendered is a failure of this service wherever it is asked for, with the reason in the log and nowhere else; who
// renders all documents learns of it, and all others are served.
func TestDocumentThatCannotBeRendered(t *testing.T) {
	c := smallCatalog(t, testTime)
	var log bytes.Buffer
	o := mustComplete(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	m := build(c, o, append(kinds(c, o), brokenKind()))
	for _, path := range []string{"/broken.txt", catalog.ManifestPath} {
		log.Reset()
		res := ask(t, m, "GET", path, "Accept", "text/html")
		body := bodyOf(t, res)
		if res.StatusCode != http.StatusInternalServerError || strings.Contains(body, "ink") {
			t.Errorf("%s answers %d: %s", path, res.StatusCode, body)
		}
		wantProblem(t, res, body)
		if !strings.Contains(log.String(), "render /broken.txt: the ink ran out") {
			t.Errorf("%s: the log does not have the reason: %s", path, log.String())
		}
	}
	if err := m.renderer.check(); err == nil || err.Error() != "render /broken.txt: the ink ran out" {
		t.Errorf("the check returns %v", err)
	}
	if res := ask(t, m, "GET", catalog.HomePath); res.StatusCode != http.StatusOK {
		t.Errorf("the home page answers %d", res.StatusCode)
	}
	if err := build(c, o, kinds(c, o)).renderer.check(); err != nil {
		t.Errorf("without the document, the check returns %v", err)
	}
}

// TestUnlistedDay: a day without changes is answered, and takes no place in the cache; it is no file of the site.
func TestUnlistedDay(t *testing.T) {
	m := smallMirror(t)
	path := catalog.ChangesMarkdownPath("2001-01-01")
	if _, err := m.find(path); err != nil {
		t.Fatal(err)
	}
	if m.cache.lookup(cacheKey{path, file.Identity}) != nil {
		t.Error("the cache has a day without changes")
	}
	if _, ok := m.File(path); ok {
		t.Error("the site has a file for a day without changes")
	}
}
