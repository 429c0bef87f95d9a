package catalog

import (
	"io/fs"
	"regexp"
	"testing"
)

// TestNamesOfEnds holds that the published documents call the end of an invoice expires_at, and that of a credential valid_until.
func TestNamesOfEnds(t *testing.T) {
	files, err := fs.Glob(schemaFiles, "schemas/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	member := regexp.MustCompile(`"(expires_at|valid_until)": \{ "description": "When ([a-z ]+?)( can no longer be paid| ends)\."`)
	named := regexp.MustCompile(`"(expires_at|valid_until)": \{`)
	found := 0
	for _, file := range files {
		b, err := fs.ReadFile(schemaFiles, file)
		if err != nil {
			t.Fatal(err)
		}
		members := member.FindAllSubmatch(b, -1)
		if n := len(named.FindAll(b, -1)); n != len(members) {
			t.Errorf("%s: %d of %d ends say what ends", file, len(members), n)
		}
		for _, m := range members {
			found++
			if want := map[string]string{"expires_at": "the invoice", "valid_until": "this credential"}[string(m[1])]; string(m[2]) != want {
				t.Errorf("%s: %s is the end of %s, want %s", file, m[1], m[2], want)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d ends, want those of challenge, balance and answer", found)
	}
}
