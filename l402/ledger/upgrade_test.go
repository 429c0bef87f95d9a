package ledger

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.almanac.example/l402"

	"github.com/google/go-cmp/cmp"
	"github.com/lightningnetwork/lnd/lntypes"
)

// The tables of the versions before this one, as their programs created them.
const (
	accountsOf1 = `CREATE TABLE accounts (hash BLOB PRIMARY KEY, credits INTEGER NOT NULL, used INTEGER NOT NULL, expires_at INTEGER NOT NULL,
		serial INTEGER NOT NULL, live BLOB NOT NULL, first_used INTEGER NOT NULL, last_used INTEGER NOT NULL, revoked_at INTEGER NOT NULL`
	otherTablesOf1 = `) STRICT, WITHOUT ROWID;
		CREATE TABLE log (id INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT;
		INSERT INTO log VALUES (1, x'');
		CREATE INDEX accounts_by_end ON accounts (expires_at) WHERE expires_at > 0;
		CREATE TABLE master_keys (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
		CREATE TABLE pruned (horizon INTEGER NOT NULL) STRICT;
		INSERT INTO pruned VALUES (0);`
	recentOf2 = `, recent BLOB NOT NULL`
	salesOf4  = `, sale INTEGER NOT NULL DEFAULT 0, price INTEGER NOT NULL DEFAULT 0, sold_at INTEGER NOT NULL DEFAULT 0,
		reimbursed_at INTEGER NOT NULL DEFAULT 0, branches BLOB NOT NULL DEFAULT x''`
)

var schemasBefore = map[int]string{
	1: accountsOf1 + otherTablesOf1,
	2: accountsOf1 + recentOf2 + otherTablesOf1,
	3: accountsOf1 + recentOf2 + otherTablesOf1 + sqliteProbe,
	4: accountsOf1 + recentOf2 + salesOf4 + otherTablesOf1 + sqliteProbe + sqlitePrunedSales,
}

// oldRecord encodes a state as the given version logged it.
func oldRecord(version int, r *row) []byte {
	b := append([]byte(nil), r.hash[:]...)
	numbers := r.numbers()
	for i, n := range numbers {
		if i < 6 || version > 3 {
			b = binary.AppendVarint(b, *n)
		}
	}
	fields := [][]byte{r.live.appendBinary(nil)}
	if version > 1 {
		fields = append(fields, appendDeliveries(nil, r.deliveries))
	}
	if version > 3 {
		fields = append(fields, r.branches.appendBinary(nil))
	}
	for _, field := range fields {
		b = append(binary.AppendUvarint(b, uint64(len(field))), field...)
	}
	return b
}

// TestSQLiteUpgrade opens files of each older version, with accounts in the table, and with newer states of them in the
// log, as kill -9 leaves it.
func TestSQLiteUpgrade(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	end := noon.Add(time.Hour)
	old := func(n byte, used int64) *row {
		return &row{hash: lntypes.Hash{n}, credits: 100, expiresAt: end.Unix(), serial: used, live: serials{{1, used}}, firstUsed: noon.Unix(), lastUsed: noon.Unix()}
	}
	for version, schema := range schemasBefore {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
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
			exec(schema + fmt.Sprintf("PRAGMA user_version = %d", version))
			for n := range byte(2) {
				r := old(n+1, 7)
				exec(`INSERT INTO accounts (hash, credits, used, expires_at, serial, live, first_used, last_used, revoked_at`+map[bool]string{true: ", recent"}[version > 1]+
					`) VALUES (?, 100, 7, ?, 7, ?, ?, ?, 0`+map[bool]string{true: ", x''"}[version > 1]+`)`,
					r.hash[:], r.expiresAt, r.live.appendBinary(nil), r.firstUsed, r.lastUsed)
			}
			exec("INSERT INTO log VALUES (2, ?), (3, ?)", oldRecord(version, old(2, 8)), append(oldRecord(version, old(2, 9)), oldRecord(version, old(3, 5))...))
			db.Close()

			l, err := Open(t.Context(), "sqlite:"+file)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			before, err := Inspect(t.Context(), "sqlite:"+copyBefore(file, version))
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
		})
	}
}

// TestUpgradeIsWhole holds that a file that cannot be upgraded stays as it is.
func TestUpgradeIsWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ledger.db")
	db, err := sql.Open("sqlite", sqliteDSN(file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(schemasBefore[3] + "INSERT INTO log VALUES (2, x'0102'); PRAGMA user_version = 3; PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
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
