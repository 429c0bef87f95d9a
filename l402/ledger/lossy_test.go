package ledger_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.almanac.example/l402"
)

// A lossyPath stands between a ledger and its database. While it loses answers, each commit reaches the database and
// its answer does not come back, nor does anybody get to ask what became of it.
type lossyPath struct {
	to     string // the database's socket
	loses  atomic.Bool
	losses atomic.Int64
}

// lossy puts a path in front of the database of url, and gives the address at its near end.
func lossy(t *testing.T, url string) (*lossyPath, string) {
	t.Helper()
	before, folder, ok := strings.Cut(url, "host=")
	if !ok {
		t.Fatalf("no socket in %s", url)
	}
	dir, err := os.MkdirTemp("/tmp", "almanac-pg-") // short, as in startCluster
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	const socket = ".s.PGSQL.5432"
	l, err := net.Listen("unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &lossyPath{to: filepath.Join(folder, socket)}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.carry(client)
		}
	}()
	return p, before + "host=" + dir
}

// carry joins a client with the database until one of them ends, or something is to be lost.
func (p *lossyPath) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer server.Close()
		p.copy(server, client, "pg_xact_status")
	}()
	if p.copy(client, server, "COMMIT\x00") {
		p.losses.Add(1)
	}
}

// copy copies until the end, or until lost would have come through.
func (p *lossyPath) copy(to io.Writer, from io.Reader, lost string) (cut bool) {
	b := make([]byte, 1<<16) // more than any message here, so that lost comes in one piece
	for {
		n, err := from.Read(b)
		if p.loses.Load() && bytes.Contains(b[:n], []byte(lost)) {
			return true
		}
		if _, writeErr := to.Write(b[:n]); err != nil || writeErr != nil {
			return false
		}
	}
}

// TestLostAnswers loses the answers to commits, again and again. Of debits that nobody was told of, none stays.
func TestLostAnswers(t *testing.T) {
	path, url := lossy(t, database(t))
	l := open(t, url)
	spend(t, l, debit(1))
	path.loses.Store(true)
	for range 20 {
		if _, err := l.Spend(t.Context(), debit(1)); !errors.Is(err, l402.ErrLedgerUnavailable) {
			t.Fatalf("Spend: %v", err)
		}
	}
	if path.losses.Load() == 0 {
		t.Fatal("no answer was lost")
	}
	path.loses.Store(false)
	wantUsedSoon(t, l, 1, 1)
	spend(t, l, debit(1))
	wantUsed(t, l, 1, 2)
}
