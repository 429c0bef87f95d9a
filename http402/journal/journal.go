// Package journal records a buyer's payments and credentials in one file that several processes may share.
//
// A purchase goes from paying and paid to used, or ends as failed. Each step is on disk before the next begins, so that a
// program that opens the file after a crash knows which payment to ask the wallet about.
package journal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// A State is how far a purchase has come.
type State string

// The states of a purchase, in their order.
const (
	Paying State = "paying" // the budget is set aside, and the wallet may have been asked to pay
	Paid   State = "paid"   // the preimage is here
	Used   State = "used"   // the seller has accepted it
	Failed State = "failed" // nothing was paid, and nothing will be
	Lost   State = "lost"   // given up by its buyer: it counts as spent, and buys nothing
)

// counts reports whether a purchase in the state is paid, or may be.
func (s State) counts() bool { return s == Paying || s == Paid || s == Used || s == Lost }

// A Purchase is one payment and its purpose.
type Purchase struct {
	Hash        string `json:"payment_hash"` // in hexadecimal
	State       State  `json:"state"`
	Origin      string `json:"origin"` // of the seller, such as https://api.example.com
	Host        string `json:"host"`
	Method      string `json:"method"`
	Resource    string `json:"resource"` // the address requested, without its query
	Scheme      string `json:"scheme"`
	Invoice     string `json:"invoice"`
	Network     string `json:"network"`
	Payee       string `json:"payee"`
	Description string `json:"description"`
	Wallet      string `json:"wallet,omitempty"` // that was told to pay, by the name that the buyer has for it
	Challenge   []byte `json:"-"`                // the challenge, from which the credential is made

	AmountMilliSats   int64  `json:"amount_msat"`
	FeeMilliSats      int64  `json:"fee_msat"`
	ReservedMilliSats int64  `json:"-"`
	Preimage          string `json:"preimage,omitempty"`
	Reason            string `json:"reason,omitempty"` // why it failed
	Receipt           string `json:"receipt,omitempty"`

	ReservedAt       time.Time `json:"reserved_at,omitzero"`
	PaidAt           time.Time `json:"paid_at,omitzero"`
	UsedAt           time.Time `json:"used_at,omitzero"`
	InvoiceExpiresAt time.Time `json:"invoice_expires_at"`
}

// A Credential is the product of a payment: the value of a header, and its known limits.
type Credential struct {
	ID         string    `json:"id"` // the payment hash, or a name of its own when it was given by somebody else
	Origin     string    `json:"origin"`
	Resource   string    `json:"resource"` // the address it was bought for
	Scheme     string    `json:"scheme"`
	Header     string    `json:"header"`
	Value      string    `json:"value"`
	Remaining  int64     `json:"remaining"`            // requests that are left; -1 when not known
	ValidUntil time.Time `json:"valid_until,omitzero"` // zero when not known
	BoughtAt   time.Time `json:"bought_at"`
	Presented  bool      `json:"presented"`  // to the seller, who may or may not have had it
	Accepted   bool      `json:"accepted"`   // by the seller, at least once
	Mistrusted bool      `json:"mistrusted"` // the seller refused it when it was presented for the first time
	Spent      bool      `json:"spent"`      // it opens nothing any more
}

// ErrUnknown is returned for a payment hash that the journal does not have, or not in the state that the step needs.
var ErrUnknown = errors.New("the journal has no such purchase")

// endSuffix ends the name of the file beside a journal with the length that is certainly on disk.
const endSuffix = ".end"

// Exists reports whether a path has a journal, or had one that is gone.
func Exists(path string) bool {
	return slices.ContainsFunc([]string{path, path + endSuffix}, func(name string) bool {
		_, err := os.Stat(name)
		return !errors.Is(err, os.ErrNotExist)
	})
}

// Open opens the journal in a file, which it creates for its owner alone if there is none. A file that was truncated or
// altered is an error.
func Open(ctx context.Context, path string) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	j := &Journal{path: path, lock: newLock(path + ".lock")}
	if err := j.locked(ctx, func() error { return nil }); err != nil {
		j.Close()
		return nil, fmt.Errorf("open the journal %s: %w", path, err)
	}
	return j, nil
}

// Turn waits until nobody else has the turn at a seller's origin, in this process or another, and keeps others waiting
// until end is called. Nobody else pays there meanwhile.
func (j *Journal) Turn(ctx context.Context, origin string) (end func(), err error) {
	lock := j.turnLock(origin)
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return nil, lockError(errors.Join(err, lock.Close()))
	}
	return func() { lock.Close() }, nil
}

// TryTurn is Turn for a caller that does not wait: ok is false when somebody has the turn.
func (j *Journal) TryTurn(origin string) (end func(), ok bool) {
	lock := j.turnLock(origin)
	if locked, err := lock.TryLock(); !locked || err != nil {
		lock.Close()
		return nil, false
	}
	return func() { lock.Close() }, true
}

func (j *Journal) turnLock(origin string) *flock.Flock {
	sum := sha256.Sum256([]byte(origin))
	return newLock(fmt.Sprintf("%s.lock-%x", j.path, sum[:8]))
}

// lockPause is the time between two attempts to acquire a lock from another process.
const lockPause = 20 * time.Millisecond

// lockError tells a lock that another process has from one that cannot be had.
func lockError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("wait for another process: %w", err)
	}
	return fmt.Errorf("lock it: %w; give a -journal in a folder that can be written to", err)
}

// newLock returns a lock that the operating system releases when the process ends, however it ends.
func newLock(path string) *flock.Flock { return flock.New(path, flock.SetPermissions(0o600)) }
