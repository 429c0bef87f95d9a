package html

import (
	"slices"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// Choose returns the page that finds protocols by requirements.
func (p *Pages) Choose() Page {
	return Page{
		Lede:     "Say what you need, and see which protocols match and why. Each reason links to its source. Where sources are silent, we say so.",
		Crumbs:   []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
		Verified: phrase.SpanOf(p.cat.Profiles(), (*catalog.Profile).VerifiedAt),
		Script:   compareAddress,
		content:  chooseContent(p.cat.Chooser()),
	}
}

// schemeKind is the kind of the profiles that answer with status 402.
const schemeKind = "http-402 scheme"

// shownProtocols is the number of protocols that the comparison shows before a choice.
const shownProtocols = 3

// Compare returns the page on which the protocols stand side by side.
func (p *Pages) Compare() Page {
	profiles := p.cat.Profiles()
	data := p.comparison(profiles)
	for _, pr := range profiles {
		if pr.Kind == schemeKind && len(data.Shown) < shownProtocols {
			data.Shown = append(data.Shown, pr.ID)
		}
	}
	return Page{
		Lede:     phrase.Count(len(profiles), "protocol", "protocols") + " at a glance. Tick up to four to compare them in detail, down to the messages of one payment.",
		Crumbs:   []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
		Verified: phrase.SpanOf(profiles, (*catalog.Profile).VerifiedAt),
		Script:   compareAddress,
		Cited:    true,
		content:  compareContent(p, data),
	}
}

// Pair returns the page that compares two protocols.
func (p *Pages) Pair(a, b *catalog.Profile) Page {
	profiles := []*catalog.Profile{a, b}
	data := p.comparison(profiles)
	data.Pair = true
	all := slices.Concat(data.Groups...)
	same := slices.DeleteFunc(slices.Clone(all), func(r comparedRow) bool { return !r.Same() })
	rows := slices.DeleteFunc(all, comparedRow.Same)
	for _, r := range same {
		r[0].Group = "The same in both"
	}
	data.Groups = runs(append(rows, same...), groupOf)
	title := shortName(a.ID, a.Name) + " vs " + shortName(b.ID, b.Name)
	return Page{
		Title:       title,
		Description: title + ": status, rail, price, proof, refunds, accounts and transports side by side, each value with its source.",
		Lede:        shortName(a.ID, a.Name) + " is " + a.Summary + ". " + shortName(b.ID, b.Name) + " is " + b.Summary + ".",
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}, {Label: "Compare", Path: catalog.ComparePath}},
		Facts:       []string{phrase.Count(len(rows), "difference", "differences") + " in " + phrase.Count(len(rows)+len(same), "row", "rows")},
		Verified:    phrase.SpanOf(profiles, (*catalog.Profile).VerifiedAt),
		Cited:       true,
		content:     compareContent(p, data),
	}
}

// comparison returns the rows that compare some protocols.
func (p *Pages) comparison(profiles []*catalog.Profile) comparePage {
	data := comparePage{Protocols: profiles}
	for _, q := range catalog.ChoiceQuestions {
		for _, a := range q.Answers {
			if a.Brief != "" {
				data.Glance = append(data.Glance, glanceColumn{q.Field, a})
			}
		}
	}
	rows := make([]comparedRow, len(new(catalog.Profile).Fields()))
	for _, pr := range profiles {
		for i, f := range pr.GroupedFields() {
			rows[i] = append(rows[i], f)
		}
	}
	data.Groups = runs(rows, groupOf)
	return data
}

func groupOf(r comparedRow) string { return r[0].Group }
