package httpmirror

import (
	"encoding/json"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boombuler/barcode/qr"

	"go.almanac.example/internal/parttest"
)

// The script of the search page draws an invoice as another encoder does, under the mask that
// that one chose; the mask that the script chooses is one of the eight.
func TestQRScript(t *testing.T) {
	node := parttest.Program(t, "node", "setup-mirror.sh")
	f, _ := smallMirror(t).File("/static/qr.js")
	script := filepath.Join(t.TempDir(), "qr.mjs")
	if err := os.WriteFile(script, f.Body, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"L402", "LIGHTNING:LNBCRT1U1P4S9SX4PP5NC0S25HJULTAS6TNAZML02EHK", "LIGHTNING:LNBC" + strings.Repeat("1U1P4S9SX4PP5NC0S25HJ", 16), "LNBC" + strings.Repeat("0123456789ABCDEF", 40) + "Z", "https://almanac.example/#l402=" + strings.Repeat("aZ_-09", 5), "https://almanac.example/search/#l402=" + strings.Repeat("aZ_-09:", 60)} {
		out, err := exec.Command(node, "testdata/qr.mjs", script, text).Output()
		if err != nil {
			t.Fatalf("qr.mjs: %v", err)
		}
		var pictures []string
		if err := json.Unmarshal(out, &pictures); err != nil {
			t.Fatal(err)
		}
		mode := qr.AlphaNumeric
		if strings.Contains(text, "#") { // outside of that mode's set
			mode = qr.Unicode
		}
		code, err := qr.Encode(text, qr.L, mode)
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for y := range code.Bounds().Dy() {
			if y > 0 {
				want.WriteByte('\n')
			}
			for x := range code.Bounds().Dx() {
				want.WriteByte("#."[b2i(code.At(x, y) != color.Black)])
			}
		}
		if !slices.Contains(pictures[:8], want.String()) {
			t.Errorf("%d characters: no mask gives the picture of the other encoder", len(text))
		}
		if !slices.Contains(pictures[:8], pictures[8]) {
			t.Errorf("%d characters: the chosen picture has none of the masks", len(text))
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
