package postings

import (
	"almanac/index/text"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A document is an analysed document.
type document struct {
	fields [Fields]tokens
	stops  []string // its stop words, each at least once
}

// tokens are the terms of a field with their positions.
type tokens struct {
	terms     []string
	positions []uint32
	length    int // in words that are not stop words
}

// newDocument analyses the texts of a document and counts its words.
func (b *builder) newDocument(texts [Fields]string) document {
	var doc document
	b.docs++
	for f, s := range texts {
		b.words = b.analyzer.Words(b.words[:0], s)
		if len(b.words) == 0 {
			continue
		}
		b.terms = b.analyzer.Terms(b.terms[:0], b.words, s)
		doc.fields[f] = newTokens(b.terms)
		b.lengths.words[f] += doc.fields[f].length
		b.lengths.docs[f]++
		for _, w := range b.words {
			b.vocabulary.add(w.Text, b.docs)
			if w.Stop {
				doc.stops = append(doc.stops, w.Text)
			}
		}
		for _, t := range b.terms {
			if t.Extra && t.IsWritten() {
				b.vocabulary.add(t.Text, b.docs)
			}
		}
	}
	return doc
}

func newTokens(ts []text.Term) tokens {
	t := tokens{terms: make([]string, len(ts)), positions: make([]uint32, len(ts))}
	for i, term := range ts {
		if !term.Extra {
			t.length++
		}
		t.terms[i], t.positions[i] = term.Text, uint32(term.First+1)
	}
	t.length = max(t.length, 1)
	return t
}

// A zapDocument is a document in the form that Bleve's segments are made of. Documents of one segment
// share the memory in which their fields are shown to Bleve, which keeps none of it.
type zapDocument struct {
	document
	shown *shownFields
}

func (d *zapDocument) ID() string                                      { return "" }
func (d *zapDocument) Size() int                                       { return 0 }
func (d *zapDocument) VisitComposite(bleveindex.CompositeFieldVisitor) {}
func (d *zapDocument) HasComposite() bool                              { return false }
func (d *zapDocument) NumPlainTextBytes() uint64                       { return 0 }
func (d *zapDocument) AddIDField()                                     {}
func (d *zapDocument) StoredFieldsBytes() uint64                       { return 0 }
func (d *zapDocument) Indexed() bool                                   { return true }

// VisitFields implements bleveindex.Document.
func (d *zapDocument) VisitFields(visit bleveindex.FieldVisitor) {
	visit(idField{})
	for f := range d.fields {
		if t := &d.fields[f]; len(t.terms) > 0 || t.length > 0 {
			shown := &d.shown[f]
			shown.tokens = t
			visit(shown)
		}
	}
	if len(d.stops) > 0 {
		shown := &d.shown[fieldStops]
		shown.tokens = &tokens{terms: d.stops, length: len(d.stops)}
		visit(shown)
	}
}

// shownFields are the fields of the document that Bleve is visiting.
type shownFields [fieldStops + 1]shownField

func newShownFields() *shownFields {
	fields := new(shownFields)
	for f := range fields {
		fields[f].field, fields[f].freqs = f, make(bleveindex.TokenFrequencies)
	}
	return fields
}

// A shownField is one field of the document that Bleve is visiting.
type shownField struct {
	field  int
	tokens *tokens
	freqs  bleveindex.TokenFrequencies
	room   []*bleveindex.TokenFreq // used again
	places []bleveindex.TokenLocation
}

func (f *shownField) Name() string              { return fieldNames[f.field] }
func (f *shownField) Value() []byte             { return nil }
func (f *shownField) ArrayPositions() []uint64  { return nil }
func (f *shownField) EncodedFieldType() byte    { return 't' }
func (f *shownField) Analyze()                  {}
func (f *shownField) AnalyzedLength() int       { return f.tokens.length }
func (f *shownField) NumPlainTextBytes() uint64 { return 0 }

// Options implements bleveindex.Field.
func (f *shownField) Options() bleveindex.FieldIndexingOptions {
	if f.field == fieldStops {
		return bleveindex.IndexField | bleveindex.SkipFreqNorm
	}
	return bleveindex.IndexField | bleveindex.IncludeTermVectors
}

// AnalyzedTokenFrequencies implements bleveindex.Field. The map is valid until the field of the next
// document is visited: Bleve copies what it needs before that.
func (f *shownField) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies {
	clear(f.freqs)
	used := 0
	if n := len(f.tokens.terms); cap(f.places) < n {
		f.places = make([]bleveindex.TokenLocation, 2*n)
	}
	for i, term := range f.tokens.terms {
		freq, ok := f.freqs[term]
		if !ok {
			if used == len(f.room) {
				f.room = append(f.room, new(bleveindex.TokenFreq))
			}
			freq = f.room[used]
			used++
			freq.Locations = freq.Locations[:0]
			freq.SetFrequency(0)
			f.freqs[term] = freq
		}
		freq.SetFrequency(freq.Frequency() + 1)
		if f.tokens.positions != nil {
			place := &f.places[i]
			place.Position = int(f.tokens.positions[i])
			freq.Locations = append(freq.Locations, place)
		}
	}
	return f.freqs
}

// idField is the id that a segment demands of each document. Documents are identified by their
// numbers here, so it is empty.
type idField struct{}

func (idField) Name() string                                          { return "_id" }
func (idField) Value() []byte                                         { return nil }
func (idField) ArrayPositions() []uint64                              { return nil }
func (idField) EncodedFieldType() byte                                { return 't' }
func (idField) Analyze()                                              {}
func (idField) Options() bleveindex.FieldIndexingOptions              { return bleveindex.StoreField }
func (idField) AnalyzedLength() int                                   { return 0 }
func (idField) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return nil }
func (idField) NumPlainTextBytes() uint64                             { return 0 }
