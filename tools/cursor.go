package tools

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
)

// A cursor tells where a list goes on. It holds the build of the data, the query it belongs to
// and the number of items already given, so that it means the same on every replica, and so that
// one of another query or of older data is told from a good one.
//
// An empty cursor is the first page.
func (t *Tools) cursor(query uint32, offset int) string {
	b := make([]byte, 0, 16)
	b = append(b, t.lib.build[:]...)
	b = binary.BigEndian.AppendUint32(b, query)
	b = binary.AppendUvarint(b, uint64(offset))
	return base64.RawURLEncoding.EncodeToString(b)
}

// offset reads the cursor of a query over total items.
func (t *Tools) offset(cursor string, query uint32, total int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	const head = 6 + 4
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) <= head {
		return 0, refusal("cursor " + quote(cursor) + " is not one that this server gave. Take next_cursor of the page before, or call again without cursor.")
	}
	if [6]byte(b) != t.lib.build {
		return 0, refusal("The cursor belongs to older data; the library has changed since. Call again without cursor.")
	}
	if binary.BigEndian.Uint32(b[6:]) != query {
		return 0, refusal("The cursor belongs to another query. Keep the other arguments as they were on the page before, or call again without cursor.")
	}
	n, size := binary.Uvarint(b[head:])
	if size != len(b)-head || n == 0 || n >= uint64(max(total, 1)) || t.cursor(query, int(n)) != cursor {
		return 0, refusal("cursor " + quote(cursor) + " is not one that this server gave. Call again without cursor.")
	}
	return int(n), nil
}

// queryID tells queries apart: it is a hash of the tool and of everything that chooses items.
func queryID(parts ...string) uint32 {
	h := fnv.New32a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum32()
}
