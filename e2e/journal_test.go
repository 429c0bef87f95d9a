package e2e

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"almanac/buyer"
	"almanac/l402/client/clienttest"
	"almanac/parttest"
)

// TestDamagedJournals: with a journal that is damaged or cannot be written, nothing is paid, the message says why, and
// the file stays as it is for whoever repairs it.
func TestDamagedJournals(t *testing.T) {
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[(at+len(b))%len(b)] ^= 0x10; return b }
	}
	for name, tt := range map[string]struct {
		damage func(b []byte) []byte
		words  string
	}{
		"empty":                     {func([]byte) []byte { return nil }, "is empty"},
		"half":                      {func(b []byte) []byte { return b[:len(b)/2] }, "malformed"},
		"without its last line":     {func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }, "malformed"},
		"without its last byte":     {func(b []byte) []byte { return b[:len(b)-1] }, "malformed"},
		"another file":              {func([]byte) []byte { return bytes.Repeat([]byte("not a journal\n"), 4000) }, "no journal"},
		"a flipped bit":             {flip(700), "malformed"},
		"a flipped bit at its end":  {flip(-1), "malformed"},
		"a flipped bit in its name": {flip(0), "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			node := clienttest.NewNode()
			srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: node, Price: 10, Credits: 100})
			defer srv.Close()
			s := newShopper(t, "ALMANAC_WALLET="+serveWallet(t, node))
			file := filepath.Join(s.dir, "almanac", "buyer.journal")
			s.want(0, nil, "get", srv.URL+"/a")
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b = tt.damage(b)
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"get", srv.URL + "/a"}, {"receipts"}, {"credits"}} {
				s.want(buyer.ExitStore, []string{file, tt.words}, args...)
			}
			if payments, _, _ := node.Payments(); payments != 1 {
				t.Errorf("%d payments, want the one from before", payments)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, b) {
				t.Errorf("the damaged file was changed (%v)", err)
			}
		})
	}
}

// TestUnwritableJournals: nothing is paid where the disk is full or read-only, at first or later.
func TestUnwritableJournals(t *testing.T) {
	for name, tt := range map[string]struct {
		size  string // of the file system
		flags uintptr
		first int // exit status of a first purchase
	}{
		"full":           {"size=4k", 0, buyer.ExitStore},
		"read-only":      {"size=4m", syscall.MS_RDONLY | syscall.MS_REMOUNT, buyer.ExitStore},
		"read-only then": {"size=4m", syscall.MS_RDONLY | syscall.MS_REMOUNT, 0},
	} {
		t.Run(name, func(t *testing.T) {
			node := clienttest.NewNode()
			srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: node, Price: 10, Credits: 1})
			defer srv.Close()
			s := newShopper(t, "ALMANAC_WALLET="+serveWallet(t, node))
			dir := t.TempDir()
			if err := syscall.Mount("almanac", dir, "tmpfs", 0, tt.size+",mode=0700"); err != nil {
				parttest.Missing(t, "no file system can be mounted here; root can: %v", err)
			}
			t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
			get := []string{"get", "-journal", filepath.Join(dir, "j.db"), srv.URL + "/a"}
			if tt.first == 0 {
				s.want(0, nil, get...)
			}
			if tt.flags != 0 {
				if err := syscall.Mount("almanac", dir, "tmpfs", tt.flags, tt.size); err != nil {
					t.Fatal(err)
				}
			}
			before, _, _ := node.Payments()
			s.want(buyer.ExitStore, []string{"journal"}, get...)
			if after, _, _ := node.Payments(); after != before {
				t.Errorf("%d payments without a journal", after-before)
			}
		})
	}
}
