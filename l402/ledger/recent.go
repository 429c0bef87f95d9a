package ledger

import (
	"encoding/binary"
	"errors"
	"slices"
)

// A named is a debit whose request has a name, or the receipt of one. It is remembered for a while: when the replica that made it
// dies before it answers, our proxy brings the same request to another one, and the buyer pays for one answer.
//
// Deliveries of one request share its debit, and each has a receipt of its own: the credit goes back when all of them were refunded, that is when
// none was answered. As long as there is one delivery, debit and receipt have the same serial. With the second the debit, which is
// the one of the name that is live, moves to a serial that nobody holds: whoever comes with a receipt that was forgotten changes nothing.
type named struct {
	name   [16]byte
	serial int64
	at     int64 // of the debit, Unix seconds
}

const (
	recentSeconds = 60 // longer than any proxy waits before it asks another replica
	maxRecent     = 64 // of one account; under more load than that the oldest are forgotten earlier
)

// isRecent reports whether the debit was made within the last minute, by clocks that may differ.
func (n named) isRecent(now int64) bool { return max(now-n.at, n.at-now) < recentSeconds }

// find is the index of the debit with that name when live, of a receipt of it that is not the debit otherwise; -1 if there is none.
func (r *row) find(name [16]byte, live bool) int {
	return slices.IndexFunc(r.recent, func(n named) bool { return n.name == name && r.live.has(n.serial) == live })
}

// join makes the receipt of another delivery of a request that was charged already, or reports that it was not.
func (r *row) join(name [16]byte, now int64) (serial int64, charged bool) {
	i := r.find(name, true)
	if i < 0 || !r.recent[i].isRecent(now) {
		return 0, false
	}
	debit := r.recent[i]
	if r.find(name, false) < 0 {
		r.live, _ = r.live.remove(debit.serial)
		r.serial++
		r.live = r.live.push(r.serial)
		r.recent = append(r.recent, named{name, r.serial, debit.at})
	}
	r.serial++
	r.recent = append(r.recent, named{name, r.serial, debit.at})
	r.forget(now)
	r.dirty = true
	return r.serial, true
}

// remember keeps the name of the request of the last debit, and forgets old ones.
func (r *row) remember(name [16]byte, now int64) {
	if name != ([16]byte{}) {
		r.recent = append(r.recent, named{name, r.serial, now})
	}
	r.forget(now)
}

// forget drops what is old, and what is too much: first the receipts of shared debits, whose credits then stay taken.
func (r *row) forget(now int64) {
	r.recent = slices.DeleteFunc(r.recent, func(n named) bool { return !n.isRecent(now) })
	if len(r.recent) > maxRecent {
		r.recent = slices.DeleteFunc(r.recent, func(n named) bool { return !r.live.has(n.serial) })
	}
	r.recent = slices.Delete(r.recent, 0, max(0, len(r.recent)-maxRecent))
}

// refund gives back the debit of the receipt with that serial, once every receipt of it is refunded.
func (r *row) refund(serial int64) {
	if i := slices.IndexFunc(r.recent, func(n named) bool { return n.serial == serial }); i >= 0 {
		name, shared := r.recent[i].name, !r.live.has(serial)
		r.recent, r.dirty = slices.Delete(r.recent, i, i+1), true
		if shared {
			if i = r.find(name, true); i < 0 || r.find(name, false) >= 0 {
				return // another delivery was answered, or may be yet
			}
			serial = r.recent[i].serial
			r.recent = slices.Delete(r.recent, i, i+1)
		}
	}
	var was bool
	if r.live, was = r.live.remove(serial); was {
		r.dirty = true
	}
}

// appendRecent encodes named debits and receipts: name, serial and time of each.
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
