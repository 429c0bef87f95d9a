package html

import (
	"bytes"
	"fmt"
	"image/color"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
)

// quietZone is the margin a reader needs around the picture, in modules (ISO/IEC 18004, 9.1).
const quietZone = 4

// QR returns text as a QR code with error correction M, drawn as SVG. It is dark on light whatever the page around it
// is, because many readers refuse the inverse; the dark modules are one path.
func QR(text string) ([]byte, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil, fmt.Errorf("encode the QR code: %w", err)
	}
	size := code.Bounds().Dx() + 2*quietZone
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" shape-rendering="crispEdges">`,
		size, size, 8*size, 8*size)
	b.WriteString(`<title>QR code</title><rect width="100%" height="100%" fill="#fff"/><path fill="#000" d="`)
	drawModules(&b, code)
	b.WriteString("\"/></svg>\n")
	return b.Bytes(), nil
}

// NoQR returns the picture that stands in for a QR code of sample data. It holds words, and nothing that can be
// scanned.
func NoQR() []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 280 280" width="280" height="280"><title>No QR code: sample data</title>` +
		`<rect width="100%" height="100%" fill="#fff"/><g font-family="sans-serif" font-size="20" text-anchor="middle" fill="#000">` +
		`<text x="140" y="115">Sample data.</text><text x="140" y="145">It has no QR code,</text><text x="140" y="175">and nothing to pay.</text></g></svg>` + "\n")
}

// drawModules writes each run of dark modules in a row as a bar of height 1.
func drawModules(b *bytes.Buffer, code barcode.Barcode) {
	bounds := code.Bounds()
	dark := func(x, y int) bool { return x < bounds.Max.X && code.At(x, y) == color.Black }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			start := x
			for dark(x, y) {
				x++
			}
			if n := x - start; n > 0 {
				fmt.Fprintf(b, "M%d %dh%dv1h-%dz", start+quietZone, y+quietZone, n, n)
			}
		}
	}
}
