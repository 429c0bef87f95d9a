package tools

import (
	"context"
	"fmt"
	"strings"
)

// categoriesAnswer lists the categories. Being constant, it is built once.
func categoriesAnswer(d *data) *Answer {
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
	}{GeneratedAt: d.catalog.CategoryIndex().GeneratedAt, Categories: []category{}}
	var lines strings.Builder
	for _, k := range d.catalog.Categories() {
		out.Categories = append(out.Categories, category{k.ID, k.Label, k.Featured, k.Count})
		fmt.Fprintf(&lines, "- id: %s; %s; %s", k.ID, k.Label, countOf(k.Count, "entry", "entries"))
		if k.Featured {
			lines.WriteString("; featured")
		}
		lines.WriteByte('\n')
	}
	out.Count = len(out.Categories)
	title := fmt.Sprintf("%s, generated at %s.\n\n", countOf(out.Count, "category", "categories"), out.GeneratedAt)
	return newAnswer(title+lines.String(), encode(out))
}

func listCategories(d *data) *tool {
	all := categoriesAnswer(d)
	return &tool{
		signature: signature{name: "list_categories"},
		title:     "List categories",
		about: "Lists the categories with their numbers of entries. " +
			"Skip it when you know the category. " +
			"Example: {}.",
		output: object(prop("generated_at", textSchema), prop("count", integerSchema),
			prop("categories", listOf(object(prop("id", textSchema), prop("label", textSchema), prop("featured", boolSchema), prop("count", integerSchema))))),
		run: func(context.Context, arguments, Caller) (*Answer, error) { return all, nil },
	}
}
