package html

import (
	"crypto/sha256"
	"embed"
	"path"
	"regexp"

	"go.almanac.example/httpmirror/file"
)

//go:embed static
var staticFiles embed.FS

// staticTypes are the media types of the static files.
var staticTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".png": file.PNG,
	".svg": file.SVG,
}

// StaticFiles returns the stylesheets, the scripts and the icons.
func StaticFiles() []*file.File {
	var list []*file.File
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		panic(err) // the files are embedded
	}
	for _, e := range entries {
		list = append(list, file.New("/static/"+e.Name(), staticTypes[path.Ext(e.Name())], staticFile(e.Name())))
	}
	return list
}

// unread matches what browsers skip, by the extension of the file: white space at the ends of lines, and comments.
var unread = map[string]*regexp.Regexp{
	".css": regexp.MustCompile(`/\*[^*]*\*/|\s*\n\s*`),
	".js":  regexp.MustCompile(`(?m)^\s*//.*\n|^\s+`),
}

// staticFile returns the bytes of a static file, without what browsers skip.
func staticFile(name string) []byte {
	body, err := staticFiles.ReadFile("static/" + name)
	if err != nil {
		panic(err) // the name is a constant of this package, and the file is embedded
	}
	if skip := unread[path.Ext(name)]; skip != nil {
		body = skip.ReplaceAll(body, nil)
	}
	return body
}

// The addresses of the static files.
var (
	styleAddress    = staticAddress("almanac.css")
	scriptAddress   = staticAddress("almanac.js")
	findAddress     = staticAddress("find.js")
	buyAddress      = staticAddress("buy.js")
	buyStyleAddress = staticAddress("buy.css")
	citeAddress     = staticAddress("cite.js")
	compareAddress  = staticAddress("compare.js")
	iconAddress     = staticAddress("icon.svg")
	touchAddress    = staticAddress("icon.png") // the same on 180 pixels, for home screens
)

// staticAddress returns the address of a static file. Its query changes with the content, so that a browser never
// combines a new page with an old stylesheet; the path stays.
func staticAddress(name string) string { return versioned("/static/"+name, staticFile(name)) }

func versioned(path string, body []byte) string {
	return path + "?" + file.Version(sha256.Sum256(body))
}

// Where browsers look for an icon of their own accord, and its media type.
const (
	FaviconPath = "/favicon.ico"
	FaviconType = "image/vnd.microsoft.icon"
)

// Favicon is static/icon.svg as an ICO file that has one PNG picture, for clients that do not read SVG.
//
//go:embed favicon.ico
var Favicon []byte

// LogoPath is the path of the operator's logo, where there is one.
const LogoPath = "/logo.svg"
