package tools

import (
	"strconv"

	"almanac/wirejson"
)

// A listPage is a part of a list: as many items as were asked for and as fit in an answer.
type listPage struct {
	tool    string // the tool that returns the next page
	total   int
	offset  int
	limit   int
	cursors cursors
	query   uint32 // see queryID
	more    string // how to continue, when not by calling tool; the cursor follows it
}

// pageHead is the part of an answer, in bytes, that is reserved for what surrounds its items.
const pageHead = 1_500

// answer encodes the page. head holds the first members of the structured answer, without braces;
// title begins the text; items returns the piece of an index.
func (p listPage) answer(title, head string, items func(i int) piece) *Answer {
	included, size, cut := make([]piece, 0, min(p.limit, p.total-p.offset)), pageHead, false
	for len(included) < cap(included) {
		it := items(p.offset + len(included))
		if size += it.size() + 1; size > maxAnswer && len(included) > 0 {
			cut = true
			break
		}
		included = append(included, it)
	}
	n := len(included)
	end := p.offset + n
	js, tx := make(segments, 0, 2*n+2), make(segments, 0, n+1)
	start := make([]byte, 0, 128+len(head))
	start = append(start, '{')
	if head != "" {
		start = append(append(start, head...), ',')
	}
	start = strconv.AppendInt(append(start, `"total":`...), int64(p.total), 10)
	start = strconv.AppendInt(append(start, `,"count":`...), int64(n), 10)
	js = append(js, append(start, `,"entries":[`...))
	cursor := ""
	if end < p.total {
		cursor = p.cursors.encode(p.query, end)
	}
	tx = append(tx, p.heading(make([]byte, 0, 192), title, end, cursor, cut))
	for i, it := range included {
		if i > 0 {
			js = append(js, comma)
		}
		js, tx = append(js, it.json), append(tx, it.text)
	}
	return &Answer{text: tx, structured: append(js, tail(cursor, cut))}
}

var comma = []byte(",")

// tail returns the end of a page's structured answer.
func tail(cursor string, cut bool) []byte {
	b := append(make([]byte, 0, 64), ']')
	if cursor != "" {
		b = append(append(append(b, `,"next_cursor":"`...), cursor...), '"')
	}
	if cut {
		b = append(b, `,"truncated":true`...)
	}
	return append(b, '}')
}

// heading appends the first lines of the text: which items follow, and how to continue.
func (p listPage) heading(tx []byte, title string, end int, cursor string, cut bool) []byte {
	tx = wirejson.AppendEscaped(tx, title)
	switch {
	case p.total == 0:
		return append(tx, `: none.\n`...)
	case p.offset == 0 && end == p.total:
		tx = append(tx, ": all "...)
	default:
		tx = strconv.AppendInt(append(tx, ": "...), int64(p.offset+1), 10)
		tx = strconv.AppendInt(append(tx, " to "...), int64(end), 10)
		tx = append(tx, " of "...)
	}
	tx = strconv.AppendInt(tx, int64(p.total), 10)
	tx = append(tx, '.')
	if cut {
		tx = append(tx, " Cut to keep the answer small."...)
	}
	switch {
	case cursor == "":
	case p.more != "":
		tx = append(append(append(tx, ' '), p.more...), cursor...)
	default:
		tx = append(tx, " Next page: call "...)
		tx = append(tx, p.tool...)
		tx = append(tx, ` with the same arguments and cursor \"`...)
		tx = append(append(tx, cursor...), `\".`...)
	}
	return append(tx, `\n\n`...)
}
