package load

import (
	"errors"
	"os"
	"testing"

	"almanac/catalog"
	"almanac/catalog/catalogtest"
)

// A rewrite returns the canonical bytes of files that only lack the form, and leaves alone those that are wrong.
func TestRewrite(t *testing.T) {
	files, err := Rewrite(os.DirFS(fixturesDir))
	if err != nil || len(files) != 0 {
		t.Fatalf("the fixtures would be rewritten: %d files, %v", len(files), err)
	}
	spaced := replace(t, mqtt, `"authors":`, `"authors"   :`)
	wrong := replace(t, bolt12, `"title":`, `"titel":`)
	twice := replace(t, bolt11, `"authors":`, `"authors": [],`+"\n"+`  "authors":`)
	files, err = Rewrite(catalogtest.Files(t, fixturesDir, map[string][]byte{mqtt: spaced, bolt12: wrong, bolt11: twice}))
	var faults Faults
	if !errors.As(err, &faults) || !reported(faults, bolt12, `"titel" is unknown`) || !reported(faults, bolt11, "occurs twice") {
		t.Errorf("faults: %v", err)
	}
	if len(files) != 1 || string(files[mqtt]) != string(content(t, mqtt, "", "")) {
		t.Errorf("%d files are rewritten; %s as\n%s", len(files), mqtt, files[mqtt])
	}
}

// An edit keeps the rest of the file as it is, and does not touch a file that has faults.
func TestEditEntry(t *testing.T) {
	data := content(t, mqtt, "", "")
	edited, err := EditEntry(mqtt, data, func(e *catalog.Entry) { e.HTTPStatus = 200 })
	if want := replace(t, mqtt, `"http_status": 0`, `"http_status": 200`); err != nil || string(edited) != string(want) {
		t.Errorf("%v\n%s", err, edited)
	}
	if _, err := EditEntry(mqtt, append(data, ' '), func(*catalog.Entry) {}); err == nil {
		t.Error("a file with a fault is edited")
	}
}
