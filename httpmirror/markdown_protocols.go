package httpmirror

import (
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog"
)

// notStated stands where a fact is null (SPEC.md, "Protocol facts document").
const notStated = "not stated by the cited pages"

// protocolsMarkdown is the Markdown form of the protocol facts as SPEC.md describes it: a title,
// an intro, a link to the JSON form, then a section per protocol with a bullet per field, and
// each fact followed by its source and verified_at lines.
func (b *builder) protocolsMarkdown() []byte {
	doc := b.cat.Protocols()
	var w mdWriter
	w.printf("# Protocol facts\n\n%s\n\n", mdText(doc.Description))
	w.printf("%s. Generated at %s. JSON form: %s\n", countOf(doc.Count, "protocol", "protocols"), doc.GeneratedAt,
		mdAddress(b.site.URL(catalog.ProtocolsJSONPath)))
	for _, p := range doc.Protocols {
		protocolMarkdown(&w, p)
	}
	return w.Bytes()
}

func protocolMarkdown(w *mdWriter, p *catalog.Protocol) {
	w.printf("\n## %s\n\n", mdText(p.Name))
	w.item("id", mdCode(p.ID))
	w.item("featured", strconv.FormatBool(p.Featured))
	for _, f := range p.Facts() {
		if f.Value == nil {
			w.item(f.Name, notStated)
			continue
		}
		factMarkdown(w, f.Name, f.Value)
		w.printf("  - source: %s\n  - verified_at: %s\n", mdAddress(f.Source), f.VerifiedAt)
	}
}

// factMarkdown writes the bullet of a fact. Values that are lists get a list of their own.
func factMarkdown(w *mdWriter, name string, value any) {
	switch v := value.(type) {
	case string:
		if name == "example" {
			w.printf("- %s:\n\n%s\n", name, mdFence(v, "  "))
			return
		}
		if mdTarget(v) != "" {
			w.item(name, mdAddress(v))
			return
		}
		w.item(name, mdText(v))
	case []int:
		codes := make([]string, len(v))
		for i, c := range v {
			codes[i] = strconv.Itoa(c)
		}
		w.item(name, strings.Join(codes, ", "))
	case []string:
		w.printf("- %s:\n", name)
		for i, step := range v {
			w.printf("  %d. %s\n", i+1, mdText(step))
		}
	default:
		w.printf("- %s:\n", name)
		for _, line := range factLines(v) {
			w.printf("  - %s\n", line)
		}
	}
}

// factLines writes the items of a list of objects, one a line.
func factLines(value any) []string {
	var lines []string
	switch v := value.(type) {
	case []catalog.Header:
		for _, h := range v {
			lines = append(lines, fmt.Sprintf("%s (%s): %s", mdCode(h.Name), mdText(h.Direction), mdText(h.Role)))
		}
	case []catalog.Network:
		for _, n := range v {
			line := mdText(n.Name)
			for _, part := range []struct {
				label string
				value *string
			}{{"CAIP-2", n.CAIP2}, {"asset", n.Asset}, {"contract", n.Contract}} {
				if part.value != nil {
					line += ", " + part.label + " " + mdCode(*part.value)
				}
			}
			lines = append(lines, line)
		}
	case []catalog.Link:
		for _, l := range v {
			lines = append(lines, mdLink(l.Name, l.URL))
		}
	case []catalog.Library:
		for _, l := range v {
			if l.URL == nil {
				lines = append(lines, mdText(l.Name))
			} else {
				lines = append(lines, mdLink(l.Name, *l.URL))
			}
		}
	default:
		panic(fmt.Sprintf("httpmirror: no Markdown for a fact of type %T", value))
	}
	return lines
}
