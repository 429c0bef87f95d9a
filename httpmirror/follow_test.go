package httpmirror

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/internal/parttest"
)

// A changingSite is a site whose data change while it is served.
type changingSite struct {
	t      *testing.T
	site   catalog.Site
	files  fstest.MapFS // of the catalogue as published
	mu     sync.Mutex
	mirror *Mirror
	asked  []string // status and path of each request since the last look
}

func newChangingSite(t *testing.T) *changingSite {
	s := &changingSite{t: t, files: catalogtest.Files(t, "../fixtures", nil)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.site = catalog.Site{Base: server.URL, API: server.URL, MCP: server.URL}
	s.publish(s.files)
	return s
}

func (s *changingSite) publish(files fstest.MapFS) {
	s.t.Helper()
	c, err := load.Load(files, catalog.Options{Site: s.site})
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := Build(c, Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files, s.mirror = files, m
}

// change publishes the data with some files changed, and the history of that.
func (s *changingSite) change(day catalog.Date, change map[string]func(old string) string) {
	s.t.Helper()
	files := make(fstest.MapFS)
	for path, f := range s.files {
		files[path] = &fstest.MapFile{Data: f.Data}
	}
	for path, edit := range change {
		var old string
		if f := files[path]; f != nil {
			old = string(f.Data)
		}
		now := edit(old)
		if now == old {
			s.t.Fatalf("%s has not changed", path)
		}
		files[path] = &fstest.MapFile{Data: []byte(now)}
	}
	before, err := load.PublishedVersion(s.files)
	if err != nil {
		s.t.Fatal(err)
	}
	after, err := load.PublishedVersion(files)
	if err != nil {
		s.t.Fatal(err)
	}
	lines, err := load.Record(before, after, day)
	if err != nil {
		s.t.Fatal(err)
	}
	files[load.HistoryFile(day)] = &fstest.MapFile{Data: lines}
	s.publish(files)
}

func (s *changingSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := httptest.NewRecorder()
	s.mirror.ServeHTTP(rec, r)
	s.asked = append(s.asked, http.StatusText(rec.Code)+" "+r.URL.Path)
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes())
}

// requests returns what was asked since the last look.
func (s *changingSite) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// documents returns what a copy holds when it is true: the document of every entry, protocol and article.
func (s *changingSite) documents() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]string)
	add := func(record, path string) {
		f, ok := s.mirror.File(path)
		if !ok {
			s.t.Fatalf("there is no %s", path)
		}
		all[record+".json"] = string(f.Body)
	}
	for _, e := range s.mirror.cat.Entries() {
		add(e.ID, catalog.EntryJSONPath(e.ID))
	}
	for _, p := range s.mirror.cat.Protocols().Protocols {
		add("protocol."+p.ID, catalog.ProtocolJSONPath(p.ID))
	}
	for _, a := range s.mirror.cat.Articles() {
		add("article."+a.ID, catalog.ArticleJSONPath(a.ID))
	}
	return all
}

var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// TestFollowArticle: the client of the article "Staying in step with the catalogue" ends with a copy that is equal byte for
// byte after every kind of change, fetches no more than what changed, and asks once, with 304 for an answer, when nothing has.
func TestFollowArticle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	python := parttest.Everyday(t, "python3")
	s := newChangingSite(t)
	a, _ := s.mirror.cat.Article("staying-in-step-with-the-catalogue")
	code := pythonBlock.FindStringSubmatch(a.Body)[1]
	if n := strings.Count(code, "\n"); n > 30 {
		t.Errorf("the client has %d lines, and the article says thirty", n)
	}
	folder := t.TempDir()
	follow := func(extra string) (changed []string) {
		t.Helper()
		cmd := exec.Command(python, "-", s.site.Base, folder)
		cmd.Stdin = strings.NewReader(code + extra + "\nimport sys\nprint(json.dumps(follow(sys.argv[1], pathlib.Path(sys.argv[2]))))\n")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			if extra != "" {
				return nil
			}
			t.Fatalf("%v\n%s", err, stderr.Bytes())
		}
		if err := json.Unmarshal(out, &changed); err != nil {
			t.Fatal(err)
		}
		return changed
	}
	copied := func() map[string]string {
		t.Helper()
		all := make(map[string]string)
		paths, _ := filepath.Glob(filepath.Join(folder, "*.json"))
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.Base(p)] = string(data)
		}
		return all
	}
	equal := func(when string) {
		t.Helper()
		if diff := cmp.Diff(s.documents(), copied()); diff != "" {
			t.Fatalf("%s, the copy differs (-published +copied):\n%s", when, diff)
		}
	}
	quiet := func() {
		t.Helper()
		s.requests()
		if changed := follow(""); len(changed) > 0 {
			t.Errorf("nothing happened, and it says that %v changed", changed)
		}
		if diff := cmp.Diff([]string{"Not Modified /api/history/index.json"}, s.requests()); diff != "" {
			t.Errorf("requests on a day on which nothing happened (-want +got):\n%s", diff)
		}
	}

	follow("")
	equal("after the first run")
	quiet()

	replace := func(old, new string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(s, old, new) }
	}
	s.change("2026-12-01", map[string]func(string) string{
		mqttFile: replace("light publish-subscribe messaging", "lean publish-subscribe messaging"),
		"library/iot/mqtt-6.json": func(string) string {
			return strings.NewReplacer("mqtt-5", "mqtt-6", "mqtt-v5.0-os.html", "mqtt-v6.0-os.html").Replace(string(s.files[mqttFile].Data))
		},
		"articles/" + a.ID + "/article.md":        replace("## One request a day", "## One request for each day"),
		"protocols/nwc.json":                      replace("NIP-47 is marked draft and optional.", "NIP-47 is marked draft."),
		"evidence/protocol.nwc.json":              replace(`"read_at": "2026-11-22"`, `"read_at": "2026-12-01"`),
		"datasets/payment-networks/README.md":     func(old string) string { return old + "\nAnd so on.\n" },
		"library/payments/ap2-specification.json": replace(`"verified_at": "`+string(verified(s, "ap2-specification"))+`"`, `"verified_at": "2026-12-01"`),
	})
	want := []string{"ap2-specification", "article:" + a.ID, "mqtt-5", "mqtt-6", "protocol:nwc"}
	if diff := cmp.Diff(want, follow("")); diff != "" {
		t.Errorf("records that changed (-want +got):\n%s", diff)
	}
	if asked := s.requests(); len(asked) != 2+len(want) { // the index and the day
		t.Errorf("%d requests for %d records: %v", len(asked), len(want), asked)
	}
	equal("after a day with changes")
	quiet()

	// Killed after the first of several documents, and more on the same day before the next run.
	edit := map[string]func(string) string{
		mqttFile:                         replace("lean publish-subscribe", "simple publish-subscribe"),
		"library/iot/rfc-7252-coap.json": replace("\"summary\": \"", "\"summary\": \"In short: "),
	}
	s.change("2026-12-01", edit)
	follow("\nimport os\nplain = replace\ndef replace(path, body):\n    plain(path, body)\n    os.kill(os.getpid(), 9)\n")
	s.change("2026-12-01", map[string]func(string) string{
		"protocols/l402.json":         replace("Formerly called LSAT", "Once called LSAT"),
		"evidence/protocol.l402.json": replace(`"read_at": "2026-11-22"`, `"read_at": "2026-12-01"`),
	})
	if diff := cmp.Diff([]string{"mqtt-5", "protocol:l402", "rfc-7252-coap"}, follow("")); diff != "" {
		t.Errorf("after a kill (-want +got):\n%s", diff)
	}
	equal("after a kill")
	quiet()
}

func verified(s *changingSite, id string) catalog.Date {
	e, _ := s.mirror.cat.Entry(id)
	return e.VerifiedAt
}
