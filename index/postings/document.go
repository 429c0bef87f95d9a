package postings

import bleveindex "github.com/blevesearch/bleve_index_api"

// A document is an analysed document: the terms of each group of fields with their packed frequencies,
// and its stop words, each at least once.
type document struct{ groups [groups + 1]tokens }

// tokens are terms, in any order and as often as a document has them.
type tokens struct {
	terms []string
	freqs []int // packed; nil if they do not matter
}

// A tokenRoom is the memory of the tokens of the documents of a segment, used again by the next.
type tokenRoom struct {
	terms []string
	freqs []int
}

// cut returns the tokens added since a length of the room.
func (r *tokenRoom) cut(from int) tokens {
	n := len(r.terms)
	return tokens{r.terms[from:n:n], r.freqs[from:n:n]}
}

// newDocument analyses the texts of a document, counts its words and sets its lengths.
func (b *builder) newDocument(number int, texts [Fields]string) (doc document) {
	b.docs++
	stops := b.stops[:0]
	for g, fields := range groupFields {
		from := len(b.room.terms)
		for _, f := range fields {
			stops = b.addField(stops, number, f, texts[f])
		}
		doc.groups[g] = b.room.cut(from)
	}
	from := len(b.room.terms)
	for _, w := range stops {
		b.room.terms, b.room.freqs = append(b.room.terms, w), append(b.room.freqs, 1)
	}
	doc.groups[groupStops], b.stops = b.room.cut(from), stops
	return doc
}

// addField adds the terms of a field to the room, and its stop words to stops.
func (b *builder) addField(stops []string, number, field int, s string) []string {
	b.words = b.analyzer.Words(b.words[:0], s)
	if len(b.words) == 0 {
		return stops
	}
	b.terms = b.analyzer.Terms(b.terms[:0], b.words, s)
	length, freq := 0, packedOne(field)
	for i := range b.terms {
		t := &b.terms[i]
		b.room.terms, b.room.freqs = append(b.room.terms, t.Text), append(b.room.freqs, freq)
		switch {
		case !t.Extra:
			length++
		case t.IsWritten():
			b.vocabulary.add(t.Text, b.analyzer.Number(t.Text), b.docs)
		}
	}
	b.lengths.set(field, number, max(length, 1))
	for i := range b.words {
		w := &b.words[i]
		n := w.Number()
		if n == 0 && w.Stop { // its spelling with an apostrophe has none
			n = b.analyzer.Number(w.Text)
		}
		b.vocabulary.add(w.Text, n, b.docs)
		if w.Stop {
			stops = append(stops, w.Text)
		}
	}
	return stops
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
	for g := range d.groups {
		if t := &d.groups[g]; len(t.terms) > 0 {
			shown := &d.shown[g]
			shown.tokens = t
			visit(shown)
		}
	}
}

// shownFields are the fields of the document that Bleve is visiting.
type shownFields [groups + 1]shownField

func newShownFields() *shownFields {
	fields := new(shownFields)
	for g := range fields {
		fields[g].group, fields[g].freqs = g, make(bleveindex.TokenFrequencies)
	}
	return fields
}

// A shownField is one field of the document that Bleve is visiting.
type shownField struct {
	group  int
	tokens *tokens
	freqs  bleveindex.TokenFrequencies
	room   []*bleveindex.TokenFreq // used again
}

func (f *shownField) Name() string              { return groupNames[f.group] }
func (f *shownField) Value() []byte             { return nil }
func (f *shownField) ArrayPositions() []uint64  { return nil }
func (f *shownField) EncodedFieldType() byte    { return 't' }
func (f *shownField) Analyze()                  {}
func (f *shownField) AnalyzedLength() int       { return 1 } // lengths are kept beside the segments, by field
func (f *shownField) NumPlainTextBytes() uint64 { return 0 }

// Options implements bleveindex.Field.
func (f *shownField) Options() bleveindex.FieldIndexingOptions {
	if f.group == groupStops {
		return bleveindex.IndexField | bleveindex.SkipFreqNorm
	}
	return bleveindex.IndexField
}

// AnalyzedTokenFrequencies implements bleveindex.Field. The map is valid until the field of the next
// document is visited: Bleve copies what it needs before that.
func (f *shownField) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies {
	clear(f.freqs)
	used := 0
	for i, term := range f.tokens.terms {
		freq, ok := f.freqs[term]
		if !ok {
			if used == len(f.room) {
				f.room = append(f.room, new(bleveindex.TokenFreq))
			}
			freq = f.room[used]
			used++
			freq.SetFrequency(f.tokens.freqs[i])
			f.freqs[term] = freq
			continue
		}
		freq.SetFrequency(packedSum(freq.Frequency(), f.tokens.freqs[i]))
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
