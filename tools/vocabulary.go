package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// categories gives the answer of list_categories.
func (t *Tools) categories() *Answer {
	type category struct {
		ID       string `json:"id"`
		Label    string `json:"label"`
		Featured bool   `json:"featured"`
		Count    int    `json:"count"`
	}
	out := struct {
		GeneratedAt string     `json:"generated_at"`
		Count       int        `json:"count"`
		Categories  []category `json:"categories"`
	}{GeneratedAt: t.c.GeneratedAt(), Categories: []category{}}
	var words strings.Builder
	for _, k := range t.c.Categories() {
		out.Categories = append(out.Categories, category{k.ID, k.Label, k.Featured, k.Count})
		fmt.Fprintf(&words, "- id: %s; %s; %d entries", k.ID, k.Label, k.Count)
		if k.Featured {
			words.WriteString("; featured")
		}
		words.WriteByte('\n')
	}
	out.Count = len(out.Categories)
	title := fmt.Sprintf("%d categories, generated at %s.\n\n", out.Count, out.GeneratedAt)
	return answer(title+words.String(), encode(out))
}

func (t *Tools) listCategories() *tool {
	ready := t.categories()
	return &tool{
		name: "list_categories", title: "List library categories",
		about: "Lists the eight categories of the library with the number of entries in each. " +
			"Use it first; skip it when you know the category. " +
			"Example: {}. Next, call list_entries with a category.",
		output: object([]string{"generated_at", "count", "categories"},
			prop("generated_at", isText), prop("count", isNumber),
			prop("categories", listOf(object([]string{"id", "label", "featured", "count"})))),
		run: func(context.Context, args, Caller) (*Answer, error) { return ready, nil },
	}
}

type tagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

func (t *Tools) listTags() *tool {
	ready := map[string]*Answer{"": tagAnswer("", t.lib.all)}
	for id, items := range t.lib.byCategory {
		ready[id] = tagAnswer(id, items)
	}
	return &tool{
		name: "list_tags", title: "List library tags",
		about: "Lists the tags of the library with the number of entries that carry each, the most used first. " +
			"Use it to find a tag to filter by; it does not search for words. " +
			`Example: {"category":"payments"} counts within one category. Next, call list_entries with a tag.`,
		params: []param{{name: "category", allowed: t.lib.categories, brief: true, example: `"payments"`}},
		output: object([]string{"count", "tags"},
			prop("tags", listOf(object([]string{"tag", "count"}, prop("tag", isText), prop("count", isNumber))))),
		run: func(_ context.Context, in args, _ Caller) (*Answer, error) {
			if a, ok := ready[in.text("category")]; ok {
				return a, nil
			}
			return tagAnswer(in.text("category"), nil), nil // a category without entries
		},
	}
}

func tagAnswer(category string, items []*item) *Answer {
	counts := make(map[string]int)
	for _, it := range items {
		for _, tag := range it.Tags {
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
	var words strings.Builder
	fmt.Fprintf(&words, "%d tags %s:", out.Count, where)
	for i, tc := range out.Tags {
		if i > 0 {
			words.WriteByte(',')
		}
		fmt.Fprintf(&words, " %s (%d)", tc.Tag, tc.Count)
	}
	return answer(words.String(), encode(out))
}
