package load

import (
	"os"
	"sync"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
)

const fixturesDir = "../../fixtures"

var loadFixtures = sync.OnceValues(func() (*catalog.Catalog, error) {
	return Load(os.DirFS(fixturesDir), catalogtest.Options)
})

// realCatalog returns the catalog of the real fixtures.
func realCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := loadFixtures()
	if err != nil {
		t.Fatalf("the fixtures do not load:\n%v", err)
	}
	return c
}
