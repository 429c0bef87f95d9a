package ledger

import (
	"encoding/binary"
	"errors"
)

// A named is a debit whose request has a name. It is remembered for a while: when the replica that made it dies before it
// answers, our proxy brings the same request to another one, and the buyer pays for one answer.
type named struct {
	name   [16]byte
	serial int64
	at     int64 // Unix seconds
}

const (
	recentSeconds = 60 // longer than any proxy waits before it asks another replica
	maxRecent     = 64 // of one account; under more load than that the oldest are forgotten earlier
)

// paidFor gives the serial of the live debit that a request was already charged with.
func (r *row) paidFor(name [16]byte) (int64, bool) {
	if name == ([16]byte{}) {
		return 0, false
	}
	for i := len(r.recent) - 1; i >= 0; i-- {
		if n := r.recent[i]; n.name == name {
			return n.serial, r.live.has(n.serial)
		}
	}
	return 0, false
}

// remember keeps the name of the request of the last debit, and forgets old ones.
func (r *row) remember(name [16]byte, now int64) {
	keep := r.recent[:0]
	for _, n := range r.recent {
		if now-n.at < recentSeconds && now >= n.at {
			keep = append(keep, n)
		}
	}
	if name != ([16]byte{}) {
		keep = append(keep, named{name, r.serial, now})
	}
	if over := len(keep) - maxRecent; over > 0 {
		keep = append(keep[:0], keep[over:]...)
	}
	r.recent = keep
}

// appendRecent encodes the named debits: name, serial and time of each.
func appendRecent(b []byte, list []named) []byte {
	for _, n := range list {
		b = append(b, n.name[:]...)
		b = binary.AppendVarint(b, n.serial)
		b = binary.AppendVarint(b, n.at)
	}
	return b
}

var errRecent = errors.New("the list of named debits is damaged")

// parseRecent is the inverse of appendRecent.
func parseRecent(b []byte) ([]named, error) {
	var list []named
	for len(b) > 0 {
		var n named
		if len(b) < len(n.name) {
			return nil, errRecent
		}
		b = b[copy(n.name[:], b):]
		for _, to := range []*int64{&n.serial, &n.at} {
			v, size := binary.Varint(b)
			if size <= 0 {
				return nil, errRecent
			}
			*to, b = v, b[size:]
		}
		list = append(list, n)
	}
	return list, nil
}
