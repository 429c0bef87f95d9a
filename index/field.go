package index

import (
	"github.com/blevesearch/bleve/v2/document"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// The indexed fields of a document. Scoring adds up the first three before it saturates (BM25F);
// fieldWords holds every word as it is written, for words that are begun or misspelt.
const (
	fieldTitle = iota
	fieldLabels
	fieldText
	fieldWords
	scoredFields = fieldWords
)

// fieldNames are the fields as Bleve knows them.
var fieldNames = [...]string{fieldTitle: "t", fieldLabels: "l", fieldText: "x", fieldWords: "w"}

// matchNames are the scored fields as an answer tells them.
var matchNames = [...]string{fieldTitle: "title", fieldLabels: "labels", fieldText: "text"}

// A textField is an analysed field as Bleve takes it. It is analysed before Bleve asks, so that
// documents can be analysed in parallel whatever Bleve does.
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

// analyse gives a document in the form Bleve takes, under the id given, and the length of each
// scored field in words.
func (a *analyzer) analyse(id string, d *source) (*document.Document, [scoredFields]int) {
	doc := document.NewDocument(id)
	surface := make(bleveindex.TokenFrequencies)
	var lengths [scoredFields]int
	var ws []word
	var ts []term
	for f, text := range d.texts() {
		ws = a.words(ws[:0], text)
		if len(ws) == 0 {
			continue
		}
		ts = a.terms(ts[:0], ws, text)
		freqs, length := frequencies(ws, ts)
		lengths[f] = length
		doc.AddField(&textField{
			name: fieldNames[f], options: bleveindex.IndexField | bleveindex.IncludeTermVectors,
			size: uint64(len(text)), length: length, freqs: freqs,
		})
		for _, w := range ws {
			addSurface(surface, w.text)
		}
		for _, t := range ts {
			if t.extra && t.text[0] != conceptMark[0] && t.text[0] != joinMark[0] {
				addSurface(surface, t.text)
			}
		}
	}
	if len(surface) > 0 {
		doc.AddField(&textField{
			name: fieldNames[fieldWords], options: bleveindex.IndexField | bleveindex.SkipFreqNorm,
			length: len(surface), freqs: surface,
		})
	}
	return doc, lengths
}

func addSurface(surface bleveindex.TokenFrequencies, w string) {
	if _, ok := surface[w]; !ok {
		surface[w] = &bleveindex.TokenFreq{Term: []byte(w)}
	}
}

// frequencies counts the terms of a field, and gives its length: its words that are not stop words.
func frequencies(ws []word, ts []term) (bleveindex.TokenFrequencies, int) {
	freqs := make(bleveindex.TokenFrequencies, len(ts))
	spots := make([]bleveindex.TokenLocation, len(ts))
	length := 0
	for i, t := range ts {
		if !t.extra {
			length++
		}
		spots[i] = bleveindex.TokenLocation{Start: ws[t.first].start, End: ws[t.last].end, Position: t.first + 1}
		tf, ok := freqs[t.text]
		if !ok {
			tf = &bleveindex.TokenFreq{Term: []byte(t.text)}
			freqs[t.text] = tf
		}
		tf.Locations = append(tf.Locations, &spots[i])
		tf.SetFrequency(tf.Frequency() + 1)
	}
	return freqs, max(length, 1)
}
