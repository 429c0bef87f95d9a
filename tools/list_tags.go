package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
)

func listTags(d *data) *tool {
	byCategory := map[string]*Answer{"": tagsAnswer("", d.entries.all)}
	for _, id := range d.entries.categories {
		byCategory[id] = tagsAnswer(id, d.catalog.InCategory(id))
	}
	return &tool{
		signature: signature{
			name:   "list_tags",
			params: []param{{name: "category", allowed: d.entries.categories, brief: true, example: `"payments"`, about: "Only this one."}},
		},
		title: "List tags",
		about: "Lists the tags, the most frequent first. " +
			"Use it to find tags for list_entries. " +
			`Example: {"category":"payments"}.`,
		output: object(prop("count", integerSchema), prop("tags", listOf(object(prop("tag", textSchema), prop("count", integerSchema))))),
		run: func(_ context.Context, in arguments, _ Caller) (*Answer, error) {
			return byCategory[in.text("category")], nil
		},
	}
}

type tagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

func tagsAnswer(category string, entries []*catalog.Entry) *Answer {
	counts := make(map[string]int)
	for _, e := range entries {
		for _, tag := range e.Tags {
			counts[tag]++
		}
	}
	out := struct {
		Count int        `json:"count"`
		Tags  []tagCount `json:"tags"`
	}{Count: len(counts), Tags: []tagCount{}}
	for tag, n := range counts {
		out.Tags = append(out.Tags, tagCount{tag, n})
	}
	slices.SortFunc(out.Tags, func(a, b tagCount) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Tag, b.Tag)
	})
	where := "in the library"
	if category != "" {
		where = "in category " + category
	}
	var line strings.Builder
	fmt.Fprintf(&line, "%s %s:", countOf(out.Count, "tag", "tags"), where)
	for i, tc := range out.Tags {
		if i > 0 {
			line.WriteByte(',')
		}
		fmt.Fprintf(&line, " %s (%d)", tc.Tag, tc.Count)
	}
	return newAnswer(line.String(), encode(out))
}
