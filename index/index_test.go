package index

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/internal/wirejson"
)

var publishedCatalog = sync.OnceValues(func() (*catalog.Catalog, error) {
	return load.Load(os.DirFS("../fixtures"), catalog.Options{
		Site: catalog.DefaultSite, GeneratedAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
	})
})

var publishedIndex = sync.OnceValues(func() (*Index, error) {
	c, err := publishedCatalog()
	if err != nil {
		return nil, err
	}
	return New(c, Options{Timeout: time.Minute})
})

// realCatalog is the published data.
func realCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := publishedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// realIndex is the index of the published data, which all tests share.
func realIndex(t testing.TB) *Index {
	t.Helper()
	x, err := publishedIndex()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// freshIndex is another index of the published data.
func freshIndex(t testing.TB, o Options) *Index {
	t.Helper()
	x, err := New(realCatalog(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// encode returns the JSON of a value.
func encode(v any) []byte { return wirejson.Must(wirejson.Compact(v)) }

// A library's words are its own: another catalogue of the same process does not have them.
func TestWordsOfOneLibrary(t *testing.T) {
	newLibrary := func(lexicon string) *Index {
		t.Helper()
		e := &catalog.Entry{ID: "erithacus", Title: "Erithacus rubecula", URL: "https://birds.example/1", Category: "songbirds",
			Summary: "A small bird of gardens.", VerifiedAt: "2026-11-23"}
		x, err := New(catalog.New(catalog.Records{Entries: []*catalog.Entry{e}, Lexicon: lexicon,
			Categories: []catalog.CategoryRecord{{ID: "songbirds", Label: "Songbirds"}}}, catalogtest.Options), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	with := newLibrary("same robin = erithacus\nseries ring\n")
	for _, tt := range []struct {
		index *Index
		found int
	}{{with, 1}, {newLibrary(""), 0}, {newLibrary("same robin = erithacus"), 1}} {
		if got := ask(t, tt.index, Query{Text: "robin"}).Total; got != tt.found {
			t.Errorf("robin finds %d, want %d", got, tt.found)
		}
	}
	_, err := New(catalog.New(catalog.Records{Lexicon: "same robin\n"}, catalogtest.Options), Options{})
	if err == nil || !strings.Contains(err.Error(), `search/lexicon.txt: line 1: "robin" has one name`) {
		t.Errorf("a fault of the lexicon is reported as %v", err)
	}
}
