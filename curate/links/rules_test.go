package links

import (
	"testing"
	"time"
)

func TestRules(t *testing.T) {
	tests := []struct {
		name, robots string
		open, closed []string // paths
		delay        time.Duration
	}{
		{name: "nothing", open: []string{"/", "/a"}},
		{name: "all closed", robots: "User-agent: *\nDisallow: /", closed: []string{"/", "/a?b"}},
		{name: "the group that names us alone counts", robots: "User-agent: *\nDisallow: /\n\nUser-agent: Our-Bot\nDisallow: /b",
			open: []string{"/a"}, closed: []string{"/b", "/bc"}},
		{name: "all groups that name us count", robots: "User-agent: our-bot\nDisallow: /a\nUser-agent: other\nDisallow: /\nUser-agent: our-bot\nDisallow: /b",
			open: []string{"/c"}, closed: []string{"/a", "/b"}},
		{name: "names before rules share them", robots: "User-agent: other\nUser-agent: our-bot\nDisallow: /a", closed: []string{"/a"}, open: []string{"/b"}},
		{name: "an empty rule ends the names", robots: "User-agent: *\nDisallow:\n\nUser-agent: other\nDisallow: /", open: []string{"/"}},
		{name: "so does a delay", robots: "User-agent: *\nCrawl-delay: 2.5\nUser-agent: other\nDisallow: /", open: []string{"/"}, delay: 2500 * time.Millisecond},
		{name: "a map of the site does not", robots: "User-agent: *\nSitemap: /s.xml\nUser-agent: other\nDisallow: /a", closed: []string{"/a"}},
		{name: "comments, spaces, ends of lines", robots: "\ufeff# hello\r\nUSER-AGENT: * # all\rdisallow: /a #b\r\n", closed: []string{"/a"}, open: []string{"/b"}},
		{name: "the longest rule decides", robots: "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c", open: []string{"/a/b", "/a/b/d"}, closed: []string{"/a", "/a/b/c"}},
		{name: "wildcards", robots: "User-agent: *\nDisallow: /*?tab=\nDisallow: /*.pdf$\nDisallow: *private", open: []string{"/a?b", "/a.pdf?x", "/x/a.pd"},
			closed: []string{"/a?tab=1", "/x/a.pdf", "/a.pdf.pdf", "/x/private/y"}},
		{name: "the end of the path", robots: "User-agent: *\nDisallow: /a$\nDisallow: /b*$", open: []string{"/ab", "/a/"}, closed: []string{"/a", "/b", "/bc"}},
		{name: "a rule without its slash", robots: "User-agent: *\nDisallow: a", closed: []string{"/a"}},
		{name: "escapes of one thing", robots: "User-agent: *\nDisallow: /%7eme/\nDisallow: /ä\nDisallow: /a%2fb", open: []string{"/a/b"}, closed: []string{"/~me/", "/%C3%a4", "/a%2Fb"}},
		{name: "a page instead", robots: "<!doctype html><p>Disallow: /</p>", open: []string{"/"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := parseRules(tt.robots, "our-bot")
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range tt.open {
				if !r.Test(normalPath(path)) {
					t.Errorf("%s is closed", path)
				}
			}
			for _, path := range tt.closed {
				if r.Test(normalPath(path)) {
					t.Errorf("%s is open", path)
				}
			}
			if r.CrawlDelay != tt.delay {
				t.Errorf("delay %s, want %s", r.CrawlDelay, tt.delay)
			}
		})
	}
}
