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
		{name: "the group that names us alone counts", robots: "User-agent: *\nDisallow: /\n\nUser-agent: Our-Bot/1.0\nDisallow: /b",
			open: []string{"/a"}, closed: []string{"/b", "/bc"}},
		{name: "all groups that name us count", robots: "User-agent: our-bot\nDisallow: /a\nUser-agent: other\nDisallow: /\nUser-agent: our-bot\nDisallow: /b",
			open: []string{"/c"}, closed: []string{"/a", "/b"}},
		{name: "a longer name is another crawler", robots: "User-agent: our-bot-images\nDisallow: /\nUser-agent: our\nDisallow: /", open: []string{"/"}},
		{name: "names before rules share them", robots: "User-agent: other\nUser-agent: our-bot\nDisallow: /a", closed: []string{"/a"}, open: []string{"/b"}},
		{name: "an empty rule ends the names", robots: "User-agent: *\nDisallow:\n\nUser-agent: other\nDisallow: /", open: []string{"/"}},
		{name: "so does a delay", robots: "User-agent: *\nCrawl-delay: 2.5\nUser-agent: other\nDisallow: /", open: []string{"/"}, delay: 2500 * time.Millisecond},
		{name: "a map of the site does not", robots: "User-agent: *\nSitemap: /s.xml\nUser-agent: other\nDisallow: /a", closed: []string{"/a"}},
		{name: "a bad line spoils no other", robots: "Disallow: /x\nCrawl-delay: soon\nhello\nUser-agent: *\nCrawl-delay: often\nDisallow: /a\n:",
			open: []string{"/x"}, closed: []string{"/a"}},
		{name: "comments, spaces, ends of lines", robots: "\ufeff# hello\r\nUSER-AGENT :\t* # all\rdisallow:/a#b\r\n", closed: []string{"/a"}, open: []string{"/b"}},
		{name: "the longest rule decides", robots: "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c", open: []string{"/a/b", "/a/b/d"}, closed: []string{"/a", "/a/b/c"}},
		{name: "of two of one length the one that allows", robots: "User-agent: *\nDisallow: /a\nAllow: /a\nDisallow: /a", open: []string{"/a"}},
		{name: "wildcards", robots: "User-agent: *\nDisallow: /*?tab=\nDisallow: /*.pdf$\nDisallow: *private", open: []string{"/a?b", "/a.pdf?x", "/x/a.pd"},
			closed: []string{"/a?tab=1", "/x/a.pdf", "/a.pdf.pdf", "/x/private/y"}},
		{name: "the end of the path", robots: "User-agent: *\nDisallow: /a$\nDisallow: /b*$", open: []string{"/ab", "/a/"}, closed: []string{"/a", "/b", "/bc"}},
		{name: "a rule without its slash", robots: "User-agent: *\nDisallow: a", closed: []string{"/a"}},
		{name: "escapes of one thing", robots: "User-agent: *\nDisallow: /%7eme/\nDisallow: /ä\nDisallow: /a%2fb", open: []string{"/a/b"}, closed: []string{"/~me/", "/%C3%a4", "/a%2Fb"}},
		{name: "a page instead", robots: "<!doctype html><p>Disallow: /</p>", open: []string{"/"}},
		{name: "a delay that would not fit", robots: "User-agent: our-bot\nCrawl-delay: 1e300", open: []string{"/"}, delay: 1e6 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := parseRules(tt.robots, "our-bot")
			for _, path := range tt.open {
				if !r.allow(path) {
					t.Errorf("%s is closed", path)
				}
			}
			for _, path := range tt.closed {
				if r.allow(path) {
					t.Errorf("%s is open", path)
				}
			}
			if r.delay != tt.delay {
				t.Errorf("delay %s, want %s", r.delay, tt.delay)
			}
		})
	}
}
