package markdown

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
)

// Members returns the changes to members of a record.
func (r *Renderer) Members(members []catalog.MemberChange) string {
	var w Writer
	for _, m := range members {
		if catalog.DigestMember(m.Name) {
			w.Item(Code(m.Name), "changed")
			continue
		}
		w.Item(Code(m.Name), "")
		r.memberValue(&w, "was", m, m.Old)
		r.memberValue(&w, "is", m, m.New)
	}
	return w.String()
}

// memberValue writes a value of a member. Links in our own texts are made to work wherever they are read. Quotes stay
// as their sources have them.
func (r *Renderer) memberValue(w *Writer, label string, m catalog.MemberChange, value json.RawMessage) {
	text := m.Text(value)
	if strings.HasPrefix(m.Name, "body") || strings.HasPrefix(m.Name, "readme") {
		text = r.Absolute(text)
	}
	switch {
	case text == "":
		w.Printf("  - %s: nothing\n", label)
	case strings.ContainsAny(text, "\n`"):
		w.Printf("  - %s:\n\n%s\n", label, Fence(strings.TrimSuffix(text, "\n"), "    "))
	default:
		w.Printf("  - %s: %s\n", label, Code(text))
	}
}

func dateOrUnknown(d *catalog.Date) string {
	return cmp.Or(string(catalog.OrEmpty(d)), "date not known")
}

// Section returns an entry as it stands in lists.
func (r *Renderer) Section(e *catalog.Entry) string {
	var w Writer
	w.WriteString("\n## " + Text(e.Title) + "\n\n" + Text(e.Summary) + "\n\n")
	w.Item("Source", Address(e.URL))
	w.Item("Publisher", Text(e.Publisher))
	if len(e.Authors) > 0 {
		w.Item("Authors", List(e.Authors))
	}
	w.Item("Published", dateOrUnknown(e.DatePublished))
	w.Item("Type", Text(e.Type))
	w.Item("Category", r.Link(e.Category, catalog.MarkdownPath(catalog.CategoryPath(e.Category))))
	w.Item("Tags", r.Tags(e.Tags))
	w.Item("Verified at", string(e.VerifiedAt))
	if e.HTTPStatus != 0 {
		w.Item("Link last checked", string(e.LastChecked)+", HTTP status "+strconv.Itoa(e.HTTPStatus))
	}
	if e.ArchiveURL != nil {
		w.Item("Archived copy", Address(*e.ArchiveURL))
	}
	w.Item("Entry", Code(e.ID)+", "+r.URL(catalog.EntryJSONPath(e.ID)))
	return w.String()
}

// Tags returns tags as links to their lists.
func (r *Renderer) Tags(tags []string) string {
	links := catalog.Convert(tags, func(t string) string { return r.Link(t, catalog.MarkdownPath(catalog.TagPath(t))) })
	return strings.Join(links, ", ")
}

// quotation returns words of a source in quotation marks. Where they are markup, they are shown and have no effect,
// also for readers that only look for what resembles a link or an element.
func quotation(s string) string {
	return "“" + strings.NewReplacer("](", `]\(`, `\<`, "&lt;").Replace(Text(s)) + "”"
}

// Body returns the text of an article with links that work wherever it is read.
func (r *Renderer) Body(a *catalog.Article) string {
	return r.Absolute(withoutLinks(a.Body, r.absent))
}

// fact returns the bullet of a fact. Values that are lists of objects get a list of their own.
func fact(name string, value any) string {
	var w Writer
	var lines []string // of the list
	switch v := value.(type) {
	case string:
		if name == "example" {
			w.Printf("- %s:\n\n%s\n", name, Fence(v, "  "))
		} else if target(v) != "" {
			w.Item(name, Address(v))
		} else {
			w.Item(name, Text(v))
		}
	case []int:
		w.Item(name, strings.Join(catalog.Convert(v, strconv.Itoa), ", "))
	case []string:
		for i, step := range v {
			lines = append(lines, fmt.Sprintf("%d. %s", i+1, Text(step)))
		}
	case []catalog.Header:
		lines = catalog.Convert(v, func(h catalog.Header) string {
			return fmt.Sprintf("- %s (%s): %s", Code(h.Name), Text(h.Direction), Text(h.Role))
		})
	case []catalog.Network:
		for _, n := range v {
			line := "- " + Text(n.Name)
			for _, part := range []struct {
				label string
				value *string
			}{{"CAIP-2", n.CAIP2}, {"asset", n.Asset}, {"contract", n.Contract}} {
				if part.value != nil {
					line += ", " + part.label + " " + Code(*part.value)
				}
			}
			lines = append(lines, line)
		}
	case []catalog.Link:
		lines = catalog.Convert(v, func(l catalog.Link) string { return "- " + Link(l.Name, l.URL) })
	case []catalog.Library:
		lines = catalog.Convert(v, func(l catalog.Library) string { return "- " + Link(l.Name, catalog.OrEmpty(l.URL)) })
	default:
		panic(fmt.Sprintf("markdown: no form for a fact of type %T", value))
	}
	if len(lines) > 0 {
		w.Printf("- %s:\n  %s\n", name, strings.Join(lines, "\n  "))
	}
	return w.String()
}
