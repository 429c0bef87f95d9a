package markdown

import (
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// notSaid stands where a field of a profile is null: never a no.
const notSaid = "the sources do not say"

// Choices renders the profiles of all protocols.
func (r *Renderer) Choices(w *Writer) {
	doc := r.cat.Choices()
	w.Printf("# Payment protocols side by side\n\n%s\n\n", Text(doc.Description))
	w.Printf("%s. Generated at %s. JSON form: %s\n", phrase.Count(doc.Count, "protocol", "protocols"), doc.GeneratedAt,
		r.url(catalog.ChoicesJSONPath))
	readings := make([][]catalog.ProfileField, len(doc.Protocols))
	for i, p := range doc.Protocols {
		readings[i] = p.GroupedFields()
	}
	for i, field := range new(catalog.Profile).GroupedFields() {
		w.Printf("\n## %s\n\n", Text(field.Label))
		for j, p := range doc.Protocols {
			f := readings[j][i]
			if f.Value == nil {
				w.Item(Text(p.Name), notSaid)
				continue
			}
			w.Item(Text(p.Name), Text(f.Text()))
			w.Printf("  - source: %s\n  - verified_at: %s\n", Address(f.Source), f.VerifiedAt)
		}
	}
}

// flow writes the messages of a payment.
func flow(w *Writer, f *catalog.Flow) {
	w.Printf("\n## How a payment runs\n\n%s\n\n", Text(f.Title))
	for i, s := range f.Steps {
		w.Printf("%d. %s: %s\n", i+1, Text(s.Parties()), Text(s.Label))
		if s.Note != nil {
			w.Printf("   - note: %s\n", Text(*s.Note))
		}
		w.Printf("   - source: %s\n   - verified_at: %s\n", Address(s.Source), s.VerifiedAt)
	}
}

// profile writes the profile of a protocol, by which one chooses it.
func (r *Renderer) profile(w *Writer, p *catalog.Profile) {
	w.Printf("\n## Profile\n\n")
	w.Item("kind", Text(p.Kind))
	for _, f := range p.Fields() {
		if f.Value == nil {
			w.Item(f.Name, notSaid)
			continue
		}
		w.Item(f.Name, Text(f.Text()))
		evidence(w, "  ", catalog.Evidence{Source: f.Source, Quote: f.Quote, Read: f.Read, VerifiedAt: f.VerifiedAt})
	}
	if len(p.Events) > 0 {
		w.Printf("\n## Release timeline\n\n")
		for _, e := range p.Events {
			w.Item(string(e.Date), Text(e.Version)+", "+Text(e.Text))
			if e.SupersededBy != nil {
				w.Printf("  - superseded by: %s\n", Text(*e.SupersededBy))
			}
			evidence(w, "  ", catalog.Evidence{Source: e.Source, Quote: e.Quote, Read: e.Read, VerifiedAt: e.VerifiedAt})
		}
	}
	if list := r.cat.Disagreements(p.ID); len(list) > 0 {
		w.Printf("\n## Where the sources disagree\n\n")
		for _, d := range list {
			w.Printf("- %s\n", Text(d.Text))
			for _, e := range d.Evidence {
				evidence(w, "  ", e)
			}
		}
	}
}

func evidence(w *Writer, indent string, e catalog.Evidence) {
	w.Printf("%s- source: %s\n%s- quote: %s\n%s- read: %s\n%s- verified_at: %s\n",
		indent, Address(e.Source), indent, quotation(e.Quote), indent, Text(e.Read), indent, e.VerifiedAt)
}

// quotation returns words of a source in quotation marks. Where they are markup, they are shown and have no effect,
// also for readers that only look for what resembles a link or an element.
func quotation(s string) string {
	return "“" + strings.NewReplacer("](", `]\(`, `\<`, "&lt;").Replace(Text(s)) + "”"
}

// Chooser renders which protocols fit which answers.
func (r *Renderer) Chooser(w *Writer) { r.write(w, "chooser", r.cat.Chooser()) }
