package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

// The files of a backup.
const (
	backupKeys   = "keys"
	backupLedger = "ledger.db"
)

// A BackupReport counts the contents of a backup.
type BackupReport struct {
	Keys     int
	Accounts int
	Ledger   bool // false: the ledger is in PostgreSQL, and not part of the backup
}

// Backup copies the state directory and a SQLite ledger into a new folder, and checks the copy. The service may be
// running.
func Backup(ctx context.Context, state, ledgerURL, dir string) (BackupReport, error) {
	if _, err := os.Lstat(dir); err == nil {
		return BackupReport{}, fmt.Errorf("%s exists: give a folder that does not", dir)
	}
	parent := filepath.Dir(filepath.Clean(dir))
	tmp, err := os.MkdirTemp(parent, ".almanac-backup-")
	if err != nil {
		return BackupReport{}, fmt.Errorf("back up: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := copyFile(filepath.Join(state, "keys"), filepath.Join(tmp, backupKeys)); err != nil {
		return BackupReport{}, fmt.Errorf("back up: %w", err)
	}
	if err := ledger.Backup(ctx, ledgerURL, filepath.Join(tmp, backupLedger)); err != nil &&
		!errors.Is(err, ledger.ErrNotSQLite) {
		return BackupReport{}, err
	}
	report, err := verifyBackup(ctx, tmp)
	if err != nil {
		return BackupReport{}, err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return BackupReport{}, fmt.Errorf("back up: %w", err)
	}
	return report, l402.SyncDir(parent)
}

// Restore puts a backup back into a state directory that holds neither keys nor a ledger.
func Restore(ctx context.Context, dir, state, ledgerURL string) (BackupReport, error) {
	report, err := verifyBackup(ctx, dir)
	if err != nil {
		return BackupReport{}, err
	}
	file, sqlite := strings.CutPrefix(ledgerURL, "sqlite:")
	if report.Ledger && !sqlite {
		return BackupReport{}, errors.New("the backup holds a SQLite ledger, but the ledger of this configuration is in PostgreSQL")
	}
	keys := filepath.Join(state, "keys")
	taken := []string{keys}
	if report.Ledger {
		taken = append(taken, file, file+"-wal", file+"-shm")
	}
	for _, path := range taken {
		if _, err := os.Lstat(path); err == nil {
			return BackupReport{}, fmt.Errorf("%s exists: stop the service and move the old files away first", path)
		}
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return BackupReport{}, fmt.Errorf("restore: %w", err)
	}
	if report.Ledger {
		// The ledger first: without its keys it is not used, while keys without a ledger would begin a new one.
		if err := copyFile(filepath.Join(dir, backupLedger), file); err != nil {
			return BackupReport{}, fmt.Errorf("restore: %w", err)
		}
	}
	if err := copyFile(filepath.Join(dir, backupKeys), keys); err != nil {
		return BackupReport{}, fmt.Errorf("restore: %w", err)
	}
	return report, nil
}

// copyFile copies a file durably, readable by its owner alone.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := renameio.NewPendingFile(to, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	defer out.Cleanup()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if err := out.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return l402.SyncDir(filepath.Dir(to))
}

// verifyBackup reads all of a backup, and holds its ledger against its keys.
func verifyBackup(ctx context.Context, dir string) (BackupReport, error) {
	keys, err := l402.ReadKeys(filepath.Join(dir, backupKeys))
	if err != nil {
		return BackupReport{}, fmt.Errorf("%s is not a backup: %w", dir, err)
	}
	report := BackupReport{Keys: len(keys.IDs())}
	file := filepath.Join(dir, backupLedger)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return report, nil
	}
	status, err := ledger.Verify(ctx, file)
	if err != nil {
		return BackupReport{}, err
	}
	if !status.Fits(keys.IDs()) {
		return BackupReport{}, fmt.Errorf("%s: %w", dir, l402.ErrForeignKeys)
	}
	report.Ledger, report.Accounts = true, status.Accounts
	return report, nil
}
