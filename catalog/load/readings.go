package load

import (
	"path"
	"strconv"
	"strings"

	"almanac/catalog"
)

// unreadSentence ends the summary of an entry whose source nobody read.
const unreadSentence = "Not read at the source."

// CheckReadings returns what records claim about their sources beyond their evidence, as Faults.
func CheckReadings(c *catalog.Catalog) error {
	var l faultList
	for _, e := range c.Entries() {
		r, ok := c.EntryReading(e)
		read, says := ok && r.Class != catalog.ClassThirdParty, strings.HasSuffix(e.Summary, unreadSentence)
		newest := c.NewestReading(e)
		at := linter{&l, EntryFile(e), ""}
		if !c.LinksChecked() && e.HTTPStatus != 0 {
			at.add("http_status", "is %d and no link check is on record; write 0, or run: almanac check -links", e.HTTPStatus)
		}
		if last := max(e.VerifiedAt, c.LinksDay()); e.LastChecked > last {
			at.add("last_checked", "%s is after the last link check and the last reading, %s; write that day", e.LastChecked, last)
		}
		switch {
		case !ok && !says:
			at.add("summary", "has no reading; add evidence/%s.json with a reading of the source, or end the summary with: %s", e.ID, unreadSentence)
		case !read && !says:
			at.add("summary", "rests on %s, which is a third party; read the source, or end the summary with: %s", r.URL, unreadSentence)
		case read && says:
			at.add("summary", "says %q and its evidence has a reading of the source; remove the sentence", unreadSentence)
		case read && e.VerifiedAt > newest:
			at.add("verified_at", "%s is after the newest reading of the source, %s; read it again, or write that day", e.VerifiedAt, newest)
		}
	}
	for _, p := range c.Protocols().Protocols {
		for _, f := range p.Facts() {
			if f.Value == nil {
				continue
			}
			at := linter{&l, ProtocolFile(p.ID), ""}
			switch r, ok := c.FactReading(p.ID, f); {
			case !ok:
				at.add(f.Name, "has no reading; add one to evidence/protocol.%s.json, or make the fact null", p.ID)
			case r.Class == catalog.ClassThirdParty:
				at.add(f.Name, "cites %s and rests on %s; read the cited source, or cite the one that was read", f.Source, r.URL)
			case f.VerifiedAt > r.ReadAt:
				at.add(f.Name+".verified_at", "%s is after the reading of %s; read the source again, or write that day", f.VerifiedAt, r.ReadAt)
			}
		}
	}
	return l.err()
}

// CheckItems returns the items of list facts that no quote names, as Faults.
func CheckItems(c *catalog.Catalog) error {
	var l faultList
	for _, p := range c.Protocols().Protocols {
		evidence, _ := c.Evidence(catalog.HistoryPathID("protocol:" + p.ID))
		for _, f := range p.Facts() {
			names := itemNames(f.Value)
			if len(names) == 0 {
				continue
			}
			var quotes strings.Builder // and the addresses where they were read, a line each
			if evidence != nil {
				m, _ := evidence.Member(f.Name)
				for _, r := range m.Readings {
					if r.Holds {
						quotes.WriteString(strings.ToLower("\n<" + r.URL + "/>\n" + r.Quote))
					}
				}
			}
			for i, any := range names {
				if !namesOne(quotes.String(), any) {
					at := linter{&l, "evidence/" + catalog.HistoryPathID("protocol:"+p.ID) + ".json", ""}
					at.add(f.Name, "no quote names the item %d, %s; add a reading that quotes it", i+1, any[0])
				}
			}
		}
	}
	return l.err()
}

// itemNames returns, for each item of a fact that is a list of things with names, the names that a quote may have.
func itemNames(value any) (names [][]string) {
	switch list := value.(type) {
	case []int:
		for _, status := range list {
			names = append(names, []string{strconv.Itoa(status)})
		}
	case []catalog.Header:
		for _, h := range list {
			names = append(names, []string{h.Name})
		}
	case []catalog.Link:
		for _, x := range list {
			names = append(names, []string{x.Name, x.URL})
		}
	case []catalog.Library:
		for _, x := range list {
			names = append(names, []string{x.Name, orEmpty(x.URL), path.Base(orEmpty(x.URL)) + "/"})
		}
	case []catalog.Network:
		for _, n := range list {
			names = append(names, []string{n.Name, orEmpty(n.CAIP2), orEmpty(n.Contract)})
		}
	}
	return names
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// namesOne reports whether a text in lower case has one of some names.
func namesOne(text string, names []string) bool {
	for _, n := range names {
		if strings.Contains(text, "\n<"+strings.ToLower(n)+"/") && strings.Contains(n, "://") {
			return true // its own pages were read
		}
		before, within, _ := strings.Cut(strings.TrimSuffix(strings.ToLower(n), ")"), " (") // "Eclair (node)": either names it
		for _, part := range append(strings.Split(within, ", "), before) {
			if part != "" && strings.Contains(text, part) {
				return true
			}
		}
	}
	return false
}
