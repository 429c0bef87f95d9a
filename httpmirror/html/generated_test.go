package html

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The generated Go is what templ generates from the markup.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	sources, err := filepath.Glob("*.templ")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no markup: %v", err)
	}
	for _, source := range sources {
		want, err := exec.Command("go", "tool", "templ", "generate", "-f", source, "-stdout").Output()
		if err != nil {
			t.Fatalf("templ generate -f %s: %v", source, err)
		}
		generated := strings.TrimSuffix(source, ".templ") + "_templ.go"
		got, err := os.ReadFile(generated)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not current; run go generate ./httpmirror/html (-templ +file):\n%.1000s", generated, diff)
		}
	}
}
