package catalog

import (
	"fmt"
	"image/color"
	"math"
)

// A Theme is the look of the pages, where it is not the default.
type Theme struct {
	Light Colours `json:"light"`
	Dark  Colours `json:"dark"`           // for readers who prefer it
	Font  string  `json:"font,omitempty"` // a font-family of CSS; "" is that of the default
}

// Colours are the colours of a page.
type Colours struct {
	Paper  Colour `json:"paper"`
	Ink    Colour `json:"ink"` // of text
	Link   Colour `json:"link"`
	Accent Colour `json:"accent"`
}

// defaultColours are those of social pictures without a theme.
var defaultColours = Colours{Paper: "#fcfbf7", Ink: "#1c1b18", Accent: "#96281b"}

// PictureColours returns the colours of social pictures.
func (i Identity) PictureColours() Colours {
	if i.Theme == nil {
		return defaultColours
	}
	return i.Theme.Light
}

// A Colour is a colour as #rrggbb.
type Colour string

// RGB returns the parts of c; black if c is not a colour.
func (c Colour) RGB() color.RGBA {
	rgb := color.RGBA{A: 0xff}
	fmt.Sscanf(string(c), "#%02x%02x%02x", &rgb.R, &rgb.G, &rgb.B) // load refuses other forms
	return rgb
}

// Mix returns the colour that is n of m steps from c to d.
func (c Colour) Mix(d Colour, n, m int) Colour {
	from, to := c.RGB(), d.RGB()
	step := func(a, b uint8) int { return int(a) + (int(b)-int(a))*n/m }
	return Colour(fmt.Sprintf("#%02x%02x%02x", step(from.R, to.R), step(from.G, to.G), step(from.B, to.B)))
}

// Contrast returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio").
func (c Colour) Contrast(d Colour) float64 {
	a, b := c.luminance(), d.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func (c Colour) luminance() float64 {
	linear := func(v uint8) float64 {
		if s := float64(v) / 255; s > 0.04045 {
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	rgb := c.RGB()
	return 0.2126*linear(rgb.R) + 0.7152*linear(rgb.G) + 0.0722*linear(rgb.B)
}

// Soft returns the colour of less important text.
func (c Colours) Soft() Colour { return c.Paper.Mix(c.Ink, 3, 4) }
