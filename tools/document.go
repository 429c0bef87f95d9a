package tools

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/phrase"
	"go.almanac.example/internal/wirejson"
)

// A document is a record as fetch reads it and search quotes it: blocks that are never parted from their sources.
type document struct {
	title    string
	sections []string
	blocks   []block
	markdown string // the published document; "" when blocks are all there is
	isText   bool   // the blocks are those of the published document
}

// A block is a value, a statement, or a part of a text.
type block struct {
	section  string
	text     string       // with its line end
	source   string       // "" where the text names its sources, or needs none
	verified catalog.Date // of the source
	quote    string       // its words, which a section alone shows
	silent   bool         // the sources do not state it: one of a line of such
}

// maxMark is the most that the number of a source takes beside a value and before the source.
const maxMark = 20

// document returns the blocks of a record.
func (r *resources) document(rec record) *document {
	doc := &document{markdown: rec.body}
	doc.title = markdown.TitleOf(doc.markdown)
	_, name, _ := strings.Cut(rec.id, ":")
	if e, ok := r.catalog.Entry(rec.id); ok && rec.kind == kindEntry {
		doc.addEntry(r.catalog, e)
	} else if p := r.protocols.find(name); p != nil && rec.kind == kindProtocol {
		doc.addProtocol(r.protocols, p)
	} else {
		doc.addMarkdown(furniture.ReplaceAllString(doc.markdown, ""))
		doc.isText = true
	}
	for _, s := range markdown.Sections(doc.markdown) {
		if s.Name != "" && !slices.Contains(doc.sections, s.Name) {
			doc.sections = append(doc.sections, s.Name)
		}
	}
	return doc
}

// furniture finds the lines of a document that lead to its other forms, which an answer has otherwise or needs not.
var furniture = regexp.MustCompile(`(?m)^- (JSON|HTML|Tags): .*\n`)

func (doc *document) addEntry(c *catalog.Catalog, e *catalog.Entry) {
	doc.title = e.Title
	facts := fmt.Sprintf("- type: %s; published: %s; publisher: %s; tags: %s\n",
		e.Type, cmp.Or(string(e.Published()), "unknown"), e.Publisher, strings.Join(e.Tags, ", "))
	summary := block{section: "summary", source: e.URL, verified: e.VerifiedAt}
	if r, ok := c.EntryReading(e); ok {
		facts += "- " + phrase.ReadingClass(r) + "\n"
		summary.source, summary.verified, summary.quote = r.URL, r.ReadAt, r.Quote
	}
	summary.text = e.Summary + "\n" + facts
	doc.blocks = append(doc.blocks, summary)
	for _, s := range c.ClassedStatements(e) {
		b := block{section: s.ID, text: "- " + s.About + ": " + s.Text + "\n",
			source: s.Readings[0].URL, verified: s.Readings[0].ReadAt, quote: s.Readings[0].Quote}
		if s.Example != nil {
			b.text += "```\n" + s.Example.Text + "\n```\n"
		}
		doc.blocks = append(doc.blocks, b)
		doc.sections = append(doc.sections, s.ID)
	}
}

func (doc *document) addProtocol(ps *protocols, p *protocol) {
	doc.title = p.name
	if p.about != "" {
		doc.blocks = append(doc.blocks, block{text: p.name + " is " + p.about + ".\n"})
	}
	var silent []block
	for _, name := range ps.fields {
		v, reason := p.value(name)
		if reason == reasonUnasked {
			continue
		}
		doc.sections = append(doc.sections, name)
		if reason == reasonSilent {
			silent = append(silent, block{section: name, text: ", " + name, silent: true})
			continue
		}
		doc.blocks = append(doc.blocks, block{section: name, text: "- " + name + ": " + factText(v.Value) + "\n", source: v.Source, verified: v.VerifiedAt, quote: v.Quote})
	}
	if silent != nil {
		silent[0].text = notStated + silent[0].section
		silent[len(silent)-1].text += "\n"
	}
	doc.blocks = append(doc.blocks, silent...)
}

// notStated begins the line of the fields that the sources do not state.
const notStated = "- not stated by the sources: "

// addMarkdown adds the blocks of a Markdown text: headings, paragraphs, rows of tables, and items of lists with what is
// indented below.
func (doc *document) addMarkdown(text string) {
	section, fenced, blank := "", false, true
	for line := range strings.Lines(text) {
		heading := strings.TrimLeft(line, "#")
		begins := !fenced && (blank && strings.TrimSpace(line) == strings.TrimRight(line, " \n") ||
			heading != line || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "| "))
		blank = strings.TrimSpace(line) == ""
		begins = begins && !blank
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if begins && heading != line {
			section = markdown.SlugOf(heading)
		}
		if n := len(doc.blocks); !begins && n > 0 {
			doc.blocks[n-1].text += line
			continue
		}
		doc.blocks = append(doc.blocks, block{section: section, text: line})
	}
}

// part returns a section of a document, or nil. "pay flow" is pay_flow, and the number of a heading may be left out.
func (doc *document) part(name string) *document {
	plain := func(name string) string {
		slug := strings.ReplaceAll(markdown.SlugOf(name), "_", "-")
		return cmp.Or(strings.TrimLeft(slug, "0123456789-"), slug)
	}
	part := &document{title: doc.title, sections: doc.sections}
	for _, b := range doc.blocks {
		if !doc.isText && plain(b.section) == plain(name) {
			part.blocks = append(part.blocks, b.quoted())
		}
	}
	if part.blocks != nil {
		return part
	}
	for _, s := range markdown.Sections(doc.markdown) {
		if plain(s.Name) == plain(name) {
			part.addMarkdown(doc.markdown[s.Start:s.End])
			return part
		}
	}
	return nil
}

// quoted returns a block as it stands alone, with the words of its source.
func (b block) quoted() block {
	switch {
	case b.silent:
		b.text = notStated + b.section + "\n"
	case b.quote != "":
		b.text += "  in the source: “" + b.quote + "”\n"
	}
	b.silent, b.quote = false, ""
	return b
}

// sectionOf returns the section whose name has a word, or "".
func (doc *document) sectionOf(word string) string {
	i := slices.IndexFunc(doc.sections, func(s string) bool { return slices.Contains(strings.Split(s, "-"), word) })
	if i < 0 {
		return ""
	}
	return doc.sections[i]
}

// sectionsFrom returns the sections that begin at a byte of the text or later.
func (doc *document) sectionsFrom(at int) (names []string) {
	size := 0
	for _, b := range doc.blocks {
		if size >= at && b.section != "" && !slices.Contains(names, b.section) {
			names = append(names, b.section)
		}
		size += len(b.text)
	}
	return names
}

func (doc *document) size() (n int) {
	for _, b := range doc.blocks {
		n += len(b.text)
	}
	return n
}

// page returns the text from a byte on, at most some bytes of it, with the sources of the values in it, and where the
// next page begins, 0 if there is none. It ends between blocks; only a block that does not fit on a page of its own is
// parted, and then each part names the source.
func (doc *document) page(from, most int) (text string, next int) {
	var b strings.Builder
	var sources []string
	at, size := 0, 0
	for _, bl := range doc.blocks {
		end := at + len(bl.text)
		if end <= from {
			at = end
			continue
		}
		part := bl.text[max(0, from-at):]
		note, mark := "", ""
		if bl.source != "" {
			note = fmt.Sprintf("%s (read %s)", bl.source, bl.verified)
			n := slices.Index(sources, note) + 1
			if n == 0 {
				n = len(sources) + 1
			} else {
				note = ""
			}
			mark = fmt.Sprintf(" [%d]", n)
		}
		if bl.silent && size == 0 {
			part = notStated + strings.TrimPrefix(strings.TrimPrefix(part, notStated), ", ")
		} else if from > at {
			part = "(" + bl.section + ", continued) " + part
		}
		length := len(wirejson.AppendString(nil, part+note)) - len(`""`) + maxMark
		if size > 0 && size+length > most {
			return withSources(b.String(), sources), at
		}
		if note != "" {
			sources = append(sources, note)
		}
		if length > most {
			begin := max(from, at)
			keep := cutAt(bl.text[begin-at:], max(40, most-len(note)-maxMark))
			b.WriteString(strings.TrimRight(part[:len(part)-(end-begin)+keep], "\n") + mark + "\n")
			if begin+keep < doc.size() {
				next = begin + keep
			}
			return withSources(b.String(), sources), next
		}
		b.WriteString(strings.TrimRight(part, "\n") + mark + part[len(strings.TrimRight(part, "\n")):])
		size += length
		at = end
	}
	return withSources(b.String(), sources), 0
}

func withSources(text string, sources []string) string {
	if len(sources) == 0 {
		return text
	}
	text += "\n"
	for i, s := range sources {
		text += fmt.Sprintf("[%d] %s\n", i+1, s)
	}
	return text
}

// cutAt returns where a part of a text ends that has at most some bytes: after a line, if one ends in the second half,
// or else after a character.
func cutAt(text string, most int) int {
	if most >= len(text) {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:most], '\n'); i >= most/2 {
		return i + 1
	}
	for most > 1 && text[most]&0xC0 == 0x80 {
		most--
	}
	return most
}
