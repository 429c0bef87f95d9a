package catalog

import (
	"regexp"
	"strings"
)

// An Address is an address outside of the site that a record cites: the source of an entry or of a fact, an address that a
// fact states, or a link in a text.
type Address struct {
	Record string // as the history names it
	URL    string
}

// linkTarget is the target of a link in Markdown, or an address between angle brackets.
var linkTarget = regexp.MustCompile(`(?:\]\(|<)(https?://[^\s()<>]+)[)>]`)

// Addresses returns every address that records cite, in the order of the records: entries, protocols, articles, datasets. A
// record names an address once.
func (c *Catalog) Addresses() []Address {
	var list []Address
	seen := make(map[Address]bool)
	add := func(record, url string) {
		a := Address{record, url}
		if url == "" || seen[a] || strings.HasPrefix(url, c.Site().Base) || strings.HasPrefix(url, c.Site().API) || strings.HasPrefix(url, c.Site().MCP) {
			return
		}
		seen[a] = true
		list = append(list, a)
	}
	for _, e := range c.entries {
		add(e.ID, e.URL)
	}
	for _, p := range c.protocols {
		for _, f := range p.Facts() {
			add("protocol:"+p.ID, f.Source)
			for _, u := range statedAddresses(f.Value) {
				add("protocol:"+p.ID, u)
			}
		}
	}
	text := func(record, body string) {
		for _, m := range linkTarget.FindAllStringSubmatch(body, -1) {
			add(record, m[1])
		}
	}
	for _, a := range c.articles {
		text("article:"+a.ID, a.Body)
	}
	for _, d := range c.datasets {
		add("dataset:"+d.ID, d.License)
		text("dataset:"+d.ID, d.Readme)
	}
	return list
}

// statedAddresses returns the addresses that are the value of a fact.
func statedAddresses(value any) []string {
	var list []string
	switch v := value.(type) {
	case string:
		if strings.HasPrefix(v, "https://") && !strings.ContainsAny(v, " \n") {
			list = append(list, v)
		}
	case []Link:
		for _, l := range v {
			list = append(list, l.URL)
		}
	case []Library:
		for _, l := range v {
			if l.URL != nil {
				list = append(list, *l.URL)
			}
		}
	}
	return list
}
