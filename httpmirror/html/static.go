package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"path"

	"almanac/httpmirror/file"
	"almanac/index/text"
)

// WordsPath is the path of the words that a search does not take for misspellings. Pages load it when they need it, by
// wordsAddress.
const WordsPath = "/static/english.txt"

var wordsAddress = versioned(WordsPath, []byte(text.English()))

//go:embed static
var staticFiles embed.FS

// staticTypes are the media types of the static files.
var staticTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// A StaticFile is a file that pages refer to.
type StaticFile struct {
	Path, Type string
	Body       []byte
}

// StaticFiles returns the stylesheet, the scripts, their data, and the icon.
func StaticFiles() []StaticFile {
	var list []StaticFile
	err := fs.WalkDir(staticFiles, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := staticFiles.ReadFile(name)
		list = append(list, StaticFile{"/" + name, staticTypes[path.Ext(name)], body})
		return err
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	return append(list, StaticFile{WordsPath, file.Text, []byte(text.English())})
}

// The addresses of the static files.
var (
	styleAddress   = staticAddress("almanac.css")
	scriptAddress  = staticAddress("almanac.js")
	findAddress    = staticAddress("find.js")
	buyAddress     = staticAddress("buy.js")
	compareAddress = staticAddress("compare.js")
	iconAddress    = staticAddress("icon.svg")
)

// staticAddress returns the address of a static file. Its query changes with the content, so that a browser never
// combines a new page with an old stylesheet; the path stays.
func staticAddress(name string) string {
	body, err := staticFiles.ReadFile("static/" + name)
	if err != nil {
		panic(err) // the name is a constant of this package, and the file is embedded
	}
	return versioned("/static/"+name, body)
}

func versioned(path string, body []byte) string {
	return path + "?" + file.Version(sha256.Sum256(body))
}

// faviconSize is the width and height of the icon in pixels.
const faviconSize = 32

// Where browsers look for an icon of their own accord, and its media type.
const (
	FaviconPath = "/favicon.ico"
	FaviconType = "image/vnd.microsoft.icon"
)

// Favicon returns the icon of static/icon.svg as an ICO file that holds one PNG picture, for clients that do not read
// SVG.
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
