package httpmirror

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
)

const mqttFile = "library/iot/mqtt-5.json"

// mirrorOf returns the mirror of the curated files, some of them with a text replaced (file, old, new), as a program
// publishes it that nobody told a time.
func mirrorOf(t *testing.T, edits ...[3]string) *Mirror {
	t.Helper()
	if len(edits) == 0 {
		unedited.Do(func() { unedited.mirror = loadMirror(t) })
		return unedited.mirror
	}
	return loadMirror(t, edits...)
}

// unedited is the mirror of the curated files as they are, which is built once.
var unedited struct {
	sync.Once
	mirror *Mirror
}

func loadMirror(t *testing.T, edits ...[3]string) *Mirror {
	t.Helper()
	files := catalogtest.Files(t, "../fixtures", nil)
	for _, e := range edits {
		data := files[e[0]].Data
		if !bytes.Contains(data, []byte(e[1])) {
			t.Fatalf("%s does not contain %q", e[0], e[1])
		}
		files[e[0]].Data = bytes.ReplaceAll(data, []byte(e[1]), []byte(e[2]))
	}
	c, err := load.Load(files, catalog.Options{Site: catalog.DefaultSite, Payments: catalog.PaymentsLive})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(c, Options{Contact: "mailto:security@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// differing returns the paths of the files that two mirrors do not have in common, byte for byte.
func differing(x, y *Mirror) []string {
	paths := []string{}
	for f := range x.Files() {
		if g, ok := y.File(f.Path); !ok || !bytes.Equal(f.Body, g.Body) {
			paths = append(paths, f.Path)
		}
	}
	for f := range y.Files() {
		if _, ok := x.File(f.Path); !ok {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// TestSameDataSameBytes: the files are a function of the data. Two processes, a restart and a reload publish the same
// bytes, and so the same entity tags and the same manifest.
func TestSameDataSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	if diff := cmp.Diff([]string{}, differing(mirrorOf(t), loadMirror(t))); diff != "" {
		t.Errorf("files that differ between two loads of the same data (-want +got):\n%s", diff)
	}
}

// TestOneEditFewFiles: an edited entry changes the files that show it, and no other. They are its own, those of its category and its
// tags, and the datasets of the library with what states their hashes. A process is held to the same list (e2e).
func TestOneEditFewFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	shows, err := os.ReadFile("testdata/one-edit.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := differing(mirrorOf(t), mirrorOf(t, [3]string{mqttFile, "light publish-subscribe messaging", "lean publish-subscribe messaging"}))
	slices.Sort(got)
	if diff := cmp.Diff(strings.Fields(string(shows)), got); diff != "" {
		t.Errorf("files that an edited summary changed (-want +got):\n%s", diff)
	}
}

// TestGeneratedAtFromTheData: a document carries the newest day of what it shows, and an edit of a record leaves the
// others as they were.
func TestGeneratedAtFromTheData(t *testing.T) {
	const edited, day = "mqtt-5", "2027-12-01"
	before, m := mirrorOf(t), mirrorOf(t, [3]string{mqttFile, `"verified_at": "2026-12-01"`, `"verified_at": "` + day + `"`})
	for _, path := range []string{catalog.EntryJSONPath(edited), catalog.CategoryJSONPath("iot"), catalog.TagJSONPath("interop"),
		catalog.ChangesIndexJSONPath, catalog.ChangesJSONPath(day), catalog.DatasetCardPath("library")} {
		if got := decodeFile(t, m, path)["generated_at"]; got != day+"T00:00:00Z" {
			t.Errorf("%s: generated_at is %v, want %s", path, got, day)
		}
	}
	for _, path := range []string{catalog.EntryJSONPath("iana-well-known-uris"), catalog.CategoryJSONPath("payments"), catalog.TagJSONPath("llms-txt"),
		catalog.ProtocolsJSONPath, catalog.ProtocolJSONPath("acp"), catalog.DatasetCardPath("payment-networks")} {
		if got, want := decodeFile(t, m, path)["generated_at"], decodeFile(t, before, path)["generated_at"]; got != want {
			t.Errorf("%s: generated_at is %v, want %v", path, got, want)
		}
	}
	e, _ := m.cat.Entry("iana-well-known-uris")
	page, _ := m.File(catalog.EntryPath(e.ID))
	if want := `Updated <time datetime="` + string(m.cat.EntryDay(e)) + `">`; !strings.Contains(string(page.Body), want) {
		t.Errorf("the footer of %s does not have %s", page.Path, want)
	}
}

// TestConditionalByDay: what is dated to the day may have changed again on that day, so that only a date after its end, and
// always an entity tag, spares the client the bytes. Once the day has ended, the date that clients are told spares them too:
// feed readers and crawlers send it back as it is (FreshRSS/FreshRSS#6056).
func TestConditionalByDay(t *testing.T) {
	m := mirrorOf(t)
	ended := smallMirror(t, func(o *catalog.Options) { o.GeneratedAt = time.Time{} })
	lasting := mirrorOf(t, [3]string{mqttFile, `"verified_at": "2026-12-01"`, `"verified_at": "2099-12-01"`})
	for m, want := range map[*Mirror]int{ended: http.StatusNotModified, lasting: http.StatusOK} {
		told := ask(t, m, "GET", catalog.AtomPath).Header.Get("Last-Modified")
		if res := ask(t, m, "GET", catalog.AtomPath, "If-Modified-Since", told); res.StatusCode != want {
			t.Errorf("data of %v: If-Modified-Since: %s is answered with %d, want %d", m.modified, told, res.StatusCode, want)
		}
	}
	f, _ := m.File(catalog.EntryJSONPath("mqtt-5"))
	for _, tc := range []struct {
		header, value string
		want          int
	}{
		{"If-Modified-Since", m.modified.Format(http.TimeFormat), http.StatusOK},
		{"If-Modified-Since", m.modified.AddDate(0, 0, 1).Format(http.TimeFormat), http.StatusNotModified},
		{"If-None-Match", f.Headers.ETag[0], http.StatusNotModified},
	} {
		r := httptest.NewRequest(http.MethodGet, f.Path, nil)
		r.Header.Set(tc.header, tc.value)
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		if w.Code != tc.want {
			t.Errorf("%s: %s is answered with %d, want %d", tc.header, tc.value, w.Code, tc.want)
		}
	}
	r := httptest.NewRequest(http.MethodGet, f.Path, nil)
	r.Header.Set("Range", "bytes=0-9")
	r.Header.Set("If-Range", m.modified.Format(http.TimeFormat))
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	if w.Code != http.StatusOK || w.Body.Len() != len(f.Body) {
		t.Errorf("a range of what may be another version is answered with %d and %d bytes, want the whole file", w.Code, w.Body.Len())
	}
}
