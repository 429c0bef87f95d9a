package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
)

func listTags(d *data) *tool {
	byCategory := map[string]*Answer{"": tagsAnswer("", d.entries.all, d.catalog.Categories())}
	for _, k := range d.catalog.Categories() {
		byCategory[k.ID] = tagsAnswer(k.ID, d.catalog.InCategory(k.ID), []catalog.Category{k})
	}
	return &tool{
		signature: signature{
			name:   "list_tags",
			params: []param{{name: "category", allowed: d.entries.categories, brief: true, example: `"payments"`, about: "Only this one."}},
		},
		title: "List categories and tags",
		about: "Lists categories and tags with their numbers of entries, the most frequent tags first. " +
			"Use it to find filters for list_entries. " +
			`Example: {"category":"payments"}.`,
		output: object(prop("categories", listOf(object(texts("id")...))), prop("tags", listOf(object(texts("tag")...)))),
		run: func(_ context.Context, in arguments, _ Caller) (*Answer, error) {
			return byCategory[in.text("category")], nil
		},
	}
}

type categoryCount struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Count int    `json:"count"`
}

type tagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

func tagsAnswer(category string, entries []*catalog.Entry, categories []catalog.Category) *Answer {
	counts := make(map[string]int)
	for _, e := range entries {
		for _, tag := range e.Tags {
			counts[tag]++
		}
	}
	out := struct {
		Categories []categoryCount `json:"categories"`
		Tags       []tagCount      `json:"tags"`
	}{[]categoryCount{}, []tagCount{}}
	var text strings.Builder
	for _, k := range categories {
		out.Categories = append(out.Categories, categoryCount{k.ID, k.Label, k.Count})
		fmt.Fprintf(&text, "- category %s (%s): %s\n", k.ID, k.Label, countOf(k.Count, "entry", "entries"))
	}
	for tag, n := range counts {
		out.Tags = append(out.Tags, tagCount{tag, n})
	}
	slices.SortFunc(out.Tags, func(a, b tagCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Tag, b.Tag))
	})
	scope := "in the library"
	if category != "" {
		scope = "in category " + category
	}
	fmt.Fprintf(&text, "%s %s:", countOf(len(out.Tags), "tag", "tags"), scope)
	for i, tc := range out.Tags {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, " %s (%d)", tc.Tag, tc.Count)
	}
	return newAnswer(text.String(), encode(out))
}
