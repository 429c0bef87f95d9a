package index

import (
	"os"
	"sync"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/load"
	"almanac/wirejson"
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
	t.Cleanup(func() { x.Close() })
	return x
}

// encode returns the JSON of a value.
func encode(v any) []byte { return wirejson.Must(wirejson.Compact(v)) }
