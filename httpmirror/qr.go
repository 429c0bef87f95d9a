package httpmirror

import (
	"bytes"
	"fmt"
	"image/color"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// quietZone is the margin a reader needs around the picture, in modules (ISO/IEC 18004, 9.1).
const quietZone = 4

// qrFiles puts the QR picture of each support method. Choosing the mask of a picture takes
// milliseconds, which is much beside the rest.
func (p *pages) qrFiles() error {
	methods := p.cat.Support().Methods
	return file.Parallel(len(methods), func(i int) error {
		m := methods[i]
		svg, err := qrSVG(m.Text())
		if err != nil {
			return fmt.Errorf("draw the QR picture of %s: %w", m.Name(), err)
		}
		return p.b.add(catalog.QRPath(m.Name()), "image/svg+xml", svg)
	})
}

// qrSVG draws text as a QR picture with error correction M. It is dark on light whatever the
// page around it is, because many readers refuse the inverse; the dark modules are one path.
func qrSVG(text string) ([]byte, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil, err
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
