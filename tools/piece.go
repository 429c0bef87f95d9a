package tools

import "almanac/wirejson"

// A piece is a fragment of an answer in its two forms: JSON, and the text beside it, escaped.
type piece struct{ json, text []byte }

func (p piece) size() int { return len(p.json) + len(p.text) }

// jsonPiece returns a piece whose text is the JSON itself.
func jsonPiece(json string) piece { return piece{[]byte(json), wirejson.AppendEscaped(nil, json)} }

// A jsonAnswer builds an answer whose text is the structured answer itself, the one form that
// every client shows to its model in full.
type jsonAnswer struct {
	json, text segments
	size       int
}

func newJSONAnswer(pieces int) *jsonAnswer {
	return &jsonAnswer{json: make(segments, 0, pieces), text: make(segments, 0, pieces)}
}

func (a *jsonAnswer) raw(s string) { a.piece(jsonPiece(s)) }

func (a *jsonAnswer) value(v any) { a.raw(string(encode(v))) }

func (a *jsonAnswer) piece(p piece) {
	a.json, a.text = append(a.json, p.json), append(a.text, p.text)
	a.size += p.size()
}

func (a *jsonAnswer) add(other *jsonAnswer) {
	a.json, a.text = append(a.json, other.json...), append(a.text, other.text...)
	a.size += other.size
}

// omitted lists what was left out to keep the answer small, if anything was.
func (a *jsonAnswer) omitted(ids []string) {
	if ids != nil {
		a.raw(`,"omitted":`)
		a.value(ids)
		a.raw(`,"truncated":true`)
	}
}

func (a *jsonAnswer) answer() *Answer { return &Answer{text: a.text, structured: a.json} }
