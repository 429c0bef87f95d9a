package postings

import (
	"almanac/index/text"

	"github.com/blevesearch/bleve/v2/document"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A textField is an analysed field as Bleve takes it. It is analysed before Bleve asks for it, so
// that documents are analysed in parallel whatever Bleve does.
type textField struct {
	name    string
	options bleveindex.FieldIndexingOptions
	size    uint64
	length  int
	freqs   bleveindex.TokenFrequencies
}

func (f *textField) Name() string                                          { return f.name }
func (f *textField) Value() []byte                                         { return nil }
func (f *textField) ArrayPositions() []uint64                              { return nil }
func (f *textField) EncodedFieldType() byte                                { return 't' }
func (f *textField) Analyze()                                              {}
func (f *textField) Options() bleveindex.FieldIndexingOptions              { return f.options }
func (f *textField) AnalyzedLength() int                                   { return f.length }
func (f *textField) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.freqs }
func (f *textField) NumPlainTextBytes() uint64                             { return f.size }
func (f *textField) Size() int                                             { return int(f.size) + f.freqs.Size() }

// newDocument returns a document with an id in the form Bleve takes, and the length of each
// scored field in words.
func newDocument(a *text.Analyzer, id string, texts [Fields]string) (*document.Document, [Fields]int) {
	doc := document.NewDocument(id)
	written := make(bleveindex.TokenFrequencies)
	var lengths [Fields]int
	var ws []text.Word
	var ts []text.Term
	for f, s := range texts {
		ws = a.Words(ws[:0], s)
		if len(ws) == 0 {
			continue
		}
		ts = a.Terms(ts[:0], ws, s)
		freqs, length := frequencies(ws, ts)
		lengths[f] = length
		doc.AddField(&textField{
			name: fieldNames[f], options: bleveindex.IndexField | bleveindex.IncludeTermVectors,
			size: uint64(len(s)), length: length, freqs: freqs,
		})
		for _, w := range ws {
			addWritten(written, w.Text)
		}
		for _, t := range ts {
			if t.Extra && t.IsWritten() {
				addWritten(written, t.Text)
			}
		}
	}
	if len(written) > 0 {
		doc.AddField(&textField{
			name: fieldNames[fieldWords], options: bleveindex.IndexField | bleveindex.SkipFreqNorm,
			length: len(written), freqs: written,
		})
	}
	return doc, lengths
}

func addWritten(written bleveindex.TokenFrequencies, w string) {
	if _, ok := written[w]; !ok {
		written[w] = &bleveindex.TokenFreq{Term: []byte(w)}
	}
}

// frequencies counts the terms of a field. The length of the field is the number of its words
// that are not stop words.
func frequencies(ws []text.Word, ts []text.Term) (freqs bleveindex.TokenFrequencies, length int) {
	freqs = make(bleveindex.TokenFrequencies, len(ts))
	places := make([]bleveindex.TokenLocation, len(ts))
	for i, t := range ts {
		if !t.Extra {
			length++
		}
		places[i] = bleveindex.TokenLocation{Start: ws[t.First].Start, End: ws[t.Last].End, Position: t.First + 1}
		tf, ok := freqs[t.Text]
		if !ok {
			tf = &bleveindex.TokenFreq{Term: []byte(t.Text)}
			freqs[t.Text] = tf
		}
		tf.Locations = append(tf.Locations, &places[i])
		tf.SetFrequency(tf.Frequency() + 1)
	}
	return freqs, max(length, 1)
}
