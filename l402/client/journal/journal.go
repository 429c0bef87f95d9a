// Package journal records a buyer's payments and credentials in one SQLite file that several processes may share.
//
// A purchase goes from seen through reserved, paying and paid to used, or ends as failed. Each step is on disk before
// the next begins, so that whoever opens the file after a crash knows which payment to ask the wallet about.
package journal

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	_ "modernc.org/sqlite" // the driver
	sqlite3 "modernc.org/sqlite/lib"
)

// A State is how far a purchase has come.
type State string

// The states of a purchase, in their order.
const (
	Seen     State = "seen"     // asked to pay
	Reserved State = "reserved" // the budget is set aside; the wallet knows nothing yet
	Paying   State = "paying"   // the wallet may have been asked to pay
	Paid     State = "paid"     // the preimage is here
	Used     State = "used"     // the seller has accepted it
	Failed   State = "failed"   // nothing was paid, and nothing will be
)

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
	Challenge   []byte `json:"-"` // the challenge, from which the credential is made

	AmountMilliSats   int64  `json:"amount_msat"`
	FeeMilliSats      int64  `json:"fee_msat"`
	ReservedMilliSats int64  `json:"-"`
	Preimage          string `json:"preimage,omitempty"`
	Reason            string `json:"reason,omitempty"` // why it failed
	Receipt           string `json:"receipt,omitempty"`

	SeenAt           time.Time `json:"seen_at"`
	ReservedAt       time.Time `json:"reserved_at,omitzero"`
	PaidAt           time.Time `json:"paid_at,omitzero"`
	UsedAt           time.Time `json:"used_at,omitzero"`
	InvoiceExpiresAt time.Time `json:"invoice_expires_at"`
}

// A Credential is the product of a payment: the value of a header, and its known limits.
type Credential struct {
	ID         string // the payment hash, or a name of its own when it was given by somebody else
	Origin     string
	Resource   string // the address it was bought for
	Scheme     string
	Header     string
	Value      string
	Total      int64     // requests it was good for; 0 when not known
	Remaining  int64     // requests that are left; -1 when not known
	ValidUntil time.Time // zero when not known
	BoughtAt   time.Time
	Presented  bool // to the seller, who may or may not have had it
	Accepted   bool // by the seller, at least once
	Mistrusted bool // the seller refused it when it was presented for the first time
	Spent      bool // it opens nothing any more
}

// ErrUnknown is returned for a payment hash that the journal does not have, or not in the state that the step needs.
var ErrUnknown = errors.New("the journal has no such purchase")

// A Journal is an open file.
type Journal struct {
	db   *sql.DB
	lock *fileLock
}

// Open opens the journal in a file, which it creates for its owner alone if there is none.
func Open(ctx context.Context, path string) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	db, err := openDB(path, "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(30000)&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	lock, err := openLock(path + ".lock")
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	j := &Journal{db: db, lock: lock}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		j.Close()
		return nil, fmt.Errorf("open the journal %s: %w", path, err)
	}
	return j, nil
}

// Lock waits until no other process works on open purchases, and keeps the others waiting until release is called.
// Whoever holds the lock knows that no other process is between reserving and paying.
func (j *Journal) Lock(ctx context.Context) (release func(), err error) { return j.lock.acquire(ctx) }

// Close closes the file.
func (j *Journal) Close() error { return errors.Join(j.lock.db.Close(), j.db.Close()) }

//go:embed schema.sql
var schema string

// stamp and unstamp convert times to whole milliseconds, and the zero time to 0.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func unstamp(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// A fileLock is held by one process at a time, and by any number of holders within it. The operating system releases it
// when the process ends, however it ends. It is the exclusive lock of an empty SQLite file, which works wherever the
// journal does.
type fileLock struct {
	db *sql.DB

	mu      sync.Mutex
	holders int
	tx      *sql.Conn
	opening chan struct{} // holds one token, of the one that acquires the lock for the process
}

func openLock(path string) (*fileLock, error) {
	db, err := openDB(path, "_pragma=busy_timeout(0)")
	if err != nil {
		return nil, err
	}
	return &fileLock{db: db, opening: make(chan struct{}, 1)}, nil
}

// lockPause is the time between two attempts to acquire the lock from another process.
const lockPause = 20 * time.Millisecond

// acquire waits until no other process holds the lock.
func (l *fileLock) acquire(ctx context.Context) (release func(), err error) {
	select {
	case l.opening <- struct{}{}:
		defer func() { <-l.opening }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the journal: %w", ctx.Err())
	}
	l.mu.Lock()
	if l.holders > 0 {
		l.holders++
		l.mu.Unlock()
		return sync.OnceFunc(l.release), nil
	}
	l.mu.Unlock()
	conn, err := l.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("wait until another process has paid: %w", err)
	}
	l.mu.Lock()
	l.tx, l.holders = conn, 1
	l.mu.Unlock()
	return sync.OnceFunc(l.release), nil
}

func (l *fileLock) begin(ctx context.Context) (*sql.Conn, error) {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(lockPause)
	defer tick.Stop()
	for {
		_, err := conn.ExecContext(ctx, "BEGIN EXCLUSIVE")
		if err == nil {
			return conn, nil
		}
		var fault *sqlite.Error
		if !errors.As(err, &fault) || fault.Code()&0xff != sqlite3.SQLITE_BUSY {
			return nil, errors.Join(err, conn.Close())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), conn.Close())
		}
	}
}

func (l *fileLock) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holders--; l.holders == 0 {
		l.tx.ExecContext(context.Background(), "ROLLBACK") // nothing was written; closing the connection would do the same
		l.tx.Close()
		l.tx = nil
	}
}

// openDB opens a database file that only its owner can read.
func openDB(path, options string) (*sql.DB, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // SQLite gives its other files the same mode
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath()+"?"+options)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
