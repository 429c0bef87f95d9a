package load

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
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
func TestEdit(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "entry.json")
	data := content(t, mqtt, "", "")
	for _, tt := range []struct {
		name        string
		data, want  []byte
		write, fail bool
	}{
		{"edited", data, replace(t, mqtt, `"http_status": 0`, `"http_status": 200`), true, false},
		{"left", data, data, false, false},
		{"faulty", append(bytes.Clone(data), ' '), append(bytes.Clone(data), ' '), true, true},
	} {
		if err := os.WriteFile(name, tt.data, 0o600); err != nil {
			t.Fatal(err)
		}
		err := Edit(dir, "entry.json", func(e *catalog.Entry) bool { e.HTTPStatus = 200; return tt.write })
		if got, _ := os.ReadFile(name); (err != nil) != tt.fail || !bytes.Equal(got, tt.want) {
			t.Errorf("%s: %v\n%s", tt.name, err, got)
		}
	}
}
