package l402_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

// docs/cases.md, C42.
func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "keys")
	open := func() l402.Keys {
		t.Helper()
		keys, err := l402.OpenKeys(path)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	first := open()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v; want 0600", info.Mode(), err)
	}
	url := "sqlite:" + filepath.Join(dir, "ledger.db")
	l, err := ledger.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	with := func(k l402.Keys) func(*l402.Config) { return func(c *l402.Config) { c.Keys = k } }
	s := openShopOn(t, l, with(first))
	old := s.buy()
	s.wantServed(s.search1(old.header()), 99)

	// Rotation: a new key goes first. Both sign what is accepted.
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fresh := strings.Repeat("5a", 32)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(fresh + "\n" + string(text))
	s = openShopOn(t, l, with(open()))
	young := s.buy()
	s.wantServed(s.search1(old.header()), 98)
	s.wantServed(s.search1(young.header()), 99)

	// Without the old key its tokens are revoked.
	write(fresh + "\n")
	s = openShopOn(t, l, with(open()))
	s.wantChallenge(s.search1(old.header()), problem.CredentialInvalid)
	s.wantServed(s.search1(young.header()), 98)

	// The same without a restart.
	write(string(text))
	if err := s.paywall.SetKeys(t.Context(), open()); err != nil {
		t.Fatal(err)
	}
	s.wantServed(s.search1(old.header()), 97)
	s.wantChallenge(s.search1(young.header()), problem.CredentialInvalid)
	write(fresh + "\n" + string(text))
	if err := s.paywall.SetKeys(t.Context(), open()); err != nil {
		t.Fatal(err)
	}
	s.wantServed(s.search1(old.header()), 96)
	s.wantServed(s.search1(young.header()), 97)
	write(strings.Repeat("11", 32) + "\n")
	if err := s.paywall.SetKeys(t.Context(), open()); !errors.Is(err, l402.ErrForeignKeys) {
		t.Errorf("SetKeys with other keys: %v, want ErrForeignKeys", err)
	}
	s.wantServed(s.search1(young.header()), 96) // and everything stays as it was

	// A key file that this ledger never met, as after a restore of the wrong backup, is found out at the start.
	write(strings.Repeat("11", 32) + "\n")
	_, err = l402.New(t.Context(), l402.Config{Terms: usualTerms, Invoicer: s.node, Ledger: l, Keys: open(), Limits: wideLimits(), Now: time.Now, Log: discard()})
	if !errors.Is(err, l402.ErrForeignKeys) {
		t.Fatalf("New with other keys: got %v, want ErrForeignKeys", err)
	}

	for name, text := range map[string]string{
		"empty": "", "comment only": "# nothing\n", "short": fresh[:62], "long": fresh + "00", "not hex": "zz" + fresh[2:],
		"twice": fresh + "\n" + fresh, "zero": strings.Repeat("0", 64), "spaces": " " + fresh, "cut": fresh + "\n" + fresh[:10],
		"many": manyKeys(9), "a long line": strings.Repeat("a", 1<<17),
	} {
		write(text)
		_, err := l402.OpenKeys(path)
		if err == nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), fresh[:16]) || strings.Contains(err.Error(), "zz") {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
	write(fresh)
	for mode, want := range map[os.FileMode]string{0o660: "", 0o644: "chmod 600"} { // Kubernetes gives files to the group fsGroup
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := l402.OpenKeys(path); (err == nil) != (want == "") || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("a file of mode %v: %v", mode, err)
		}
	}
	for _, bad := range []string{filepath.Join(dir, "no", "such"), dir} {
		if _, err := l402.OpenKeys(bad); err == nil {
			t.Errorf("%s: accepted", bad)
		}
	}
	if got := fmt.Sprintf("%v %+v %#v", first, first, first); strings.Count(got, "1 master keys") != 3 {
		t.Errorf("keys print as %s", got)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%064x\n", i+1)
	}
	return b.String()
}

func TestOpenKeysAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	var wg sync.WaitGroup
	ids := make([]l402.KeyID, 20)
	for i := range ids {
		wg.Go(func() {
			keys, err := l402.OpenKeys(path)
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = keys.IDs()[0]
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatal("two processes that start at once have different keys")
		}
	}
}
