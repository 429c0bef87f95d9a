package html

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/boombuler/barcode/qr"
)

// TestQRPicture draws the path of a picture into a grid and compares it with the modules.
func TestQRPicture(t *testing.T) {
	const text = "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	svg, err := QR(text)
	if err != nil {
		t.Fatal(err)
	}
	var picture struct {
		ViewBox string `xml:"viewBox,attr"`
		Path    []struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}
	if err := xml.NewDecoder(bytes.NewReader(svg)).Decode(&picture); err != nil {
		t.Fatal(err)
	}
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		t.Fatal(err)
	}
	size := code.Bounds().Dx()
	if want := fmt.Sprintf("0 0 %d %[1]d", size+2*quietZone); picture.ViewBox != want {
		t.Errorf("viewBox is %q, want %q", picture.ViewBox, want)
	}
	if len(picture.Path) != 1 {
		t.Fatalf("%d paths, want one", len(picture.Path))
	}
	dark := make(map[[2]int]bool)
	for bar := range strings.SplitSeq(strings.TrimPrefix(picture.Path[0].D, "M"), "M") {
		var x, y, width, back int
		if _, err := fmt.Sscanf(bar, "%d %dh%dv1h-%dz", &x, &y, &width, &back); err != nil || width != back {
			t.Fatalf("the bar %q: %v", bar, err)
		}
		for i := range width {
			dark[[2]int{x + i - quietZone, y - quietZone}] = true
		}
	}
	for y := range size {
		for x := range size {
			if got, want := dark[[2]int{x, y}], code.At(x, y) == color.Black; got != want {
				t.Errorf("module %d, %d: dark is %v, want %v", x, y, got, want)
			}
		}
	}
}
