package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

// A pageAnswer is a part of a list: as many items as were asked for and as fit in an answer.
type pageAnswer struct {
	Since      catalog.Date      `json:"since,omitempty"`
	Counts     any               `json:"counts,omitempty"` // of a list of changes
	Total      int               `json:"total"`
	Count      int               `json:"count"`
	Digest     []string          `json:"digest,omitempty"` // in place of entries, one a line
	Note       string            `json:"note,omitempty"`   // what a reader has to know of the list
	Entries    []json.RawMessage `json:"entries"`
	NextCursor string            `json:"next_cursor,omitempty"`
}

// page returns a page of a list of out.Total items, of which items returns one. query identifies the list, and cursor says
// where the page begins.
func (d *data) page(out pageAnswer, limit int, query uint32, cursor string, items func(i int) json.RawMessage) (*mcp.CallToolResult, error) {
	offset, err := d.offset(cursor, query, out.Total)
	if err != nil {
		return nil, err
	}
	out.Entries = fitting(min(limit, out.Total-offset), func(i int) json.RawMessage { return items(offset + i) })
	out.Count = len(out.Entries)
	if end := offset + out.Count; end < out.Total {
		out.NextCursor = d.cursor(query, end)
	}
	return newJSONAnswer(out), nil
}

// fitting returns as many of some items as fit in an answer, one at least.
func fitting(n int, item func(i int) json.RawMessage) []json.RawMessage {
	list, size := []json.RawMessage{}, pageHead
	for i := range n {
		it := item(i)
		if size += textSize(it); size > maxAnswer && i > 0 {
			break
		}
		list = append(list, it)
	}
	return list
}

// pageHead is the part of an answer, in bytes, that is reserved for what surrounds its items.
const pageHead = 1_500

// textSize returns the bytes that a value takes in an answer, which is the text of another document.
func textSize(raw []byte) int {
	return len(raw) + bytes.Count(raw, []byte{'"'}) + bytes.Count(raw, []byte{'\\'}) + 1
}

// cursor returns where a list continues: the version of the data, the query it belongs to and the number of items before
// it, so that it means the same on every replica, and so that one of another query or of older data can be recognised.
func (d *data) cursor(query uint32, offset int) string {
	return fmt.Sprintf("%x-%x-%d", d.catalog.Sum(), query, offset)
}

// offset returns the offset in the cursor of a query over total items; an empty one is of the first page.
func (d *data) offset(cursor string, query uint32, total int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(cursor[strings.LastIndexByte(cursor, '-')+1:])
	if err == nil && n > 0 && n < total && cursor == d.cursor(query, n) {
		return n, nil
	}
	return 0, inputError("cursor " + quote(cursor) + " is not one of this query and these data. Use next_cursor of the previous " +
		"page and repeat its other arguments, or call again without cursor.")
}

// queryID returns a hash of the tool and of everything that selects items.
func queryID(parts ...string) uint32 { return crc32.ChecksumIEEE([]byte(strings.Join(parts, "\x00"))) }
