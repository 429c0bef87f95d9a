package html

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"sync"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"go.almanac.example/index/find"
)

// The size of a social picture, and where its contents are, in pixels.
const (
	pictureWidth, pictureHeight              = 1200, 630
	pictureLeft, pictureTop, pictureBottom   = 84, 64, 566
	pictureSpace, pictureIcon, pictureIndent = 40, 64, 84

	pictureText = pictureWidth - 2*pictureLeft
)

// pictureShades is the number of shades from paper to ink in a social picture, of which soft text is one.
const pictureShades = 15

// palette is the shades from paper to ink, and the accent, twice: of more than 16 colours, image/png encodes a byte a
// pixel, which is three times as fast.
var palette = func() (p color.Palette) {
	paper, ink, accent := [3]int{0xfc, 0xfb, 0xf7}, [3]int{0x1c, 0x1b, 0x18}, color.RGBA{0x96, 0x28, 0x1b, 0xff}
	for i := range pictureShades {
		shade := func(part int) uint8 { return uint8(paper[part] + (ink[part]-paper[part])*i/(pictureShades-1)) }
		p = append(p, color.RGBA{shade(0), shade(1), shade(2), 0xff})
	}
	return append(p, accent, accent)
}()

// Picture returns the social picture of a page as PNG: the name of the site, the page's title and description. Letters
// of other scripts than Latin, Greek and Cyrillic are boxes.
func (p *Pages) Picture(pg Page) ([]byte, error) {
	picture := image.NewPaletted(image.Rect(0, 0, pictureWidth, pictureHeight), palette)
	name := newLettering(bold, 40, 14)
	lines, _ := name.lines(p.identity.Name, pictureText-pictureIndent, 1)
	name.write(picture, pictureLeft+pictureIndent, pictureTop+8, lines)
	var title lettering
	for _, size := range []int{84, 72, 60, 50} {
		var whole bool
		title = newLettering(bold, size, 14)
		if lines, whole = title.lines(cmp.Or(pg.Heading, pg.Title), pictureText, 3); whole {
			break
		}
	}
	y, below := pictureTop+pictureIcon+pictureSpace, title.height*len(lines)+pictureSpace
	about := newLettering(regular, 34, 10)
	most := (pictureBottom - y - below) / about.height
	more, whole := about.lines(pg.Description, pictureText, most)
	if !whole {
		more, _ = about.lines(find.FirstSentence(pg.Description), pictureText, most)
	}
	y += (pictureBottom - y - below - about.height*len(more)) / 3
	title.write(picture, pictureLeft, y, lines)
	about.write(picture, pictureLeft, y+below, more)
	fill := func(x, y, width, height int, c color.Color) {
		draw.Draw(picture, image.Rect(x, y, x+width, y+height), image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(0, 0, 20, pictureHeight, palette[pictureShades])
	fill(pictureLeft, pictureTop, pictureIcon, pictureIcon, palette[pictureShades])
	for _, r := range [][4]int{{14, 16, 36, 3}, {14, 22, 36, 3}, {16, 33, 8, 6}, {32, 33, 8, 6}, {48, 33, 2, 6},
		{16, 45, 8, 6}, {32, 45, 8, 6}} { // of icon.svg
		fill(pictureLeft+r[0], pictureTop+r[1], r[2], r[3], palette[0])
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, picture)
	return b.Bytes(), err
}

// A lettering is a font in a size and a shade.
type lettering struct {
	face         font.Face
	size, height int // of letters and of a line, in pixels
	shade        int // of the palette
}

// The fonts of the pictures, read when the first is drawn.
var (
	bold    = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gobold.TTF) })
	regular = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })
)

func newLettering(parse func() (*opentype.Font, error), size, shade int) lettering {
	f, err := parse()
	if err != nil {
		panic(err) // the fonts are constants
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(size), DPI: 72})
	if err != nil {
		panic(err)
	}
	return lettering{face, size, size * 5 / 4, shade}
}

// lines breaks a text into at most most lines of a width. whole reports whether nothing was cut off.
func (l lettering) lines(text string, width, most int) (list []string, whole bool) {
	fits := func(line string) bool { return font.MeasureString(l.face, line) <= fixed.I(width) }
	list = []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &list[len(list)-1]
		if longer := strings.TrimLeft(*last+" "+word, " "); *last == "" || fits(longer) {
			*last = longer
		} else {
			list = append(list, word)
		}
	}
	if whole = len(list) <= most; !whole {
		list = list[:most]
		list[most-1] += " …"
	}
	for i := range list {
		for line := []rune(list[i]); !fits(list[i]); whole = false {
			line = line[:len(line)-1]
			list[i] = strings.TrimRight(string(line), " ,.;:…") + "…"
		}
	}
	return list, whole
}

// write writes lines below y.
func (l lettering) write(picture *image.Paletted, x, y int, lines []string) {
	d := font.Drawer{Dst: picture, Src: image.NewUniform(palette[l.shade]), Face: l.face}
	for i, line := range lines {
		d.Dot = fixed.P(x, y+i*l.height+l.size)
		d.DrawString(line)
	}
}

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
