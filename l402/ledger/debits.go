package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"go.almanac.example/l402"
)

const (
	rememberSeconds = 60   // longer than any proxy waits before it tries another replica
	maxDeliveries   = 8    // of one request, which bounds how much work one credit can cause
	maxRemembered   = 1024 // entries of one account; beyond that the oldest are forgotten early
)

// A delivery is one arrival of a named request, or the debit that several arrivals of it share. It is remembered for a
// while: a client that had no answer repeats its request, or a proxy brings it to another replica, and the buyer pays
// for one answer.
//
// The deliveries of one request share its debit, and each has a receipt of its own: the credit goes back when all of
// them were refunded, which means that none was answered. While there is only one delivery, debit and receipt have the
// same serial. With the second one the debit, which is the entry of the name that is live, moves to a serial that
// nobody holds, so that a receipt that was forgotten changes nothing.
type delivery struct {
	name   [16]byte
	serial int64
	at     int64 // of the debit, Unix seconds
}

// nameWithin returns the name that a request has within its branch. No name stays none. A name belongs to its branch,
// so that a receipt names the branches in which its debit was counted, even if others use the same name.
func nameWithin(name [16]byte, budgets []l402.Budget) [16]byte {
	if n := len(budgets); n > 0 && name != ([16]byte{}) {
		sum := sha256.Sum256(append(name[:], budgets[n-1].Branch[:]...))
		copy(name[:], sum[:])
	}
	return name
}

// isRecent reports whether the debit was made within the last minute, by clocks that may differ.
func (d delivery) isRecent(now int64) bool { return max(now-d.at, d.at-now) < rememberSeconds }

// find returns the index of the debit with that name if live, otherwise of a receipt of it that is not the debit; -1 if
// there is none.
func (r *row) find(name [16]byte, live bool) int {
	return slices.IndexFunc(r.deliveries, func(d delivery) bool { return d.name == name && r.live.has(d.serial) == live })
}

// deliver returns the receipt of another delivery of a request that was charged already. charged is false if it was
// not, and the error is ErrRepeated if it was delivered as often as it may be.
func (r *row) deliver(name [16]byte, now int64) (serial int64, charged bool, err error) {
	i := r.find(name, true)
	if i < 0 || !r.deliveries[i].isRecent(now) {
		return 0, false, nil
	}
	debit := r.deliveries[i]
	if r.count(name) > maxDeliveries { // one of them is the debit
		return 0, true, l402.ErrRepeated
	}
	if r.find(name, false) < 0 {
		r.live, _ = r.live.remove(debit.serial)
		r.serial++
		r.live = r.live.push(r.serial)
		r.deliveries = append(r.deliveries, delivery{name, r.serial, debit.at})
	}
	r.serial++
	r.deliveries = append(r.deliveries, delivery{name, r.serial, debit.at})
	r.forget(now)
	r.dirty = true
	return r.serial, true, nil
}

// count returns the number of entries with that name.
func (r *row) count(name [16]byte) int {
	n := 0
	for _, d := range r.deliveries {
		if d.name == name {
			n++
		}
	}
	return n
}

// remember keeps the name of the request that the last debit is for, and forgets old ones.
func (r *row) remember(name [16]byte, now int64) {
	if name != ([16]byte{}) {
		r.deliveries = append(r.deliveries, delivery{name, r.serial, now})
	}
	r.forget(now)
}

// forget drops old deliveries, and those beyond the bound: first the receipts of shared debits, whose credits then stay
// taken.
func (r *row) forget(now int64) {
	r.deliveries = slices.DeleteFunc(r.deliveries, func(d delivery) bool { return !d.isRecent(now) })
	if len(r.deliveries) > maxRemembered {
		r.deliveries = slices.DeleteFunc(r.deliveries, func(d delivery) bool { return !r.live.has(d.serial) })
	}
	r.deliveries = slices.Delete(r.deliveries, 0, max(0, len(r.deliveries)-maxRemembered))
}

// refund undoes the debit of the receipt with that serial, once every receipt of it is refunded. All of them name the
// same branches.
func (r *row) refund(serial int64, within []l402.BranchUse) {
	if i := slices.IndexFunc(r.deliveries, func(d delivery) bool { return d.serial == serial }); i >= 0 {
		name, shared := r.deliveries[i].name, !r.live.has(serial)
		r.deliveries, r.dirty = slices.Delete(r.deliveries, i, i+1), true
		if shared {
			if i = r.find(name, true); i < 0 || r.find(name, false) >= 0 {
				return // another delivery was answered, or may be yet
			}
			serial = r.deliveries[i].serial
			r.deliveries = slices.Delete(r.deliveries, i, i+1)
		}
	}
	var was bool
	if r.live, was = r.live.remove(serial); was {
		r.branches.giveBack(within)
		r.dirty = true
	}
}

// appendDeliveries encodes deliveries: name, serial and time of each.
func appendDeliveries(b []byte, list []delivery) []byte {
	for _, d := range list {
		b = append(b, d.name[:]...)
		b = binary.AppendVarint(b, d.serial)
		b = binary.AppendVarint(b, d.at)
	}
	return b
}

// parseDeliveries is the inverse of appendDeliveries.
func parseDeliveries(b []byte) (list []delivery, err error) {
	in := decoder{rest: b}
	for len(in.rest) > 0 {
		var d delivery
		copy(d.name[:], in.bytes(uint64(len(d.name))))
		d.serial, d.at = in.varint(), in.varint()
		list = append(list, d)
	}
	return list, in.err()
}

// A run is a range of consecutive debits, both ends included.
type run struct{ first, last int64 }

// serials are the debits of an account that were not given back, as ascending runs that do not touch. There are never
// more debits than credits, and until one is given back there is a single run.
type serials []run

// count returns the number of debits.
func (s serials) count() int {
	n := int64(0)
	for _, r := range s {
		n += r.last - r.first + 1
	}
	return int(n)
}

// push adds a serial greater than all others.
func (s serials) push(serial int64) serials {
	if n := len(s); n > 0 && s[n-1].last == serial-1 {
		s[n-1].last = serial
		return s
	}
	return append(s, run{serial, serial})
}

// index returns the index of the run that has a serial, -1 if there is none.
func (s serials) index(serial int64) int {
	return slices.IndexFunc(s, func(r run) bool { return r.first <= serial && serial <= r.last })
}

// has reports whether the debit with that serial is present.
func (s serials) has(serial int64) bool { return s.index(serial) >= 0 }

// remove deletes a serial, and reports whether it was present.
func (s serials) remove(serial int64) (serials, bool) {
	i := s.index(serial)
	if i < 0 {
		return s, false
	}
	r := s[i]
	switch {
	case r.first == r.last:
		s = slices.Delete(s, i, i+1)
	case serial == r.first:
		s[i].first++
	case serial == r.last:
		s[i].last--
	default:
		s[i].last = serial - 1
		s = slices.Insert(s, i+1, run{serial + 1, r.last})
	}
	return s, true
}

// appendBinary encodes the runs as pairs of varints: the distance from the end of the run before, and the length less
// one.
func (s serials) appendBinary(b []byte) []byte {
	end := int64(0)
	for _, r := range s {
		b = binary.AppendUvarint(b, uint64(r.first-end))
		b = binary.AppendUvarint(b, uint64(r.last-r.first))
		end = r.last
	}
	return b
}

// parseSerials is the inverse of appendBinary.
func parseSerials(b []byte) (s serials, err error) {
	in, end := decoder{rest: b}, int64(0)
	for len(in.rest) > 0 {
		gap, length := in.uvarint(), in.uvarint()
		r := run{end + int64(gap), end + int64(gap) + int64(length)}
		if gap == 0 || gap > 1<<62 || length > 1<<62 || r.first <= end || r.last < r.first || len(s) > 0 && gap == 1 {
			return nil, errStored
		}
		s, end = append(s, r), r.last
	}
	return s, in.err()
}
