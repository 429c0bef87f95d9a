package e2e

import (
	"net/http/httptest"
	"path/filepath"
	"syscall"
	"testing"

	"go.almanac.example/cmd/almanac/buyer"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/internal/parttest"
)

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
