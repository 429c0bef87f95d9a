package html

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// faviconSize is the width and height of the icon in pixels.
const faviconSize = 32

// Where browsers look for an icon of their own accord, and its media type.
const (
	FaviconPath = "/favicon.ico"
	FaviconType = "image/vnd.microsoft.icon"
)

// Favicon returns the icon of static/icon.svg as an ICO file that holds one PNG picture, for what knows no SVG.
func Favicon() []byte {
	picture := faviconPicture()
	var b bytes.Buffer
	header := []any{
		[3]uint16{0, 1, 1},                                         // reserved, an icon, one picture
		[4]uint8{faviconSize, faviconSize, 0, 0}, [2]uint16{1, 32}, // planes, bits of a pixel
		[2]uint32{uint32(len(picture)), 6 + 16}, // its length and place
	}
	for _, field := range header {
		binary.Write(&b, binary.LittleEndian, field) // a buffer accepts everything
	}
	b.Write(picture)
	return b.Bytes()
}

// faviconPicture draws a sheet with two lines of text and two rows of entries.
func faviconPicture() []byte {
	sheet, ink := color.NRGBA{0x96, 0x28, 0x1b, 0xff}, image.NewUniform(color.NRGBA{0xfc, 0xfb, 0xf7, 0xff})
	m := image.NewNRGBA(image.Rect(0, 0, faviconSize, faviconSize))
	draw.Draw(m, m.Bounds(), image.NewUniform(sheet), image.Point{}, draw.Src)
	bars := []image.Rectangle{image.Rect(7, 8, 25, 10), image.Rect(7, 12, 25, 14)}
	for _, y := range []int{17, 23} {
		for x := 8; x < 25; x += 6 {
			bars = append(bars, image.Rect(x, y, x+3, y+3))
		}
	}
	for _, bar := range bars {
		draw.Draw(m, bar, ink, image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // the size is a constant, and a buffer accepts everything
	}
	return b.Bytes()
}
