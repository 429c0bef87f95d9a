package html

import (
	"context"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
	"go.almanac.example/httpmirror/phrase"
)

// A timeline has a mark for each event in both drawings, in the order of their dates, and each is in the list beside it, with its
// date, its source and what superseded it.
func TestTimeline(t *testing.T) {
	c, err := load.Load(fixtures.FS, catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	line := newTimeline(c.Profiles())
	var list strings.Builder
	if err := timelineList(line.Events, true).Render(context.Background(), &list); err != nil {
		t.Fatal(err)
	}
	said := words(t, list.String())
	events := 0
	for _, p := range c.Profiles() {
		for _, e := range p.Events {
			events++
			parts := []string{phrase.LongDay(e.Date) + " " + shortName(p.ID, p.Name) + " " + e.Version + " : " + e.Text}
			if e.SupersededBy != nil {
				parts = append(parts, "superseded by "+*e.SupersededBy)
			}
			for _, part := range parts {
				if !strings.Contains(said, part) {
					t.Errorf("the list lacks %q", part)
				}
			}
			if !strings.Contains(list.String(), `href="`+e.Source+`"`) {
				t.Errorf("the list lacks %s", e.Source)
			}
		}
	}
	for name, drawn := range map[string]string{"wide": line.Wide, "narrow": line.Narrow} {
		if n := strings.Count(drawn, "<circle"); n != events {
			t.Errorf("the %s drawing has %d marks for %d events", name, n, events)
		}
	}
	a := newAxis(line.Events)
	for i, e := range line.Events[1:] {
		if a.position(e.Date, 0) > a.position(line.Events[i].Date, 0) {
			t.Errorf("%s is to the right of %s", e.Date, line.Events[i].Date)
		}
	}
}
