package html

import (
	"fmt"
	"strings"

	"almanac/catalog"
)

// ThemeStyle returns the stylesheet of a site with a theme or a logo, which follows that of every site; nil for the
// default look.
func ThemeStyle(i catalog.Identity) []byte {
	var b strings.Builder
	if t := i.Theme; t != nil {
		for _, k := range []struct {
			media string
			catalog.Colours
		}{{"screen", t.Light}, {"screen and (prefers-color-scheme: dark)", t.Dark}} {
			shade := func(n int) catalog.Colour { return k.Paper.Mix(k.Ink, n, 100) }
			fmt.Fprintf(&b, "@media %s {\n\t:root { --paper: %s; --fill: %s; --rule: %s; --strong: %s; --soft: %s; --ink: %s; --link: %s; --rubric: %s; }\n}\n",
				k.media, k.Paper, shade(4), shade(14), shade(50), k.Soft(), k.Ink, k.Link, k.Accent)
		}
		if t.Font != "" {
			fmt.Fprintf(&b, ":root { --serif: %[1]s; --sans: %[1]s; }\n", t.Font)
		}
	}
	if i.Logo != "" {
		b.WriteString(".mark img { display: block; height: 2rem; width: auto; max-width: 12rem; }\n")
	}
	return []byte(b.String())
}

// The paths of the files of a theme.
const (
	ThemePath = "/static/theme.css"
	LogoPath  = "/logo.svg"
)
