package tools

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A piece is an item of an answer in its two forms: JSON, and a line of the text.
type piece struct {
	json json.RawMessage
	text string
}

// size returns the bytes that the piece takes in an answer, whose text is escaped.
func (p piece) size() int {
	return len(p.json) + len(p.text) + strings.Count(p.text, `"`) + strings.Count(p.text, "\n")
}

// A listPage is a part of a list: as many items as were asked for and as fit in an answer.
type listPage struct {
	title  string // begins the text
	total  int
	limit  int
	query  uint32 // see queryID
	cursor string // where the page begins
	more   string // how to continue: a format of the next cursor
	counts any    // of a list of changes
}

// pageHead is the part of an answer, in bytes, that is reserved for the text around its items.
const pageHead = 1_500

// A pageAnswer is a page as programs read it.
type pageAnswer struct {
	Counts     any               `json:"counts,omitempty"`
	Total      int               `json:"total"`
	Count      int               `json:"count"`
	Entries    []json.RawMessage `json:"entries"`
	NextCursor string            `json:"next_cursor,omitempty"`
	Truncated  bool              `json:"truncated,omitempty"`
}

// page returns a page. items returns the piece of an index.
func (d *data) page(p listPage, items func(i int) piece) (*mcp.CallToolResult, error) {
	offset, err := d.cursors.decode(p.cursor, p.query, p.total)
	if err != nil {
		return nil, err
	}
	out := pageAnswer{Counts: p.counts, Total: p.total, Entries: []json.RawMessage{}}
	size := pageHead
	var lines strings.Builder
	for i := offset; i < min(offset+p.limit, p.total); i++ {
		it := items(i)
		if size += it.size() + 1; size > maxAnswer && out.Count > 0 {
			out.Truncated = true
			break
		}
		out.Count++
		out.Entries = append(out.Entries, it.json)
		lines.WriteString(it.text)
	}
	if end := offset + out.Count; end < p.total {
		out.NextCursor = d.cursors.encode(p.query, end)
	}
	return newAnswer(p.heading(offset, &out)+lines.String(), encode(out)), nil
}

// heading returns the first lines of the text: which items follow, and how to continue.
func (p *listPage) heading(offset int, out *pageAnswer) string {
	if p.total == 0 {
		return p.title + ": none.\n"
	}
	head := fmt.Sprintf("%s: %d to %d of %d.", p.title, offset+1, offset+out.Count, p.total)
	if out.Count == p.total {
		head = fmt.Sprintf("%s: all %d.", p.title, p.total)
	}
	if out.Truncated {
		head += " Cut to keep the answer small."
	}
	if out.NextCursor != "" {
		head += " " + fmt.Sprintf(p.more, out.NextCursor)
	}
	return head + "\n\n"
}

// cursors encode where a list continues. A cursor holds the version of the data, the query it
// belongs to and the number of items before it, so that it means the same on every replica, and
// so that one of another query or of older data can be recognised.
//
// An empty cursor is the first page.
type cursors struct {
	version [6]byte // identifies the data; equal on every replica
}

func (c cursors) encode(query uint32, offset int) string {
	b := make([]byte, 0, 16)
	b = append(b, c.version[:]...)
	b = binary.BigEndian.AppendUint32(b, query)
	b = binary.AppendUvarint(b, uint64(offset))
	return base64.RawURLEncoding.EncodeToString(b)
}

// decode returns the offset in the cursor of a query over total items.
func (c cursors) decode(cursor string, query uint32, total int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	const head = 6 + 4
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) <= head {
		return 0, inputError("cursor " + quote(cursor) +
			" is not valid. Use next_cursor of the previous page, or call again without cursor.")
	}
	if [6]byte(b) != c.version {
		return 0, inputError("The cursor belongs to older data; the library has changed since. Call again without cursor.")
	}
	if binary.BigEndian.Uint32(b[6:]) != query {
		return 0, inputError("The cursor belongs to another query. Repeat the other arguments of the previous page, or call again without cursor.")
	}
	n, size := binary.Uvarint(b[head:])
	if size != len(b)-head || n == 0 || n >= uint64(max(total, 1)) || c.encode(query, int(n)) != cursor {
		return 0, inputError("cursor " + quote(cursor) + " is not valid. Call again without cursor.")
	}
	return int(n), nil
}

// queryID returns a hash of the tool and of everything that selects items.
func queryID(parts ...string) uint32 {
	h := fnv.New32a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum32()
}
