package e2e

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"go.almanac.example/server/servertest"
)

// TestBackupAndRestore: a backup made under load holds a moment of it, one made at rest holds every credit exactly, and
// a service that is started over what was restored goes on from there.
func TestBackupAndRestore(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	state, dir := t.TempDir(), t.TempDir()
	p := startServe(t, "-state", state, "-credits", "100000", "-access-log=false")
	credential := p.buy()
	searches := func(p *process) (left int64) {
		res, body := servertest.Ask(t, http.MethodGet, p.base+"/v1/search?q=macaroon", "", "Authorization", credential)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", res.StatusCode, body)
		}
		left, err := strconv.ParseInt(res.Header.Get("X-Credit-Balance"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	balance := func(p *process) int64 {
		_, body := servertest.Ask(t, http.MethodGet, p.base+"/v1/credits", "", "Authorization", credential)
		return servertest.Decode[struct{ Remaining int64 }](t, body).Remaining
	}
	searches(p)

	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var answered atomic.Int64
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				searches(p)
				answered.Add(1)
			}
		})
	}
	servertest.WaitUntil(t, "there is load", func() bool { return answered.Load() > 20 })
	before := balance(p)
	underLoad := filepath.Join(dir, "under-load")
	if status, stdout, stderr := almanac(t, "backup", "-state", state, underLoad); status != 0 || !strings.Contains(stdout, "1 keys, 1 accounts; checked") {
		t.Fatalf("backup under load: status %d, %s%s", status, stdout, stderr)
	}
	after := balance(p)
	stop()
	wg.Wait()
	atRest := filepath.Join(dir, "at-rest")
	if status, stdout, stderr := almanac(t, "backup", "-state", state, atRest); status != 0 {
		t.Fatalf("backup at rest: status %d, %s%s", status, stdout, stderr)
	}
	last := balance(p)
	p.signal(syscall.SIGTERM)
	p.wait()

	for backup, right := range map[string]func(int64) bool{
		underLoad: func(left int64) bool { return after <= left && left <= before },
		atRest:    func(left int64) bool { return left == last },
	} {
		restored := filepath.Join(t.TempDir(), "state")
		if status, stdout, stderr := almanac(t, "restore", "-state", restored, backup); status != 0 {
			t.Fatalf("restore: status %d, %s%s", status, stdout, stderr)
		}
		again := startServe(t, "-state", restored, "-credits", "100000")
		left := balance(again)
		if !right(left) {
			t.Errorf("%s: %d credits are left, before the backup %d, after it %d, at the end %d", filepath.Base(backup), left, before, after, last)
		}
		if got := searches(again); got != left-1 {
			t.Errorf("%s: a search leaves %d of %d", filepath.Base(backup), got, left)
		}
	}
	for _, path := range []string{atRest, filepath.Join(atRest, "keys"), filepath.Join(atRest, "ledger.db")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, mode %v: others may read it", path, err, info.Mode())
		}
	}
}

// TestBackupFaults: nothing is overwritten, and what is damaged or does not belong together is not restored.
func TestBackupFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	state, dir := t.TempDir(), t.TempDir()
	p := startServe(t, "-state", state)
	p.buy()
	p.signal(syscall.SIGTERM)
	p.wait()
	good := filepath.Join(dir, "good")
	if status, _, stderr := almanac(t, "backup", "-state", state, good); status != 0 {
		t.Fatal(stderr)
	}
	spoiled := func(name string, spoil func(dir string)) string {
		copied := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(copied, os.DirFS(good)); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"keys", "ledger.db"} {
			if err := os.Chmod(filepath.Join(copied, file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		spoil(copied)
		return copied
	}
	write := func(path, content string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fresh := func() string { return filepath.Join(t.TempDir(), "state") }
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"backup over a folder", []string{"backup", "-state", state, good}, "exists"},
		{"backup of nothing", []string{"backup", "-state", "/nowhere", filepath.Join(dir, "x")}, "no such file"},
		{"backup to nowhere", []string{"backup", "-state", state, "/nowhere/x"}, "no such file"},
		{"restore over a state", []string{"restore", "-state", state, good}, "move the old files away"},
		{"restore of nothing", []string{"restore", "-state", fresh(), dir}, "is not a backup"},
		{"restore of a damaged ledger", []string{"restore", "-state", fresh(), spoiled("damaged", func(dir string) {
			f, err := os.OpenFile(filepath.Join(dir, "ledger.db"), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			f.WriteAt([]byte(strings.Repeat("x", 8192)), 4096)
			f.Close()
		})}, "ledger"},
		{"restore with other keys", []string{"restore", "-state", fresh(), spoiled("foreign", func(dir string) {
			write(filepath.Join(dir, "keys"), strings.Repeat("ab", 32)+"\n")
		})}, "other master keys"},
		{"restore of a broken key file", []string{"restore", "-state", fresh(), spoiled("keys", func(dir string) {
			write(filepath.Join(dir, "keys"), "x\n")
		})}, "64 hexadecimal digits"},
		{"restore of a file into a database", []string{"restore", "-state", fresh(), "-ledger", "postgres://localhost/almanac", good}, "PostgreSQL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := almanac(t, tt.args...)
			if status != 1 || stdout != "" || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("status %d, %s%s; want 1 and one line with %q", status, stdout, stderr, tt.want)
			}
		})
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".almanac-backup-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if status, stdout, _ := almanac(t, "backup", "-state", state, "-ledger", "postgres://localhost/almanac", filepath.Join(dir, "keys-only")); status != 0 || !strings.Contains(stdout, "pg_dump") {
		t.Errorf("with PostgreSQL: status %d, %s", status, stdout)
	}
}
