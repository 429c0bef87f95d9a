package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

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
