package ledger

import (
	"encoding/binary"
	"errors"
	"slices"
)

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

// has reports whether the debit with that serial is present.
func (s serials) has(serial int64) bool {
	for _, r := range s {
		if r.first <= serial && serial <= r.last {
			return true
		}
	}
	return false
}

// remove deletes a serial, and reports whether it was present.
func (s serials) remove(serial int64) (serials, bool) {
	i, ok := slices.BinarySearchFunc(s, serial, func(r run, n int64) int {
		switch {
		case r.last < n:
			return -1
		case r.first > n:
			return 1
		}
		return 0
	})
	if !ok {
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

var errSerials = errors.New("the list of debits is damaged")

// parseSerials is the inverse of appendBinary.
func parseSerials(b []byte) (serials, error) {
	var s serials
	end := int64(0)
	for len(b) > 0 {
		gap, n := binary.Uvarint(b)
		length, m := binary.Uvarint(b[max(n, 0):])
		if n <= 0 || m <= 0 || gap == 0 || gap > 1<<62 || length > 1<<62 {
			return nil, errSerials
		}
		r := run{end + int64(gap), end + int64(gap) + int64(length)}
		if r.first <= end || r.last < r.first || len(s) > 0 && gap == 1 {
			return nil, errSerials
		}
		s, end, b = append(s, r), r.last, b[n+m:]
	}
	return s, nil
}
