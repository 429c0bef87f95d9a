package ledger

import (
	"encoding/binary"
	"errors"
)

// appendRow encodes the state of an account for the log: its hash, its numbers as varints, then its debits and its deliveries, each
// list preceded by its length.
func appendRow(b []byte, r *row) []byte {
	b = append(b, r.hash[:]...)
	for _, n := range [...]int64{r.credits, r.expiresAt, r.serial, r.firstUsed, r.lastUsed, r.revokedAt} {
		b = binary.AppendVarint(b, n)
	}
	var buf [64]byte // enough unless many debits were given back
	live := r.live.appendBinary(buf[:0])
	b = binary.AppendUvarint(b, uint64(len(live)))
	b = append(b, live...)
	deliveries := appendDeliveries(nil, r.deliveries)
	b = binary.AppendUvarint(b, uint64(len(deliveries)))
	return append(b, deliveries...)
}

var errRecord = errors.New("a log record is damaged")

// parseRow reads one state from the front of b, and returns the bytes after it.
func parseRow(b []byte) (*row, []byte, error) {
	r := &row{stored: true}
	if len(b) < len(r.hash) {
		return nil, nil, errRecord
	}
	b = b[copy(r.hash[:], b):]
	for _, n := range [...]*int64{&r.credits, &r.expiresAt, &r.serial, &r.firstUsed, &r.lastUsed, &r.revokedAt} {
		v, size := binary.Varint(b)
		if size <= 0 {
			return nil, nil, errRecord
		}
		*n, b = v, b[size:]
	}
	live, b, err := cutField(b)
	if err != nil {
		return nil, nil, err
	}
	if r.live, err = parseSerials(live); err != nil {
		return nil, nil, err
	}
	deliveries, b, err := cutField(b)
	if err != nil {
		return nil, nil, err
	}
	r.deliveries, err = parseDeliveries(deliveries)
	return r, b, err
}

// cutField cuts a field, which is preceded by its length, from the front of b.
func cutField(b []byte) (field, rest []byte, err error) {
	length, size := binary.Uvarint(b)
	if size <= 0 || length > uint64(len(b)-size) {
		return nil, nil, errRecord
	}
	return b[size : size+int(length)], b[size+int(length):], nil
}
