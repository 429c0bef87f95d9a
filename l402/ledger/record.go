package ledger

import (
	"encoding/binary"
	"errors"
)

// appendRow encodes the state of an account for the log: its hash, its numbers as varints, its debits behind their length, and those
// whose requests have names behind theirs.
func appendRow(b []byte, r *row) []byte {
	b = append(b, r.hash[:]...)
	for _, n := range [...]int64{r.credits, r.expiresAt, r.serial, r.firstUsed, r.lastUsed, r.revokedAt} {
		b = binary.AppendVarint(b, n)
	}
	var buf [64]byte // enough unless much was given back
	live := r.live.appendBinary(buf[:0])
	b = binary.AppendUvarint(b, uint64(len(live)))
	b = append(b, live...)
	recent := appendRecent(nil, r.recent)
	b = binary.AppendUvarint(b, uint64(len(recent)))
	return append(b, recent...)
}

var errRecord = errors.New("a record of the log is damaged")

// parseRow reads one state from the front of b, and returns what follows it.
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
	recent, b, err := cutField(b)
	if err != nil {
		return nil, nil, err
	}
	r.recent, err = parseRecent(recent)
	return r, b, err
}

// cutField cuts what stands behind its length from the front of b.
func cutField(b []byte) (field, rest []byte, err error) {
	length, size := binary.Uvarint(b)
	if size <= 0 || length > uint64(len(b)-size) {
		return nil, nil, errRecord
	}
	return b[size : size+int(length)], b[size+int(length):], nil
}
