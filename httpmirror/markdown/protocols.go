package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// notStated stands where a fact is null (docs/contract.md, "Documents").
const notStated = "not stated by the cited pages"

// Protocols renders the protocol facts: a section for each protocol with a bullet for each field, and below each fact
// its source and the day on which it was verified.
func (r *Renderer) Protocols(w *Writer) {
	doc := r.cat.Protocols()
	w.Printf("# Protocol facts\n\n%s\n\n", Text(doc.Description))
	w.Printf("%s. Generated at %s. JSON form: %s\n", phrase.Count(doc.Count, "protocol", "protocols"), doc.GeneratedAt,
		r.url(catalog.ProtocolsJSONPath))
	for _, p := range doc.Protocols {
		w.Printf("\n## %s\n\n", Text(p.Name))
		facts(w, p, nil)
	}
}

// Protocol renders one protocol: its facts, its profile, its flow, and other records of the catalogue
// about it.
func (r *Renderer) Protocol(w *Writer, id string, tag *catalog.Tag, articles []*catalog.Article) {
	name, lede := r.cat.ProtocolName(id), "Checked facts about "+r.cat.ProtocolName(id)+"."
	profile, profiled := r.cat.Profile(id)
	if profiled {
		lede = profile.Sentence()
	}
	r.title(w, name, lede+" Each value has its source and the day we read it. “Not stated” means the source is silent.",
		catalog.ProtocolPath(id), catalog.ProtocolJSONPath(id))
	w.Item("Generated at", r.cat.Timestamp(r.cat.ProtocolPageDay(id)))
	if p, ok := r.cat.Protocol(id); ok {
		w.Printf("\n## Facts\n\n")
		facts(w, p, r.factEvidence)
	}
	r.versions(w, id)
	if f, ok := r.cat.Flow(id); ok {
		flow(w, f)
	}
	for i, e := range r.cat.Exchanges(id) {
		if i == 0 {
			w.Printf("\n## A payment in code\n\n%s\n", Text(r.cat.ExchangeNote()))
		}
		w.Printf("\n### %s\n\n%s", e.Language, Fence(e.Code, ""))
	}
	if profiled {
		r.profile(w, profile)
	}
	questions(w, r.cat.Questions("protocol:"+id))
	if tag == nil && len(articles) == 0 {
		return
	}
	w.Printf("\n## In this catalogue\n\n")
	if tag != nil {
		w.Item(Link("Sources tagged "+tag.ID, tag.MarkdownURL), phrase.Count(tag.Count, "source", "sources"))
	}
	for _, a := range articles {
		w.Item(r.link(a.Title, catalog.ArticleMarkdownPath(a.ID)), "article")
	}
}

// facts writes the fields of a protocol, each followed by its source and, if evidence is not nil, by what that writes.
func facts(w *Writer, p *catalog.Protocol, evidence func(w *Writer, p *catalog.Protocol, name string)) {
	w.Item("id", Code(p.ID))
	w.Item("featured", strconv.FormatBool(p.Featured))
	for _, f := range p.Facts() {
		if f.Value == nil {
			w.Item(f.Name, notStated)
			continue
		}
		sourcedFact(w, f)
		if evidence != nil {
			evidence(w, p, f.Name)
		}
	}
}

// versions writes the facts that are stated for the earlier versions of a protocol.
func (r *Renderer) versions(w *Writer, id string) {
	list := r.cat.Versions(id)
	if len(list) == 0 {
		return
	}
	w.Printf("\n## Earlier versions\n\nThe facts above are those of the newest version. JSON form: %s\n", r.url(catalog.VersionsJSONPath(id)))
	for _, v := range list {
		w.Printf("\n### Version %s\n\n%s.\n\n", Text(v.Version), phrase.Sentence(v.Span()))
		for _, f := range v.Facts.Facts() {
			if f.Value != nil {
				sourcedFact(w, f)
			}
		}
	}
}

// sourcedFact writes the bullet of a fact, its source and the day of the reading.
func sourcedFact(w *Writer, f catalog.FactField) {
	fact(w, f.Name, f.Value)
	w.Printf("  - source: %s\n  - verified_at: %s\n", Address(f.Source), f.VerifiedAt)
}

// fact writes the bullet of a fact. Values that are lists get a list of their own.
func fact(w *Writer, name string, value any) {
	switch v := value.(type) {
	case string:
		if name == "example" {
			w.Printf("- %s:\n\n%s\n", name, Fence(v, "  "))
			return
		}
		if target(v) != "" {
			w.Item(name, Address(v))
			return
		}
		w.Item(name, Text(v))
	case []int:
		codes := make([]string, len(v))
		for i, c := range v {
			codes[i] = strconv.Itoa(c)
		}
		w.Item(name, strings.Join(codes, ", "))
	case []string:
		w.Printf("- %s:\n", name)
		for i, step := range v {
			w.Printf("  %d. %s\n", i+1, Text(step))
		}
	default:
		w.Printf("- %s:\n", name)
		for _, line := range factLines(v) {
			w.Printf("  - %s\n", line)
		}
	}
}

// factLines returns the items of a list of objects, one a line.
func factLines(value any) []string {
	var lines []string
	switch v := value.(type) {
	case []catalog.Header:
		for _, h := range v {
			lines = append(lines, fmt.Sprintf("%s (%s): %s", Code(h.Name), Text(h.Direction), Text(h.Role)))
		}
	case []catalog.Network:
		for _, n := range v {
			line := Text(n.Name)
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
		for _, l := range v {
			lines = append(lines, Link(l.Name, l.URL))
		}
	case []catalog.Library:
		for _, l := range v {
			if l.URL == nil {
				lines = append(lines, Text(l.Name))
			} else {
				lines = append(lines, Link(l.Name, *l.URL))
			}
		}
	default:
		panic(fmt.Sprintf("markdown: no form for a fact of type %T", value))
	}
	return lines
}
