package httpmirror

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
)

// An atomDocument is what a reader of archived feeds reads (RFC 4287, RFC 5005).
type atomDocument struct {
	Archive *struct{} `xml:"http://purl.org/syndication/history/1.0 archive"`
	Links   []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"http://www.w3.org/2005/Atom link"`
	Entries []struct {
		ID      string `xml:"id"`
		Summary string `xml:"summary"`
	} `xml:"http://www.w3.org/2005/Atom entry"`
}

func (d *atomDocument) link(rel string) string {
	for _, l := range d.Links {
		if l.Rel == rel {
			return strings.TrimPrefix(l.Href, catalog.DefaultSite.Base)
		}
	}
	return ""
}

// readAtom follows a feed to its first archive, and returns the ids of its events with their texts.
func readAtom(t *testing.T, m *Mirror, path string) (ids []string, texts map[string]string) {
	t.Helper()
	texts = make(map[string]string)
	newer := ""
	for at := path; at != ""; {
		f, ok := m.File(at)
		if !ok {
			t.Fatalf("there is no %s", at)
		}
		var d atomDocument
		if err := xml.Unmarshal(f.Body, &d); err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		if archive := at != path; archive != (d.Archive != nil) || archive && d.link("current") != path || d.link("next-archive") != newer {
			t.Errorf("%s: archive %v, current %q, next-archive %q; want %q after it", at, d.Archive != nil, d.link("current"), d.link("next-archive"), newer)
		}
		for _, e := range d.Entries {
			ids = append(ids, e.ID)
			texts[e.ID] = e.Summary
		}
		if at != path {
			newer = at
		}
		at = d.link("prev-archive")
	}
	return ids, texts
}

// readJSONFeed does the same with a JSON Feed.
func readJSONFeed(t *testing.T, m *Mirror, path string) (ids []string, texts map[string]string) {
	t.Helper()
	texts = make(map[string]string)
	for path != "" {
		f, ok := m.File(path)
		if !ok {
			t.Fatalf("there is no %s", path)
		}
		var d struct {
			Next  string `json:"next_url"`
			Items []struct {
				ID   string
				Text string `json:"content_text"`
			}
		}
		if err := json.Unmarshal(f.Body, &d); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, i := range d.Items {
			ids = append(ids, i.ID)
			texts[i.ID] = i.Text
		}
		path = strings.TrimPrefix(d.Next, catalog.DefaultSite.Base)
	}
	return ids, texts
}

// TestFeedsHaveTheHistory: the feed of the whole has every event of the history, in both forms; each record that changed is in
// the Markdown of its day; and every fact of a protocol is named in the feed of the protocol.
func TestFeedsHaveTheHistory(t *testing.T) {
	m := mirrorOf(t)
	var want []string // day and anchor of each event
	for _, day := range m.cat.HistoryDays() {
		page, _ := m.File(catalog.MarkdownPath(catalog.HistoryDayPath(day)))
		events := m.cat.History(day).Events
		for i := range events {
			anchor := events[len(events)-1-i].Anchor
			want = append(want, string(day)+" "+anchor)
			if record := events[i].Record; !strings.Contains(string(page.Body), "Record: `"+record+"`") {
				t.Errorf("%s does not have %s", page.Path, record)
			}
		}
	}
	atom, _ := readAtom(t, m, catalog.AtomPath)
	feed, _ := readJSONFeed(t, m, catalog.JSONFeedPath)
	if diff := cmp.Diff(atom, feed); diff != "" {
		t.Errorf("ids of Atom (-) and JSON Feed (+):\n%s", diff)
	}
	events := make(map[string]bool)
	for _, id := range atom {
		events[id] = true
	}
	if len(atom) != len(want) || len(events) != len(want) {
		t.Errorf("%d ids, %d of them different, of %d events", len(atom), len(events), len(want))
	}
	for _, p := range m.cat.Protocols().Protocols {
		_, inAtom := readAtom(t, m, catalog.ProtocolAtomPath(p.ID))
		_, inJSON := readJSONFeed(t, m, catalog.ProtocolJSONFeedPath(p.ID))
		for _, f := range p.Facts() {
			if f.VerifiedAt == "" {
				continue // the cited pages do not state it
			}
			for form, texts := range map[string]map[string]string{"Atom": inAtom, "JSON Feed": inJSON} {
				if !strings.Contains(fmt.Sprint(texts), f.Label) {
					t.Errorf("%s: the fact %s is not in the feed as %s", p.ID, f.Name, form)
				}
			}
		}
	}
	for _, tag := range m.cat.Tags() {
		for _, at := range []string{catalog.TagAtomPath(tag.ID), catalog.TagJSONFeedPath(tag.ID)} {
			if _, ok := m.File(at); !ok {
				t.Errorf("there is no %s", at)
			}
		}
	}
}

// TestFeedsPage: a history longer than a document of a feed is read to its end by following links.
func TestFeedsPage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	const n = 2*catalog.FeedSize + 7
	var lines strings.Builder
	for i := range n {
		old := fmt.Sprintf(`"version %d"`, i-1)
		if i == 0 {
			old = "null"
		}
		change := map[bool]string{true: "added", false: "edited"}[i == 0]
		fmt.Fprintf(&lines, `{"record":"mqtt-5","change":%q,"members":[{"name":"summary","old":%s,"new":"version %d"}]}`+"\n", change, old, i)
	}
	files := catalogtest.Files(t, "../fixtures", nil)
	maps.DeleteFunc(files, func(path string, _ *fstest.MapFile) bool { return strings.HasPrefix(path, "history/") })
	files["history/2026-11-21.jsonl"] = &fstest.MapFile{Data: []byte(lines.String())}
	c, err := load.Load(files, catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{catalog.AtomPath, catalog.TagAtomPath("iot")} {
		if ids, _ := readAtom(t, m, path); len(ids) != n {
			t.Errorf("%s leads to %d events, want %d", path, len(ids), n)
		}
	}
	for _, path := range []string{catalog.JSONFeedPath, catalog.TagJSONFeedPath("iot")} {
		if ids, _ := readJSONFeed(t, m, path); len(ids) != n {
			t.Errorf("%s leads to %d events, want %d", path, len(ids), n)
		}
	}
	if _, ok := m.File(catalog.ArchiveJSONPath("tag-iot-2")); !ok {
		t.Error("there is no second archive")
	}
	describe(t, m)
}

// TestFeedIDs: the ids of feeds and of their events are URNs, and the same at every address of a site.
func TestFeedIDs(t *testing.T) {
	at := func(base string) *Mirror {
		return smallMirror(t, func(o *catalog.Options) { o.Site = catalog.Site{Base: base, API: base, MCP: base} })
	}
	one, other := at("https://one.example"), at("https://other.example")
	ids := func(m *Mirror, path string) (ids []string) {
		var d struct {
			ID      string `xml:"id"`
			Entries []struct {
				ID string `xml:"id"`
			} `xml:"entry"`
		}
		f, _ := m.File(path)
		if err := xml.Unmarshal(f.Body, &d); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID)
		for _, e := range d.Entries {
			ids = append(ids, e.ID)
		}
		return ids
	}
	want := ids(one, catalog.AtomPath)
	for _, id := range want {
		if _, err := uuid.Parse(id); err != nil || !strings.HasPrefix(id, "urn:uuid:") {
			t.Errorf("the id %q is not a URN: %v", id, err)
		}
	}
	if diff := cmp.Diff(want, ids(other, catalog.AtomPath)); diff != "" {
		t.Errorf("another address, other ids (-one +other):\n%s", diff)
	}
	for _, m := range []*Mirror{one, other} {
		if items, _ := readJSONFeed(t, m, catalog.JSONFeedPath); !slices.Equal(items, want[1:]) {
			t.Errorf("JSON Feed has the ids %v, want %v", items, want[1:])
		}
	}
}
