package html

import (
	"cmp"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// Upgrade returns the page about the step from a version of a protocol to the next.
func (p *Pages) Upgrade(u catalog.Upgrade) Page {
	name := p.name(u.Protocol)
	title := name + " " + u.From + " to " + u.To
	slices.SortStableFunc(u.Changes, func(a, b catalog.VersionChange) int { // that with the most to say in a line comes first
		return cmp.Compare(len(summary(b)), len(summary(a)))
	})
	pg := Page{
		Title:       title,
		Description: title + ": what changed, field by field, with the words of both versions: " + phrase.Count(len(u.Changes), "change", "changes") + ".",
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}, {Label: name, Path: catalog.ProtocolPath(u.Protocol)}},
		Facts:       []string{phrase.Count(len(u.Changes), "change", "changes")},
		Cited:       true,
		content:     upgradeContent(p, u),
	}
	var differ []string
	for _, c := range u.Changes {
		pg.Verified.Add(c.Is.VerifiedAt)
		if c.Was.Name != "spec_url" {
			differ = append(differ, lower(c.Was.Label))
		}
	}
	pg.Lede = "What differs for a program between " + u.From + " and " + u.To + ": " + strings.Join(differ, ", ") + ". Each is below, with its sources."
	if u.Since != nil {
		pg.Facts = append(pg.Facts, u.To+" since "+phrase.LongDay(*u.Since))
	}
	return pg
}

// summary returns the change in a line, as far as the names of both values tell; "" if they do not.
func summary(c catalog.VersionChange) string {
	switch was := c.Was.Value.(type) {
	case []catalog.Header:
		is, _ := c.Is.Value.([]catalog.Header)
		var texts []string
		for _, direction := range []string{"request", "response"} {
			names := func(list []catalog.Header) []string {
				list = slices.DeleteFunc(slices.Clone(list), func(h catalog.Header) bool { return h.Direction != direction })
				return catalog.Convert(list, func(h catalog.Header) string { return h.Name })
			}
			texts = append(texts, changed("In the "+direction+": ", names(was), names(is)))
		}
		return strings.Join(texts, "")
	case []catalog.Network:
		is, _ := c.Is.Value.([]catalog.Network)
		for _, w := range was { // a network that had a plain name alone
			for _, n := range is {
				if w.CAIP2 == nil && n.CAIP2 != nil && strings.EqualFold(strings.ReplaceAll(w.Name, "-", " "), n.Name) {
					return "Name networks by CAIP-2, such as " + *n.CAIP2 + " in place of " + w.Name + "."
				}
			}
		}
	}
	return ""
}

// changed returns which names were added and removed, as a sentence.
func changed(where string, was, is []string) string {
	gone, added := phrase.Difference(was, is), phrase.Difference(is, was)
	var parts []string
	if len(added) > 0 {
		parts = append(parts, strings.Join(added, ", ")+" added")
	}
	if len(gone) > 0 {
		parts = append(parts, strings.Join(gone, ", ")+" removed")
	}
	if len(is) == 0 || len(parts) == 0 {
		return ""
	}
	return where + strings.Join(parts, "; ") + ". "
}

// distinct returns quotes without those that say the same words as an earlier one.
func distinct(quotes []catalog.FactQuote) (list []catalog.FactQuote) {
	for _, q := range quotes {
		if !slices.ContainsFunc(list, func(o catalog.FactQuote) bool { return o.Quote == q.Quote && o.Holds == q.Holds }) {
			list = append(list, q)
		}
	}
	return list
}
