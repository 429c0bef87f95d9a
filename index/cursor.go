package index

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc64"

	"almanac/problem"
)

// A cursor is an offset in the hits with a checksum of the query and the data. Every replica with the
// same data accepts it, and only for the same query.

// cursorSum returns the checksum of a query over the data.
func (x *Index) cursorSum(p *parsed) uint64 {
	var room [512]byte
	return crc64.Update(x.generationSum, checksums, p.appendKey(room[:0]))
}

// cursor returns the cursor of the hits from an offset on.
func (x *Index) cursor(p *parsed, offset int) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 10), x.cursorSum(p))
	b = binary.BigEndian.AppendUint16(b, uint16(offset))
	return base64.RawURLEncoding.EncodeToString(b)
}

// parse checks a query against the data and takes it apart, into p.
func (x *Index) parse(p *parsed, q Query) error {
	if err := q.parse(p, &x.vocabulary); err != nil {
		return err
	}
	return x.readCursor(p, q.Cursor)
}

// readCursor sets the offset of a query to that of a cursor.
func (x *Index) readCursor(p *parsed, cursor string) error {
	if cursor == "" {
		return nil
	}
	invalid := problem.New(problem.CursorInvalid)
	if len(cursor) != base64.RawURLEncoding.EncodedLen(10) {
		return invalid
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// The decoder skips line breaks, so a cursor of the right length may decode to fewer bytes.
	if err != nil || len(b) != 10 || binary.BigEndian.Uint64(b) != x.cursorSum(p) {
		return invalid
	}
	p.offset = int(binary.BigEndian.Uint16(b[8:]))
	if p.offset <= 0 || p.offset >= MaxDepth {
		return invalid
	}
	return nil
}
