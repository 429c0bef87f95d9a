package tools

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
)

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
		return 0, inputError("cursor " + quote(cursor) + " is not valid. Use next_cursor of the previous page, or call again without cursor.")
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
