package ledger

import (
	"context"
	"database/sql"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402"

	"github.com/google/go-cmp/cmp"
	"github.com/lightningnetwork/lnd/lntypes"
)

// schemaBefore are the tables of the version before this one, as its program created them.
const schemaBefore = `CREATE TABLE accounts (hash BLOB PRIMARY KEY, credits INTEGER NOT NULL, used INTEGER NOT NULL, expires_at INTEGER NOT NULL,
		serial INTEGER NOT NULL, live BLOB NOT NULL, first_used INTEGER NOT NULL, last_used INTEGER NOT NULL, revoked_at INTEGER NOT NULL,
		recent BLOB NOT NULL, sale INTEGER NOT NULL DEFAULT 0, price INTEGER NOT NULL DEFAULT 0, sold_at INTEGER NOT NULL DEFAULT 0,
		reimbursed_at INTEGER NOT NULL DEFAULT 0, branches BLOB NOT NULL DEFAULT x'') STRICT, WITHOUT ROWID;
	CREATE TABLE log (id INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT;
	INSERT INTO log VALUES (1, x'');
	CREATE INDEX accounts_by_end ON accounts (expires_at) WHERE expires_at > 0;
	CREATE TABLE master_keys (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
	CREATE TABLE pruned (horizon INTEGER NOT NULL) STRICT;
	INSERT INTO pruned VALUES (0);
	CREATE TABLE probe (written INTEGER NOT NULL, filler BLOB NOT NULL) STRICT;
	INSERT INTO probe VALUES (0, zeroblob(8192));
	CREATE TABLE pruned_sales (day INTEGER NOT NULL, sale INTEGER NOT NULL, accounts INTEGER NOT NULL, sats INTEGER NOT NULL, credits INTEGER NOT NULL,
		used INTEGER NOT NULL, reimbursed INTEGER NOT NULL, reimbursed_sats INTEGER NOT NULL, PRIMARY KEY (day, sale)) STRICT, WITHOUT ROWID;
	PRAGMA user_version = 4;`

// oldRecord encodes a state as the version before logged it.
func oldRecord(r *row) []byte {
	b := append([]byte(nil), r.hash[:]...)
	for _, n := range r.numbers() {
		b = binary.AppendVarint(b, *n)
	}
	for _, field := range [][]byte{r.live.appendBinary(nil), appendDeliveries(nil, r.deliveries), r.branches.appendBinary(nil)} {
		b = append(binary.AppendUvarint(b, uint64(len(field))), field...)
	}
	return b
}

// TestSQLiteUpgrade opens a file of the version before, with accounts in the table, and with newer states of them in the
// log, as kill -9 leaves it. One that is older still is refused, and stays as it is.
func TestSQLiteUpgrade(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	end := noon.Add(time.Hour)
	old := func(n byte, used int64) *row {
		return &row{hash: lntypes.Hash{n}, credits: 100, expiresAt: end.Unix(), serial: used, live: serials{{1, used}}, firstUsed: noon.Unix(), lastUsed: noon.Unix()}
	}
	file := filepath.Join(t.TempDir(), "ledger.db")
	db, err := sql.Open("sqlite", sqliteDSN(file))
	if err != nil {
		t.Fatal(err)
	}
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(schemaBefore)
	for n := range byte(2) {
		r := old(n+1, 7)
		exec(`INSERT INTO accounts (hash, credits, used, expires_at, serial, live, first_used, last_used, revoked_at, recent) VALUES (?, 100, 7, ?, 7, ?, ?, ?, 0, x'')`,
			r.hash[:], r.expiresAt, r.live.appendBinary(nil), r.firstUsed, r.lastUsed)
	}
	exec("INSERT INTO log VALUES (2, ?), (3, ?)", oldRecord(old(2, 8)), append(oldRecord(old(2, 9)), oldRecord(old(3, 5))...))
	db.Close()

	l, err := Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	before, err := Inspect(t.Context(), "sqlite:"+copyBefore(file, sqliteBefore))
	if err != nil || before.Upgrade == "" {
		t.Errorf("the copy of before: %+v, %v", before, err)
	}
	if after, err := Inspect(t.Context(), "sqlite:"+file); err != nil || after.Upgrade != "" {
		t.Errorf("the upgraded file: %+v, %v", after, err)
	}
	for n, used := range map[byte]int{1: 7, 2: 9, 3: 5} {
		got, err := l.Account(t.Context(), lntypes.Hash{n})
		want := old(n, int64(used)).account() // whose sale is not known
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
		d := l402.Debit{Hash: lntypes.Hash{n}, Credits: 100, Limit: 100, ExpiresAt: end, At: noon, Request: [16]byte{1},
			Sale: l402.Sale{Kind: l402.SalePaid, PriceSats: 100, At: noon}, Budgets: []l402.Budget{{Limit: 1}}}
		for range 2 {
			if r, err := l.Spend(t.Context(), d); err != nil || r.Used != used+1 || r.Branches[0].Used != 1 {
				t.Errorf("account %d: %+v, %v; want %d used", n, r, err, used+1)
			}
		}
	}
	if err := l.Ready(t.Context()); err != nil {
		t.Errorf("Ready: %v", err)
	}
	days, err := l.Sales(t.Context(), end)
	if diff := cmp.Diff([]l402.DayOfSales{{SalesTotals: l402.SalesTotals{Accounts: 3, Credits: 300, Used: 24}}}, days); err != nil || diff != "" {
		t.Errorf("sales of before: %v %s", err, diff)
	}
	older := filepath.Join(t.TempDir(), "ledger.db")
	if db, err = sql.Open("sqlite", sqliteDSN(older)); err != nil {
		t.Fatal(err)
	}
	exec("PRAGMA user_version = 3")
	db.Close()
	_, err = Open(t.Context(), "sqlite:"+older)
	_, inspected := Inspect(t.Context(), "sqlite:"+older)
	for _, err := range []error{err, inspected} {
		if err == nil || !strings.Contains(err.Error(), "no release wrote") {
			t.Errorf("a file of version 3: %v", err)
		}
	}
}

// TestUpgradeIsWhole holds that a file that cannot be upgraded stays as it is.
func TestUpgradeIsWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ledger.db")
	db, err := sql.Open("sqlite", sqliteDSN(file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(schemaBefore + "INSERT INTO log VALUES (2, x'0102'); PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openSQLite(context.Background(), file); err == nil {
		t.Fatal("upgraded a file whose log is damaged")
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Fatal("the file has changed")
	}
}
