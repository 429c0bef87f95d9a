package client_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImportable: whoever imports the package, or a wallet, gets nothing of this module but the buyer.
func TestImportable(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{if .Module}}{{.Module.Path}}{{end}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(path, "almanac") && path != "almanac/l402/client" && !strings.HasPrefix(path, "almanac/l402/client/") {
			t.Errorf("the buyer brings %s along", path)
		}
		modules[module] = true
	}
	// What would tell that a part of the service has crept in.
	for _, foreign := range []string{"github.com/blevesearch/bleve/v2", "github.com/jackc/pgx/v5", "github.com/prometheus/client_golang", "github.com/yuin/goldmark", "github.com/peterbourgon/ff/v3"} {
		if modules[foreign] {
			t.Errorf("the buyer brings %s along", foreign)
		}
	}
}
