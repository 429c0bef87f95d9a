package load

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/catalog/catalogtest"
	"almanac/parttest"
)

// A reload has the records of the files as they are now, and shares those of unchanged files with the catalogue before.
func TestReloadSharesWhatIsUnchanged(t *testing.T) {
	library := catalogtest.NewLibrary(t, fixturesDir, parttest.TempDir(t), 600)
	files := os.DirFS(library.Dir)
	before, err := Load(files, catalogtest.Options)
	if err != nil {
		t.Fatal(err)
	}
	changed := library.Edit(t, 50)
	if changed < 2 {
		t.Fatalf("%d entries are edited, want a few", changed)
	}
	after, err := Reload(before, files, catalogtest.Options)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := Load(files, catalogtest.Options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entriesOf(fresh), entriesOf(after)); diff != "" {
		t.Errorf("a reload and a start differ (-start +reload):\n%s", diff)
	}
	own := 0
	for _, e := range after.Entries() {
		if was, ok := before.Entry(e.ID); !ok || was != e {
			own++
		}
	}
	if own != changed {
		t.Errorf("%d entries have records of their own after %d were edited", own, changed)
	}
	for _, id := range before.EvidenceIDs() {
		was, _ := before.Evidence(id)
		if now, ok := after.Evidence(id); !ok || now != was {
			t.Errorf("the evidence for %s is not shared", id)
		}
	}
}

// What is wrong with a file is found by a reload as by a start.
func TestReloadIsStrict(t *testing.T) {
	before, err := Load(catalogtest.Files(t, fixturesDir, nil), catalogtest.Options)
	if err != nil {
		t.Fatal(err)
	}
	broken := catalogtest.Files(t, fixturesDir, map[string][]byte{
		"library/iot/mqtt-5.json": []byte("{}\n"), "library/bitcoin-lightning/lnd.json": nil,
	})
	_, want := Load(broken, catalogtest.Options)
	_, got := Reload(before, broken, catalogtest.Options)
	if want == nil || got == nil {
		t.Fatalf("start: %v, reload: %v", want, got)
	}
	if diff := cmp.Diff(want.Error(), got.Error()); diff != "" {
		t.Errorf("(-start +reload):\n%s", diff)
	}
}

func entriesOf(c *catalog.Catalog) map[string]catalog.Entry {
	all := make(map[string]catalog.Entry)
	for _, e := range c.Entries() {
		all[e.ID] = *e
	}
	return all
}
