package ledger_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/lightningnetwork/lnd/lntypes"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

// TestPostgresReady: Ready fails whenever a Spend would, for each table that a Spend writes and for a database that
// takes no writes, and leaves no account behind.
func TestPostgresReady(t *testing.T) {
	url := database(t)
	l, err := ledger.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	change := func(statements string) { // and every connection notices
		t.Helper()
		if _, err := conn.Exec(t.Context(), statements+"; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"); err != nil {
			t.Fatal(err)
		}
	}
	for _, broken := range []struct{ by, mend string }{
		{"ALTER TABLE almanac_accounts RENAME TO gone", "ALTER TABLE gone RENAME TO almanac_accounts"},
		{"ALTER TABLE almanac_writers RENAME TO gone", "ALTER TABLE gone RENAME TO almanac_writers"},
		{"ALTER ROLE almanac SET default_transaction_read_only = on", "SET default_transaction_read_only = off; ALTER ROLE almanac RESET default_transaction_read_only"},
	} {
		if err := l.Ready(t.Context()); err != nil {
			t.Fatalf("before %s: %v", broken.by, err)
		}
		change(broken.by)
		for range 20 { // the connections that were cut off are noticed one by one
			if err := l.Ready(t.Context()); !errors.Is(err, l402.ErrLedgerUnavailable) {
				t.Fatalf("after %s: %v, want ErrLedgerUnavailable", broken.by, err)
			}
		}
		change(broken.mend)
		for range 20 {
			if err = l.Ready(t.Context()); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatalf("after %s: %v", broken.mend, err)
		}
	}
	if accounts, err := l.Accounts(t.Context(), lntypes.Hash{}, 10); err != nil || len(accounts) > 0 {
		t.Errorf("Ready left %v behind (%v)", accounts, err)
	}
}

// TestCheckURL: an address that nothing can be opened at is refused before anything is opened, without quoting it.
func TestCheckURL(t *testing.T) {
	for url, valid := range map[string]bool{
		"sqlite:/nowhere/ledger.db": true, "postgres://nobody@localhost:1/none": true, "postgresql:///almanac": true,
		"": false, "sqlite:": false, "mysql://secret@localhost/": false, "postgres://secret@localhost:port/": false, "/var/secret.db": false,
	} {
		err := ledger.CheckURL(url)
		if (err == nil) != valid {
			t.Errorf("%q: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error quotes the address: %v", url, err)
		}
	}
}
