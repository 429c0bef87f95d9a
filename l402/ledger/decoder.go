package ledger

import (
	"encoding/binary"
	"errors"
)

// errStored means that a list in an account, or a record of the log, is not as it was written.
var errStored = errors.New("a stored account is damaged")

// A decoder reads values stored in binary. Damaged ones read as zero, and nothing follows them.
type decoder struct {
	rest    []byte
	damaged bool
}

// bytes reads so many bytes.
func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.damage()
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.damage()
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) varint() int64 {
	n := d.uvarint()
	return int64(n>>1) ^ -int64(n&1) // zigzag, as binary.AppendVarint writes it
}

func (d *decoder) damage() { d.rest, d.damaged = nil, true }

func (d *decoder) err() error {
	if d.damaged {
		return errStored
	}
	return nil
}
