package load

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
)

// TestQuestionsFollowTheirTexts: a question belongs to the text of its passage, on every site; the dataset has both. A
// question whose text was edited is named, with the passages that have none.
func TestQuestionsFollowTheirTexts(t *testing.T) {
	const path, text = "questions/library/lnd.json", "It listens at http://localhost:8402/x."
	o := catalog.Options{Site: catalog.DefaultSite}
	key := catalog.New(catalog.Records{}, o).PassageKey(text)
	fsys := catalogtest.Lean(t, fixturesDir, map[string][]byte{path: []byte(`{
  "record": "lnd",
  "questions": [],
  "passages": {
    "` + key + `": "where does lnd listen",
    "x": "who maintains lnd"
  }
}
`)})
	for p := range fsys {
		if strings.HasPrefix(p, "questions/") && p != path {
			delete(fsys, p)
		}
	}
	c, err := Load(fsys, o)
	if err != nil {
		t.Fatal(err)
	}
	other := catalogtest.Options
	moved := catalog.New(catalog.Records{}, other)
	if got := moved.PassageKey(strings.ReplaceAll(text, o.Site.Base, other.Site.Base)); got != key {
		t.Errorf("on another site the key is %s, not %s", got, key)
	}
	if got := c.PassageQuestion("lnd", text); got != "where does lnd listen" {
		t.Errorf("the passage answers %q", got)
	}
	d, _ := c.Dataset("questions")
	if rows := slices.Collect(d.Rows()); len(rows) != 2 || rows[0][0] != "where does lnd listen" || rows[0][5] != key {
		t.Errorf("the dataset has %v", rows)
	}
	all, open, err := CheckQuestions(c, func(record string) []string {
		if record != "lnd" {
			return nil
		}
		return []string{text, "Lightning Labs maintains it."}
	})
	var faults Faults
	if all != 2 || open != 1 || !errors.As(err, &faults) || len(faults) != 1 || !reported(faults, path, `passages[x]: no passage has this key`) {
		t.Fatalf("%d passages, %d open, %v", all, open, err)
	}
	for _, want := range []string{`"who maintains lnd"`, c.PassageKey("Lightning Labs maintains it.") + ` "Lightning Labs`} {
		if !strings.Contains(faults[0].Message, want) {
			t.Errorf("%s: no %s", faults[0].Message, want)
		}
	}
}
