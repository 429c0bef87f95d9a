package httpmirror

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"go.almanac.example/catalog"
)

// readAtom returns the ids of the events of a feed, with their texts.
func readAtom(t *testing.T, m *Mirror, path string) (ids []string, texts map[string]string) {
	t.Helper()
	f, ok := m.File(path)
	if !ok {
		t.Fatalf("there is no %s", path)
	}
	var d struct {
		Entries []struct {
			ID      string `xml:"id"`
			Summary string `xml:"summary"`
		} `xml:"http://www.w3.org/2005/Atom entry"`
	}
	if err := xml.Unmarshal(f.Body, &d); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	texts = make(map[string]string)
	for _, e := range d.Entries {
		ids = append(ids, e.ID)
		texts[e.ID] = e.Summary
	}
	return ids, texts
}

// readJSONFeed does the same with a JSON Feed.
func readJSONFeed(t *testing.T, m *Mirror, path string) (ids []string, texts map[string]string) {
	t.Helper()
	f, ok := m.File(path)
	if !ok {
		t.Fatalf("there is no %s", path)
	}
	var d struct {
		Items []struct {
			ID   string
			Text string `json:"content_text"`
		}
	}
	if err := json.Unmarshal(f.Body, &d); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	texts = make(map[string]string)
	for _, i := range d.Items {
		ids = append(ids, i.ID)
		texts[i.ID] = i.Text
	}
	return ids, texts
}

// TestFeedsHaveTheHistory: the feed of the whole has the newest events of the history, in both forms; each record that changed is in
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
	if n := min(len(want), catalog.FeedSize); len(atom) != n || len(events) != n {
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

// TestNewestNewsFirst: the home page and the page of the news begin with the same items, newest first.
func TestNewestNewsFirst(t *testing.T) {
	m := realMirror(t)
	for path, before := range map[string]string{catalog.HomePath: `href="` + catalog.NewsPath + "#", catalog.NewsPath: `<article id="`} {
		f, _ := m.File(path)
		rest := string(f.Body)
		for _, n := range m.cat.News()[:4] {
			_, rest, _ = strings.Cut(rest, before)
			if !strings.HasPrefix(rest, "news-"+n.ID+`"`) {
				t.Errorf("%s: where %s should be stands %.60s", path, n.ID, rest)
			}
		}
	}
}
