package ledger

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402"

	"github.com/lightningnetwork/lnd/lntypes"
)

// outcomes is a store whose next transaction ends as is sent to it.
type outcomes chan error

func (o outcomes) apply(context.Context, []*op) error { return <-o }

func (o outcomes) resolve(context.Context, *inDoubtError) (bool, error) { return false, nil }

// TestRefusalsEnd: an operation that begins after another was refused is tried for itself, even while callers of the refused
// batch have not heard.
func TestRefusalsEnd(t *testing.T) {
	store := make(outcomes)
	c := newCommitter(store)
	defer c.close()
	queue := func() *op {
		o := changeOp(lntypes.Hash{}, func(*row) {})
		o.done = make(chan struct{}) // so that the committer waits for whom it tells
		c.queue <- o
		return o
	}
	wait := func(o *op) error {
		t.Helper()
		select {
		case <-o.done:
			return o.err
		case <-time.After(time.Minute):
			t.Fatal("an operation has no outcome")
			return nil
		}
	}
	before := queue()
	store <- nil
	one, two := queue(), queue() // one batch, because the committer waits for before
	if err := wait(before); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("the disk is full")
	store <- refused
	if err := wait(one); !errors.Is(err, refused) {
		t.Fatalf("the first of the batch: %v, want %v", err, refused)
	}
	after := queue()
	if err := wait(two); !errors.Is(err, refused) {
		t.Fatalf("the second of the batch: %v, want %v", err, refused)
	}
	select {
	case store <- nil:
	case <-after.done:
	}
	if err := after.err; err != nil {
		t.Errorf("the operation that followed: %v", err)
		return
	}
	if err := wait(after); err != nil {
		t.Errorf("the operation that followed: %v", err)
	}
}

// silent is a store whose commits and answers get lost.
type silent struct{}

func (silent) apply(_ context.Context, ops []*op) error {
	make(rows).settle(ops, 0)
	return &inDoubtError{cause: errSilent}
}

func (silent) resolve(context.Context, *inDoubtError) (bool, error) { return false, errSilent }

var errSilent = errors.New("no answer")

// TestLostAtTheEnd: a ledger that ends while it cannot know whether a refused debit was committed says so.
func TestLostAtTheEnd(t *testing.T) {
	c := newCommitter(silent{})
	now := time.Now()
	d := l402.Debit{Credits: 1, Limit: 1, At: now, ExpiresAt: now.Add(time.Hour)}
	if err := c.do(t.Context(), spendOp(&d)); !errors.Is(err, errSilent) {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.close(); err == nil || !strings.Contains(err.Error(), "up to 1 credits") {
			t.Errorf("the end: %v", err)
		}
	}
}

// TestDamagedAccount: an account that cannot be read is refused alone, in one batch with others.
func TestDamagedAccount(t *testing.T) {
	db, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	s := db.(*sqliteDatabase)
	spends := func() (ops []*op) {
		for n := range byte(2) {
			now := time.Now()
			ops = append(ops, spendOp(&l402.Debit{Hash: lntypes.Hash{n}, Credits: 9, Limit: 9, At: now, ExpiresAt: now.Add(time.Hour)}))
		}
		if err := s.apply(t.Context(), ops); err != nil {
			t.Fatal(err)
		}
		return ops
	}
	spends()
	if _, err := s.db.Exec("UPDATE accounts SET live = x'00' WHERE hash = ?", make([]byte, 32)); err != nil {
		t.Fatal(err)
	}
	if ops := spends(); !errors.Is(ops[0].err, l402.ErrDamaged) || ops[1].err != nil || ops[1].receipt.Used != 2 {
		t.Errorf("the damaged account: %v; the other: %v %v", ops[0].err, ops[1].receipt, ops[1].err)
	}
}
