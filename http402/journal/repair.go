package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrSound is returned for a journal that needs no repair.
var ErrSound = errors.New("the journal is in order")

// A Repair is the outcome of a repair.
type Repair struct {
	Damaged   string // the file as it was; empty when there was none
	Lost      int    // lines that could not be read
	Purchases int    // read
	Owned     int    // credentials that were read

	Since          time.Time // the payments that began then or later were compared; zero is all
	Added          int       // payments that the journal did not have
	AddedMilliSats int64     // with fees
}

// RepairFile rebuilds a journal that Open refuses from its intact lines and the payments that paid returns: those
// since a moment by the wallet's list. The wallet may have made some for others; they count against the limits too. A
// payment for a challenge of the journal is open afterwards, so that the wallet is asked for its preimage.
func RepairFile(
	ctx context.Context, path string, paid func(context.Context, time.Time) ([]Purchase, error), now time.Time,
) (r Repair, err error) {
	j := &Journal{path: path, lock: newLock(path + ".lock")}
	defer func() { err = wrap("repair the journal "+path, errors.Join(err, j.Close())) }()
	err = j.serialize(ctx, func() error {
		if err := j.read(); err == nil {
			return ErrSound
		}
		old, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		r.Lost = j.salvage(old)
		r.Purchases, r.Owned = len(j.purchases), len(j.credentials)
		for _, p := range j.purchases {
			if r.Since.IsZero() || p.ReservedAt.Before(r.Since) {
				r.Since = p.ReservedAt
			}
		}
		list, err := paid(ctx, r.Since)
		if err != nil {
			return err
		}
		for _, p := range list {
			if j.count(p) {
				r.Added, r.AddedMilliSats = r.Added+1, r.AddedMilliSats+p.AmountMilliSats+p.FeeMilliSats
			}
		}
		if len(old) > 0 {
			r.Damaged = fmt.Sprintf("%s.damaged-%d", path, now.Unix())
			if err := replace(r.Damaged, old); err != nil {
				return err
			}
		}
		b, err := j.encode()
		if err != nil {
			return err
		}
		if err := replace(path, b); err != nil {
			return err
		}
		return j.setEnd(int64(len(b)))
	})
	return r, err
}

// salvage reads the intact lines of a file, and returns how many others it has.
func (j *Journal) salvage(b []byte) (lost int) {
	j.purchases, j.credentials = map[string]Purchase{}, map[string]Credential{}
	for line := range bytes.Lines(b) {
		if r, err := parseLine(line); err == nil {
			j.keep(r)
		} else if string(line) != title {
			lost++
		}
	}
	return lost
}

// count takes over a payment that the journal does not have, and reports whether it did.
func (j *Journal) count(p Purchase) bool {
	known, ok := j.purchases[p.Hash]
	if known.State.counts() {
		return false
	}
	if ok {
		known.State, known.Reason, known.ReservedAt, known.Wallet = Paying, "", p.ReservedAt, ""
		known.ReservedMilliSats = p.AmountMilliSats + p.FeeMilliSats
		p = known
	}
	j.purchases[p.Hash] = p
	return true
}
