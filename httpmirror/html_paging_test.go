package httpmirror

import (
	"fmt"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/paging"
)

// TestPagedLists holds that a long list goes on over several pages and loses nothing.
func TestPagedLists(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	m := pagedMirror(t)
	c := m.cat
	pages := parseFiles(t, m.filesExcept(append([]string{catalog.CalendarPath}, repeated...)...)) // whose links lead into pages of entries
	for _, k := range c.Categories() {
		count := (k.Count + paging.Size - 1) / paging.Size
		listed := make(map[string]int)
		for n := range count {
			path := catalog.CategoryPath(k.ID)
			if n > 0 {
				path = fmt.Sprintf("%s%d/", path, n+1)
			}
			p := pages[path]
			if p == nil {
				t.Fatalf("%s has %d entries, and %s is missing", k.ID, k.Count, path)
			}
			for _, link := range p.links {
				if strings.HasPrefix(link, "/library/entry/") {
					listed[link]++
				}
			}
			if got, want := len(p.rel["prev"])+len(p.rel["next"]), min(n, 1)+min(count-1-n, 1); got != want {
				t.Errorf("%s has %d neighbours in its head, want %d", path, got, want)
			}
		}
		if len(listed) != k.Count {
			t.Errorf("%s: %d entries are listed, want %d", k.ID, len(listed), k.Count)
		}
		if past := fmt.Sprintf("%s%d/", catalog.CategoryPath(k.ID), count+1); pages[past] != nil {
			t.Errorf("%s is beyond the end", past)
		}
	}
	checkLinks(t, m, pages)
}

// TestPagedDays holds that a long day of the change feed goes on over several pages, each short and leading to the others, which together
// list what its JSON document lists as one.
func TestPagedDays(t *testing.T) {
	m := realMirror(t)
	pages := parsedPages(t, m)
	long := 0
	for _, day := range m.cat.ChangeDays() {
		doc := m.cat.Changes(day)
		_, others, part := m.renderer.day(string(day))
		listed := make(map[string]int)
		for n := 1; n <= part.Count; n++ {
			path := catalog.ChangesPath(catalog.Date(part.ID(n)))
			p := pages[path]
			if p == nil {
				t.Fatalf("%s is missing", path)
			}
			on := 0
			for _, link := range p.links {
				if strings.HasPrefix(link, "/library/entry/") {
					listed[link]++
					on++
				}
			}
			if on > paging.DaySize {
				t.Errorf("%s lists %d entries, want at most %d", path, on, paging.DaySize)
			}
			if got, want := len(p.rel["prev"])+len(p.rel["next"]), min(n-1, 1)+min(part.Count-n, 1); got != want {
				t.Errorf("%s has %d neighbours in its head, want %d", path, got, want)
			}
		}
		if want := doc.Count - len(others); len(listed) != want {
			t.Errorf("%s: the pages list %d entries, want %d", day, len(listed), want)
		}
		long = max(long, part.Count)
	}
	if long < 2 {
		t.Error("no day has more than one page")
	}
}
