package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.almanac.example/internal/parttest"
)

// postgres is a server of a test's own, run as a user that may.
type postgres struct {
	t    *testing.T
	bin  string
	data string
	dir  string
}

// newPostgres returns a server that has no files yet, and is stopped with the test.
func newPostgres(t *testing.T) *postgres {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		parttest.Missing(t, "no PostgreSQL server under /usr/lib/postgresql")
	}
	dir, err := os.MkdirTemp("/tmp", "almanac-pg")
	if err != nil {
		t.Fatal(err)
	}
	pg := &postgres{t: t, bin: found[len(found)-1], dir: dir, data: filepath.Join(dir, "data")}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pg.try("pg_ctl", "-D", pg.data, "-m", "immediate", "-w", "stop") })
	return pg
}

// listen starts the server at addresses, and at a socket in its folder.
func (pg *postgres) listen(addresses string) {
	pg.t.Helper()
	pg.run("pg_ctl", "-D", pg.data, "-w", "-l", filepath.Join(pg.dir, "log"), "-o", "-c listen_addresses="+addresses+" -k "+pg.dir, "start")
}

func (pg *postgres) run(name string, args ...string) {
	pg.t.Helper()
	if out, err := pg.try(name, args...); err != nil {
		pg.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// try runs a program of PostgreSQL, as its own user where we are root, which it refuses to run as.
func (pg *postgres) try(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(pg.bin, name), args...)
	if os.Getuid() == 0 {
		cmd = exec.Command("setpriv", append([]string{"--reuid=postgres", "--regid=postgres", "--clear-groups", cmd.Path}, args...)...)
	}
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "PGCTLTIMEOUT=300") // seconds that pg_ctl waits
	// A server that stays behind must not hold a pipe open, so the output goes through a file.
	var out bytes.Buffer
	f, err := os.CreateTemp("", "almanac-pg-out")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	cmd.Stdout, cmd.Stderr = f, f
	err = cmd.Run()
	f.Seek(0, io.SeekStart)
	io.Copy(&out, f)
	return out.Bytes(), err
}
