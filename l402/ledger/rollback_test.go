package ledger

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"go.almanac.example/l402"

	"github.com/google/go-cmp/cmp"
	"github.com/lightningnetwork/lnd/lntypes"
)

// raw opens a file to read it beside the ledger.
func raw(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", readOnlyDSN(file, false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// dump returns what the program of an older version reads of a file: its version, the accounts and the log.
func dump(t *testing.T, file string) (lines []string) {
	t.Helper()
	db := raw(t, file)
	for _, query := range []string{
		"SELECT 'version ' || user_version FROM pragma_user_version",
		"SELECT name || ' ' || sql FROM sqlite_schema ORDER BY name",
		"SELECT hex(hash) || ' ' || credits || ' ' || used || ' ' || serial || ' ' || hex(live) || ' ' || expires_at FROM accounts ORDER BY hash",
		"SELECT id || ' ' || hex(entries) FROM log ORDER BY id",
	} {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var line sql.NullString
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line.String)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	return lines
}

// TestSQLiteRollback goes the way back that docs/operate.md describes: a backup of the file as the older version left
// it, made by this program, is still of that version after this one has upgraded the file and sold from it, so that the
// older program can use it, with every credit of the time of the backup. The upgraded file is of a version that the
// older program refuses.
func TestSQLiteRollback(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	file, copied := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "backup.db")
	db, err := sql.Open("sqlite", sqliteDSN(file))
	if err != nil {
		t.Fatal(err)
	}
	r := &row{hash: lntypes.Hash{1}, credits: 100, expiresAt: noon.Add(time.Hour).Unix(), serial: 7, live: serials{{1, 7}}, firstUsed: noon.Unix(), lastUsed: noon.Unix()}
	if _, err := db.Exec(schemaBefore); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO log VALUES (2, ?)", oldRecord(r)); err != nil {
		t.Fatal(err)
	}
	db.Close()
	before := dump(t, file)
	if err := Backup(t.Context(), "sqlite:"+file, copied); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), copied); err != nil {
		t.Errorf("the backup: %v", err)
	}

	l, err := Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	d := l402.Debit{Hash: r.hash, Credits: 100, Limit: 100, ExpiresAt: noon.Add(time.Hour), At: noon, Request: [16]byte{1}}
	if receipt, err := l.Spend(t.Context(), d); err != nil || receipt.Used != 8 {
		t.Errorf("after the upgrade: %+v, %v; want 8 used", receipt, err)
	}
	l.Close()
	var upgraded int
	if err := raw(t, file).QueryRow("PRAGMA user_version").Scan(&upgraded); err != nil || upgraded != sqliteVersion || upgraded <= sqliteBefore {
		t.Errorf("the upgraded file has version %d (%v), which the program of version %d would not refuse", upgraded, err, sqliteBefore)
	}
	if diff := cmp.Diff(before, dump(t, copied)); diff != "" {
		t.Errorf("the backup is not what the older program left: %s", diff)
	}
}
