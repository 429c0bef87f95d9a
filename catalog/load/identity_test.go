package load

import (
	"errors"
	"strings"
	"testing"

	"go.almanac.example/catalog/catalogtest"
)

// TestComparedProtocols: the protocols are those that site.json compares, each with its file and none beside.
func TestComparedProtocols(t *testing.T) {
	fewer := replace(t, siteFile, `    "nwc",`+"\n", "")
	want := `id: "nwc" is not a protocol of the facts document; site.json names l402, bolt12, bip21, x402`
	_, err := Load(catalogtest.Files(t, fixturesDir, map[string][]byte{siteFile: fewer}), catalogtest.Options)
	var faults Faults
	if !errors.As(err, &faults) || !reported(faults, "protocols/nwc.json", want) {
		t.Errorf("with a protocol that is not compared: %v; want %s", err, want)
	}
	// Without its file the same list is whole: what is still at fault are references to it.
	_, err = Load(catalogtest.Files(t, fixturesDir, map[string][]byte{siteFile: fewer, "protocols/nwc.json": nil}), catalogtest.Options)
	if err != nil && (strings.Contains(err.Error(), "facts document") || strings.Contains(err.Error(), siteFile+":")) {
		t.Errorf("eight compared protocols: %v", err)
	}
}
