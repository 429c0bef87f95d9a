//go:build soak

package e2e

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/index/searchpb"
	"go.almanac.example/internal/problem"
	"go.almanac.example/server/servertest"
)

var (
	soakEntries = flag.Int("soak.entries", 10_000, "size of the library that TestSoakSize serves, of which the published entries are a part; docs/figures.md has 10,000 and 100,000")
	soakMemory  = flag.Int64("soak.memory", 0, "megabytes that TestSoakSize allows (0: 512 for 100,000 entries, less for fewer)")
)

// memoryFor is the memory that a library of n entries must be served and reloaded in: 512 MB for 100,000, and 256 MB
// for 10,000.
func memoryFor(n int) int64 {
	const base, all = 228 << 20, 512 << 20
	return base + (all-base)*int64(n)/100_000
}

// TestSoakSize serves a large library from within a limit of memory, asks every surface, and reloads it three times
// under load: with a hundredth of the entries edited, with all of them, and with a few. The process is not killed,
// every answer is right, and what was edited is seen on every surface.
func TestSoakSize(t *testing.T) {
	limit := *soakMemory << 20
	if limit == 0 {
		limit = memoryFor(*soakEntries)
	}
	b := newBox(t, limit)
	library := catalogtest.NewLibrary(t, "../fixtures", t.TempDir(), *soakEntries)
	args := append([]string{"-fixtures", library.Dir}, bulk...)
	began := time.Now()
	p := startProcess(t, b.command(serveArgs(t, args...)...), servertest.Patience+time.Duration(*soakEntries)*5*time.Millisecond)
	started, startWork := time.Since(began), b.work(p)
	b.watch(p)
	s := newSizeSoak(t, p, library)
	s.askAll()
	rest := b.anonymous(p)
	most := b.peak()

	var slowest, p99 time.Duration
	var mostWork float64
	for i, nth := range []int{100, 1, 1_000} {
		library.Edit(t, nth)
		work := b.work(p)
		took, times := s.reloadUnderLoad(i + 1)
		work, peak := b.work(p)-work, b.peak()
		t.Logf("reload %d (one entry in %d edited): %s, %.1f s of processor time with the load; at most %d MB of anonymous memory; the mirror meanwhile: %d answers, p50 %s, p99 %s, slowest %s",
			i+1, nth, brief(took), work, peak>>20, len(times), brief(quantile(times, .5)), brief(quantile(times, .99)), brief(quantile(times, 1)))
		slowest, p99, most, mostWork = max(slowest, took), max(p99, quantile(times, .99)), max(most, peak), max(mostWork, work)
		s.expectEdited(library.Entries[0])
	}
	figures(t, tableSize, thousands(int64(*soakEntries)), thousands(int64(*soakEntries)), fmt.Sprintf("%d MB", limit>>20), fmt.Sprintf("%s; %.1f s", brief(started), startWork), fmt.Sprintf("%d MB", rest>>20),
		fmt.Sprintf("%d MB", most>>20), fmt.Sprintf("%s; %.1f s", brief(slowest), mostWork), brief(p99))
	b.check(most)
	p.signal(syscall.SIGTERM)
	if code := p.wait(); code != 0 {
		t.Errorf("the program ended with status %d", code)
	}
}

// A sizeSoak asks a process that serves a large library.
type sizeSoak struct {
	t       *testing.T
	p       *process
	library *catalogtest.Library
	crowd   *crowd
	grpc    searchpb.SearchClient
}

func newSizeSoak(t *testing.T, p *process, library *catalogtest.Library) *sizeSoak {
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &sizeSoak{t, p, library, newCrowd(t, p.base, 8), searchpb.NewSearchClient(conn)}
}

// pages are addresses of the mirror: those of an entry, and lists that have it.
func (s *sizeSoak) pages(e *catalog.Entry) []string {
	return []string{
		catalog.EntryPath(e.ID), catalog.EntryJSONPath(e.ID), catalog.MarkdownPath(catalog.EntryPath(e.ID)), catalog.RecordHistoryJSONPath(e.ID),
		catalog.HomePath, catalog.LibraryPath, catalog.CategoryPath(e.Category), catalog.TagPath(e.Tags[0]), catalog.TagAtomPath(e.Tags[0]),
		catalog.ProtocolPath("l402"), catalog.ProtocolsJSONPath, catalog.AtomPath, catalog.JSONFeedPath, catalog.ChangesIndexPath, catalog.FindPath,
	}
}

// large are addresses of the mirror whose files grow with the library.
func (s *sizeSoak) large(e *catalog.Entry) []string {
	return []string{
		catalog.CategoryJSONPath(e.Category), catalog.MarkdownPath(catalog.CategoryPath(e.Category)), catalog.TagJSONPath(e.Tags[0]), catalog.ChangesJSONPath(e.VerifiedAt),
		catalog.LibraryJSONLPath, catalog.DatasetFilePath("library", "csv"), catalog.DatasetCardPath("library"), catalog.FindJSONPath,
		"/sitemap.xml", "/llms.txt",
	}
}

// anyEntry returns one of the invented entries.
func (s *sizeSoak) anyEntry() *catalog.Entry {
	return s.library.Entries[rand.IntN(len(s.library.Entries))]
}

// askAll asks every surface once, and the pages of some entries.
func (s *sizeSoak) askAll() {
	s.t.Helper()
	e := s.library.Entries[0]
	for _, path := range append(s.pages(e), s.large(e)...) {
		if n, err := s.read(path); err != nil || n == 0 {
			s.t.Errorf("%s: %d bytes, %v", path, n, err)
		}
	}
	for _, list := range s.surfaces() {
		for range 3 {
			if code, err := list.ask(); err != nil || code != busyStatus && !list.fine(code) {
				s.t.Errorf("%s: %d, %v", list.name, code, err)
			}
		}
	}
	s.expectEdited(e)
}

// read reads a file of the mirror and returns its size.
func (s *sizeSoak) read(path string) (int64, error) {
	res, err := s.crowd.client.Get(s.p.base + path)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %d", res.StatusCode)
	}
	return io.Copy(io.Discard, res.Body)
}

// surfaces are all of them, asked about invented entries.
func (s *sizeSoak) surfaces() []*surface {
	buyer := func() (*customer, string) { i := rand.IntN(len(s.crowd.buyers)); return s.crowd.buyers[i], netOf(i) }
	word := func() string { return strings.Trim(strings.Fields(s.anyEntry().Title)[0], ":") }
	call := func(format string, args ...any) (int, error) { return s.crowd.call(fmt.Sprintf(format, args...)) }
	list := []*surface{
		{name: "mirror", weight: 70, fine: only(200), ask: func() (int, error) {
			pages := s.pages(s.anyEntry())
			return s.crowd.ask(pages[rand.IntN(len(pages))], "", netOf(rand.IntN(1000)))
		}},
		{name: "mcp lists", weight: 8, fine: only(200), ask: func() (int, error) {
			e := s.anyEntry()
			switch rand.IntN(3) {
			case 0:
				return call(`{"name":"list_entries","arguments":{"category":%q,"tag":[%q]}}`, e.Category, e.Tags[0])
			case 1:
				return call(`{"name":"list_changes","arguments":{"since":%q,"until":%q}}`, e.VerifiedAt, e.VerifiedAt)
			}
			return call(`{"name":"get_entry","arguments":{"ids":[%q]}}`, e.ID)
		}},
		{name: "mcp search", weight: 4, fine: only(200), ask: func() (int, error) { return call(`{"name":"search","arguments":{"query":%q}}`, word()) }},
		{name: "mcp fetch", weight: 4, fine: only(200), ask: func() (int, error) { return call(`{"name":"fetch","arguments":{"id":%q}}`, s.anyEntry().ID) }},
		{name: "paid search", weight: 10, fine: only(200), ask: func() (int, error) {
			b, from := buyer()
			status, body, err := s.crowd.askOnce("/v1/search?q="+word(), b.credential, from, "")
			if servertest.TooBusy(status, body) {
				status = busyStatus
			}
			return status, err
		}},
		{name: "grpc", weight: 4, fine: only(200), ask: func() (int, error) {
			_, err := s.searchGRPC(word())
			if said := status.Convert(err).Message(); strings.HasPrefix(said, string(problem.Overloaded)+": ") || strings.HasPrefix(said, string(problem.Timeout)+": ") {
				return busyStatus, nil
			}
			return http.StatusOK, err
		}},
	}
	for _, x := range list {
		x.reset()
	}
	return list
}

func (s *sizeSoak) searchGRPC(text string) (*searchpb.SearchResponse, error) {
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(context.Background(), "authorization", s.crowd.buyers[0].credential), time.Minute)
	defer cancel()
	return s.grpc.Search(ctx, &searchpb.SearchRequest{Q: text})
}

// reloadRate is how many requests a second arrive during a reload. The test wants to know how long they wait, and not
// how many can be answered.
const reloadRate = 60

// reloadUnderLoad reloads while all surfaces are asked, and returns how long the reload took and how long each answer
// of the mirror.
func (s *sizeSoak) reloadUnderLoad(nth int) (took time.Duration, mirror []time.Duration) {
	s.t.Helper()
	list := s.surfaces()
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan struct{})
	go func() { hold(ctx, list, reloadRate, 16); close(done) }()
	began := time.Now()
	s.p.signal(syscall.SIGHUP)
	servertest.WaitUntil(s.t, fmt.Sprintf("reload %d", nth), func() bool { return strings.Count(s.p.logged(), `"msg":"reloaded"`) == nth })
	took = time.Since(began)
	cancel()
	<-done
	mirror = list[0].times
	report(s.t, list)
	return took, mirror
}

// expectEdited expects an entry as it is now on every surface.
func (s *sizeSoak) expectEdited(e *catalog.Entry) {
	s.t.Helper()
	for _, path := range []string{catalog.EntryJSONPath(e.ID), catalog.EntryPath(e.ID), catalog.MarkdownPath(catalog.EntryPath(e.ID))} {
		if _, body := s.p.get(path); !strings.Contains(body, e.Title) {
			s.t.Errorf("%s does not have the title %q", path, e.Title)
		}
	}
	name, _, _ := strings.Cut(e.Title, ":")
	if status, body, err := s.crowd.askOnce("/v1/search?q="+name+"+"+e.ID, s.crowd.buyers[0].credential, netOf(0), ""); err != nil || status != http.StatusOK || !strings.Contains(string(body), e.Title) {
		s.t.Errorf("a search for %q answers %d, %v, without %q", name, status, err, e.Title)
	}
	if found, err := s.searchGRPC(name + " " + e.ID); err != nil || len(found.GetEntries()) == 0 || found.GetEntries()[0].GetEntry().GetTitle() != e.Title {
		s.t.Errorf("a search for %q over gRPC does not find %q: %v", name, e.Title, err)
	}
	for _, params := range []string{`{"name":"get_entry","arguments":{"ids":[%q]}}`, `{"name":"fetch","arguments":{"id":%q}}`, `{"name":"search","arguments":{"query":%q}}`} {
		_, body := servertest.Ask(s.t, http.MethodPost, s.p.base+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+fmt.Sprintf(params, e.ID)+`}`,
			"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-11-25")
		if !strings.Contains(string(body), e.Title) {
			s.t.Errorf("%s does not have the title %q:\n%.300s", fmt.Sprintf(params, e.ID), e.Title, body)
		}
	}
}
