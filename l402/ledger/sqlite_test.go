package ledger_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

func TestSQLiteFileIsPrivate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a folder", "ledger 100%?#.db")
	if _, err := ledger.Open(t.Context(), "sqlite:"+file); err == nil {
		t.Fatal("opened in a folder that is not there")
	}
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	l := open(t, "sqlite:"+file)
	spend(t, l, debit(1))
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Fatalf("%v, %v; want mode 0600 at exactly this name", info, err)
	}
}

// TestSQLiteCloses: when a ledger is closed, the file alone is the ledger, so that it can be moved.
func TestSQLiteCloses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, "sqlite:"+file)
	spend(t, l, debit(1))
	spend(t, l, debit(1))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(file + "-*"); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", left, err)
	}
}

// raw opens the file beside the ledger.
func raw(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestSQLiteRefusesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"text": "this is a text file, and a long one at that, so that nobody takes it for an empty database …", "cut": "SQLite format 3\x00"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.Open(t.Context(), "sqlite:"+file); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	file := filepath.Join(dir, "other")
	open(t, "sqlite:"+file).Close()
	for version, want := range map[string]string{"99": "use the program that wrote it, or a later one", "4": "no release wrote"} {
		if _, err := raw(t, file).Exec("PRAGMA user_version = " + version); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.Open(t.Context(), "sqlite:"+file); err == nil || !strings.Contains(err.Error(), "its format is version "+version) || !strings.Contains(err.Error(), want) {
			t.Errorf("a file of version %s: %v", version, err)
		}
	}
}

// TestSQLiteReadyWrites holds that Ready commits something, so that it fails where Spend does.
func TestSQLiteReadyWrites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ledger.db")
	l, db := open(t, "sqlite:"+file), raw(t, file)
	db.SetMaxOpenConns(1) // the version is one of a connection
	version := func() (n int) {
		if err := db.QueryRow("PRAGMA data_version").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 2 {
		before := version()
		if err := l.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		if version() == before {
			t.Error("Ready wrote nothing")
		}
	}
}

func TestSQLiteTroubleIsNoAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	t.Parallel() // it waits for a lock
	file := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, "sqlite:"+file)
	spend(t, l, debit(1))
	db := raw(t, file)

	// Somebody else holds the lock for longer than a request waits.
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	wantRefused(t, l, debit(1), l402.ErrLedgerUnavailable)
	if err := l.Ready(t.Context()); !errors.Is(err, l402.ErrLedgerUnavailable) {
		t.Errorf("Ready: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := l.Ready(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Ready with a context that ends before the wait for the lock: %v", err)
	}
	tx.Rollback()
	if r := spend(t, l, debit(1)); r.Used != 2 {
		t.Errorf("used %d after the lock, want 2", r.Used)
	}

	// The account is damaged.
	if _, err := db.Exec("UPDATE accounts SET recent = live, live = x'00'"); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, l, debit(1), l402.ErrLedgerUnavailable)
	if _, err := l.Account(t.Context(), hash(1)); !errors.Is(err, l402.ErrLedgerUnavailable) {
		t.Errorf("Account: %v", err)
	}
	if _, err := l.Accounts(t.Context()); !errors.Is(err, l402.ErrLedgerUnavailable) {
		t.Errorf("Accounts: %v", err)
	}
	if _, err := db.Exec("UPDATE accounts SET live = recent, recent = x''"); err != nil {
		t.Fatal(err)
	}
	if r := spend(t, l, debit(1)); r.Used != 3 {
		t.Errorf("used %d after the repair, want 3", r.Used)
	}
}

// TestRemovedFile: nothing is taken from a file that the next start would not find, and the file serves again when it is
// back.
func TestRemovedFile(t *testing.T) {
	dir := t.TempDir()
	file, away := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "away.db")
	l := open(t, "sqlite:"+file)
	spend(t, l, debit(1))
	refused := func(state string) {
		t.Helper()
		wantRefused(t, l, debit(1), l402.ErrLedgerUnavailable)
		if err := l.Ready(t.Context()); !errors.Is(err, l402.ErrLedgerUnavailable) || !strings.Contains(err.Error(), "was removed from "+file) {
			t.Errorf("%s, Ready: %v", state, err)
		}
	}
	if err := os.Rename(file, away); err != nil {
		t.Fatal(err)
	}
	refused("removed")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("replaced")
	if err := os.Rename(away, file); err != nil {
		t.Fatal(err)
	}
	if r := spend(t, l, debit(1)); r.Used != 2 {
		t.Errorf("used %d when the file is back, want 2", r.Used)
	}
}

// TestMeddling: whatever another program does to a file that a debit depends on, nothing is taken any more, and the log
// without its name is not lost: the next start has every credit that was spent, also after a crash.
func TestMeddling(t *testing.T) {
	for name, tt := range map[string]struct {
		meddle func(file, backup string) error
		want   string
		spent  int64 // that the next start finds; 0: it is for a backup
	}{
		"the log is removed": {func(file, _ string) error { return os.Remove(file + "-wal") }, "was removed from", 71},
		"the log and its index are removed": {func(file, _ string) error {
			return errors.Join(os.Remove(file+"-wal"), os.Remove(file+"-shm"))
		}, "was removed from", 71},
		"the index is removed": {func(file, _ string) error { return os.Remove(file + "-shm") }, "was removed from", 71},
		"the log is replaced": {func(file, _ string) error {
			return errors.Join(os.Remove(file+"-wal"), os.WriteFile(file+"-wal", nil, 0o600))
		}, "another file is there", 0},
		"the log is emptied": {func(file, _ string) error { return os.Truncate(file+"-wal", 0) }, "another program wrote", 0},
		"a backup is copied over it": {func(file, backup string) error {
			b, err := os.ReadFile(backup)
			return errors.Join(err, os.WriteFile(file, b, 0o600))
		}, "another program wrote", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, backup := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "backup")
			l := open(t, "sqlite:"+file)
			spend(t, l, debit(1))
			if err := ledger.Backup(t.Context(), "sqlite:"+file, backup); err != nil {
				t.Fatal(err)
			}
			for range 70 {
				spend(t, l, debit(1))
			}
			if err := tt.meddle(file, backup); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if name != "the index is removed" { // which only Ready looks for: the log alone has every debit
					wantRefused(t, l, debit(1), l402.ErrLedgerUnavailable)
				}
				if err := l.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("Ready: %v, want %q", err, tt.want)
				}
			}
			if tt.spent == 0 {
				return
			}
			after := t.TempDir() // as a crash leaves them
			if err := os.CopyFS(after, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			next := open(t, "sqlite:"+filepath.Join(after, "ledger.db"))
			if a, err := next.Account(t.Context(), hash(1)); err != nil || int64(a.Used) != tt.spent {
				t.Errorf("the next start finds %d credits spent, want %d (%v)", a.Used, tt.spent, err)
			}
		})
	}
}

// TestDamagedFile: damage of any page of accounts is found by Inspect and by Check, after which nothing is debited.
func TestDamagedFile(t *testing.T) {
	const accounts, page = 200, 4096
	file := filepath.Join(t.TempDir(), "ledger.db")
	l, err := ledger.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range accounts {
		spend(t, l, debit(n))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var root int
	if err := raw(t, file).QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'accounts'").Scan(&root); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]int{"the root of the accounts": (root - 1) * page, "the last page": len(sound) - page} {
		damaged := slices.Clone(sound)
		for i := range page {
			damaged[at+i] ^= 0x5a
		}
		copied := filepath.Join(t.TempDir(), "ledger.db")
		if err := os.WriteFile(copied, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.Inspect(t.Context(), "sqlite:"+copied); err == nil || !strings.Contains(err.Error(), "restore a backup") {
			t.Errorf("%s, Inspect: %v", name, err)
		}
		l, err := ledger.Open(t.Context(), "sqlite:"+copied)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "restore a backup") {
			t.Errorf("%s, Check: %v", name, err)
		}
		wantRefused(t, l, debit(accounts), l402.ErrLedgerUnavailable)
		if err := l.Ready(t.Context()); !errors.Is(err, l402.ErrLedgerUnavailable) {
			t.Errorf("%s, Ready: %v", name, err)
		}
		l.Close()
	}
}
