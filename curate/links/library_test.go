package links

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/internal/parttest"
)

// standIn is a copy of the curated files whose links lead to a server on this machine.
func standIn(t *testing.T, address func(i int, e *catalog.Entry) string) (dir string, before map[string]catalog.Entry) {
	t.Helper()
	dir, before = parttest.TempDir(t), make(map[string]catalog.Entry)
	if err := os.CopyFS(dir, os.DirFS("../../fixtures")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "statements")); err != nil { // they were read at the real addresses
		t.Fatal(err)
	}
	i := 0
	err := filepath.WalkDir(filepath.Join(dir, "library"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		err = load.Edit(filepath.Dir(p), d.Name(), func(e *catalog.Entry) bool {
			e.URL, e.HTTPStatus, e.LastChecked = address(i, e), 0, "2026-01-02"
			before[e.ID] = *e
			return true
		})
		i++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	catalogtest.ReplaceCited(t, dir, func(file string, n int, _ string) string {
		i++
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		return address(i-1, &catalog.Entry{ID: fmt.Sprintf("%s-%s-%d", filepath.Base(filepath.Dir(file)), name, n+1)})
	})
	return dir, before
}

func loadDir(t *testing.T, dir string) *catalog.Catalog {
	t.Helper()
	c, err := load.Load(os.DirFS(dir), catalog.Options{Site: catalog.DefaultSite, GeneratedAt: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// served is what the stand-in server truly answered, by path.
type served struct {
	mu     sync.Mutex
	status map[string]int
	hosts  map[string]int // requests
}

// The whole library against a server that plays all its hosts, with a fault in every fourth link.
func TestLibraryRound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	log := &served{status: make(map[string]int), hosts: make(map[string]int)}
	faults := []int{404, 410, 500, 403, 503, 301, 302, 405}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		log.mu.Lock()
		defer log.mu.Unlock()
		log.hosts[r.Host]++
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		code, _ := strconv.Atoi(strings.Trim(filepath.Dir(r.URL.Path), "/"))
		switch code {
		case 301, 302:
			w.Header().Set("Location", "/200"+r.URL.Path+"-moved")
		case 405:
			if r.Method == http.MethodGet {
				code = 200
			}
		}
		if code == 0 {
			code = 200
		}
		log.status[r.Host+r.URL.Path] = code
		w.WriteHeader(code)
	})
	port := serve(t, h)
	breaks := raw(t, reset)
	wantSilent := make(map[string]bool)
	dir, before := standIn(t, func(i int, e *catalog.Entry) string {
		host := fmt.Sprintf("h%d.test", i%24)
		switch {
		case i%20 == 3:
			wantSilent[e.ID] = true
			return "http://nowhere" + strconv.Itoa(i) + ".test/" + e.ID
		case i%20 == 7:
			wantSilent[e.ID] = true
			return fmt.Sprintf("http://r%d.test:%s/%s", i, breaks, e.ID)
		case i%4 == 0:
			return fmt.Sprintf("http://%s:%s/%d/%s", host, port, faults[i/4%len(faults)], e.ID)
		}
		return fmt.Sprintf("http://%s:%s/200/%s", host, port, e.ID)
	})
	cfg, _ := testConfig(t)
	cfg.Pace, cfg.Hosts = 10*time.Millisecond, 8
	var out bytes.Buffer
	began := time.Now()
	observations, err := LibraryRound{
		Dir: dir, Catalog: loadDir(t, dir), Journal: filepath.Join(t.TempDir(), "journal"), Progress: &out,
	}.Run(t.Context(), New(cfg))
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	checkRound(t, log, observations, len(loadDir(t, dir).Addresses()), wantSilent)
	checkFiles(t, dir, before, observations)
	if err := load.CheckReadings(loadDir(t, dir)); err != nil && strings.Contains(err.Error(), " http_status: ") {
		t.Errorf("a round leaves statuses that check refuses: %v", err)
	}

	busiest := slices.Max(slices.Collect(maps.Values(log.hosts)))
	if least := time.Duration(busiest-1) * cfg.Pace; took < least {
		t.Errorf("the round took %s, and the busiest host alone wants %s", took, least)
	}
	findings, addresses := 0, make(map[string]bool)
	for _, o := range observations {
		if o.Kind != "" {
			findings++
		}
		addresses[o.URL] = true
		if !strings.Contains(out.String(), o.URL+" "+o.Detail) {
			t.Errorf("%s: %q is not shown", o.URL, o.Detail)
		}
	}
	if n := strings.Count(out.String(), "\n"); n != len(addresses) {
		t.Errorf("%d lines for %d addresses:\n%s", n, len(addresses), out.String())
	}
	t.Logf("%d links, %d findings, %d requests, the busiest host %d, %s", len(observations), findings, total(log.hosts), busiest, took.Round(time.Millisecond))
}

func total(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

// checkRound holds that every status is one that was served for that link, and none was invented.
func checkRound(t *testing.T, log *served, observations []Observation, addresses int, silent map[string]bool) {
	t.Helper()
	if len(observations) != addresses {
		t.Errorf("%d observations of %d addresses", len(observations), addresses)
	}
	for _, o := range observations {
		if silent[path.Base(o.URL)] {
			if o.Answered() || o.Status != 0 || !o.Broken() {
				t.Errorf("%s never answered, and a status of %d is reported (kind %q)", o.URL, o.Status, o.Kind)
			}
			continue
		}
		key := strings.TrimPrefix(o.FinalURL(), "http://")
		if want := log.status[key]; o.Status != want || want == 0 {
			t.Errorf("%s: status %d reported, %d served", o.URL, o.Status, want)
		}
	}
}

// checkFiles holds that the files have what was observed, in canonical form, and nothing else changed.
func checkFiles(t *testing.T, dir string, before map[string]catalog.Entry, observations []Observation) {
	t.Helper()
	after := loadDir(t, dir) // which refuses bytes that are not canonical
	for _, o := range observations {
		want, ok := before[o.ID]
		if !ok {
			continue // other records have no status
		}
		if o.Answered() {
			want.HTTPStatus, want.LastChecked = o.Status, catalog.DateOf(o.CheckedAt)
		}
		got, _ := after.Entry(o.ID)
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", o.ID, diff)
		}
	}
	if d := after.LinkDocument(); d.CheckedAt == nil || d.Links != len(observations) || d.Count != len(Report(observations, time.Now()).Findings) {
		t.Errorf("the report the mirror reads is %+v", d)
	}
}

// A round that is broken off goes on where it stopped, and asks nothing twice.
func TestInterruptedRoundGoesOn(t *testing.T) {
	var mu sync.Mutex
	asked := make(map[string]int)
	ctx, stop := context.WithCancel(t.Context())
	port := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if asked[r.Host+r.URL.Path]++; len(asked) == 60 {
			stop()
		}
	}))
	dir, before := standIn(t, func(i int, e *catalog.Entry) string {
		return fmt.Sprintf("http://h%d.test:%s/%s", i%10, port, e.ID)
	})
	journal := filepath.Join(t.TempDir(), "journal")
	cfg, _ := testConfig(t)
	cfg.Hosts = 3
	round := LibraryRound{Dir: dir, Catalog: loadDir(t, dir), Journal: journal, Progress: io.Discard}
	first, err := round.Run(ctx, New(cfg))
	addresses := len(loadDir(t, dir).Addresses())
	if err == nil || len(first) == 0 || len(first) >= addresses {
		t.Fatalf("the first run saw %d of %d links, error %v", len(first), addresses, err)
	}
	// A crash in the middle of a line does no harm.
	f, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, `{"id":"cut`)
	f.Close()

	mu.Lock()
	earlier := maps.Clone(asked)
	mu.Unlock()
	all, err := round.Run(t.Context(), New(cfg))
	if err != nil || len(all) != addresses {
		t.Fatalf("the second run ended with %d of %d links, error %v", len(all), addresses, err)
	}
	for _, o := range first {
		key := strings.TrimPrefix(o.URL, "http://")
		if asked[key] != earlier[key] {
			t.Errorf("%s was asked again", o.URL)
		}
	}
	if _, err := os.Stat(journal); err == nil {
		t.Error("the journal of a finished round is still there")
	}
	checkFiles(t, dir, before, all)
}

func TestRecordRefusesAClockThatIsBehind(t *testing.T) {
	dir, before := standIn(t, func(i int, e *catalog.Entry) string { return fmt.Sprintf("http://h%d.test/%s", i, e.ID) })
	for _, e := range before {
		err := recordStatus(dir, &e, Observation{ID: e.ID, URL: e.URL, Status: 200, CheckedAt: time.Unix(0, 0)})
		if err == nil || !strings.Contains(err.Error(), "correct the clock") {
			t.Errorf("error %v", err)
		}
		break
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"120": 2 * time.Minute, "Sat, 21 Nov 2026 10:00:30 GMT": 30 * time.Second, "": -1, "soon": -1, "-5": -1, "99999999999": -1,
	} {
		at, ok := retryAfter(value, now)
		if ok != (want >= 0) || ok && at.Sub(now) != want {
			t.Errorf("%q: %s, %t", value, at, ok)
		}
	}
}
