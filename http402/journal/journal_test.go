package journal_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/http402/journal"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func purchase(hash string) journal.Purchase {
	return journal.Purchase{Hash: hash, Origin: "https://a.example", Host: "a.example", Method: "GET", Resource: "/x", Scheme: "L402", Invoice: "ln", Network: "regtest",
		Payee: "02", Description: "d", Challenge: []byte("{}"), AmountMilliSats: 100, ReservedMilliSats: 110, InvoiceExpiresAt: now.Add(time.Hour)}
}

// begin begins to pay a purchase without limits.
func begin(ctx context.Context, j *journal.Journal, p journal.Purchase) error {
	return j.Begin(ctx, p, journal.Budget{}, now)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSteps walks a purchase through its states, and tries every other step at each: none may be left out or taken twice.
func TestSteps(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "dir", "journal.db")
	j := open(t, path)
	cred := journal.Credential{ID: "h", Origin: "https://a.example", Resource: "/x", Scheme: "L402", Header: "Authorization", Value: "secret", Remaining: -1, BoughtAt: now}
	paid := func() error { return j.Paid(ctx, "h", "preimage", 7, cred, now) }
	for name, early := range map[string]func() error{"paid": paid, "failed": func() error { return j.Fail(ctx, "h", "no") }, "lost": func() error { _, err := j.Forget(ctx, "h"); return err }} {
		if err := early(); !errors.Is(err, journal.ErrUnknown) {
			t.Errorf("%s before it begins: %v, want ErrUnknown", name, err)
		}
	}
	must(t, begin(ctx, j, purchase("h")))
	if err := begin(ctx, j, purchase("h")); !errors.Is(err, journal.ErrUnknown) {
		t.Errorf("begun again: %v, want ErrUnknown", err)
	}
	must(t, paid())
	for name, late := range map[string]func() error{"paid": paid, "begun": func() error { return begin(ctx, j, purchase("h")) },
		"failed": func() error { return j.Fail(ctx, "h", "no") }} {
		if err := late(); !errors.Is(err, journal.ErrUnknown) {
			t.Errorf("%s after it was paid: %v, want ErrUnknown", name, err)
		}
	}
	must(t, j.Use(ctx, "h", "receipt", now))
	all, err := j.Receipts(ctx)
	if must(t, err); len(all) != 1 {
		t.Fatalf("%d receipts, want 1", len(all))
	}
	want := purchase("h")
	want.State, want.Preimage, want.FeeMilliSats, want.ReservedMilliSats, want.Receipt = journal.Used, "preimage", 7, 110, "receipt"
	want.ReservedAt, want.PaidAt, want.UsedAt = now, now, now
	if diff := cmp.Diff(want, all[0]); diff != "" {
		t.Errorf("purchase (-want +got):\n%s", diff)
	}
	creds, err := j.Credentials(ctx, "https://a.example")
	if must(t, err); len(creds) != 1 || creds[0].Value != "secret" || creds[0].Remaining != -1 {
		t.Errorf("credentials %+v", creds)
	}
	for _, name := range []string{path, path + ".end", path + ".lock"} {
		if info, err := os.Stat(name); err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %s", name, info.Mode())
		}
	}
}

// TestFailed: what failed is free again, and may be tried again; until then, no other seller who asks for the same payment is paid.
func TestFailed(t *testing.T) {
	ctx := t.Context()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	for range 2 {
		must(t, begin(ctx, j, purchase("h")))
		if open, err := j.Open(ctx); err != nil || len(open) != 1 {
			t.Errorf("open: %v (%v)", open, err)
		}
		other := purchase("h")
		other.Origin, other.Host = "https://b.example", "b.example"
		if err := begin(ctx, j, other); !errors.Is(err, journal.ErrUnknown) {
			t.Errorf("another seller's challenge for the same payment is paid: %v", err)
		}
		must(t, j.Fail(ctx, "h", "no route"))
	}
	taken, err := j.Taken(ctx, "a.example", now.Truncate(24*time.Hour))
	if must(t, err); taken.Total != 0 {
		t.Errorf("taken %+v", taken)
	}
	dearer := purchase("h") // another invoice with the hash: what is paid now counts
	dearer.AmountMilliSats, dearer.ReservedMilliSats = 5000, 5010
	must(t, begin(ctx, j, dearer))
	must(t, j.Paid(ctx, "h", "preimage", 7, journal.Credential{ID: "h"}, now))
	if taken, err = j.Taken(ctx, "a.example", now.Truncate(24*time.Hour)); err != nil || taken.Total != 5007 {
		t.Errorf("taken %+v (%v), want 5007 in all", taken, err)
	}
	if open, err := j.Open(ctx); err != nil || len(open) != 0 {
		t.Errorf("open: %v (%v)", open, err)
	}
}

// TestTotals sums what is set aside with its limit, and what is paid with its fee.
func TestTotals(t *testing.T) {
	ctx := t.Context()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	day := now.Truncate(24 * time.Hour)
	add := func(hash, host string, at time.Time, paid bool) {
		p := purchase(hash)
		p.Host = host
		must(t, j.Begin(ctx, p, journal.Budget{}, at))
		if paid {
			must(t, j.Paid(ctx, hash, "p", 3, journal.Credential{ID: hash}, at))
		}
	}
	add("1", "a.example", now, true)
	add("2", "a.example", now, false)
	add("3", "b.example", now, true)
	add("4", "a.example", now.AddDate(0, 0, -1), true)
	must(t, begin(ctx, j, purchase("5")))
	must(t, j.Fail(ctx, "5", "no route"))
	taken, err := j.Taken(ctx, "a.example", day)
	must(t, err)
	if diff := cmp.Diff(journal.Budget{HostDay: 213, Day: 316, Total: 419, DayBegins: day}, taken); diff != "" {
		t.Errorf("taken (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		limits journal.Budget
		over   string
	}{
		{journal.Budget{HostDay: 323, Day: 426, Total: 529}, ""},
		{journal.Budget{HostDay: 322}, "host and day"}, {journal.Budget{Day: 425}, "day"}, {journal.Budget{Total: 528}, "all"},
	} {
		tt.limits.DayBegins = day
		err := j.Fits(ctx, "a.example", 110, tt.limits)
		var over *journal.OverLimit
		if errors.As(err, &over) != (tt.over != "") || over != nil && over.Limit != tt.over {
			t.Errorf("%+v: %v, want over %q", tt.limits, err, tt.over)
		}
	}
}

// TestReserveAtOnce: of many purchases in two processes, as many fit as the limit allows, and none more.
func TestReserveAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	journals := []*journal.Journal{open(t, path), open(t, path)}
	var wg sync.WaitGroup
	var mu sync.Mutex
	fits := 0
	for i := range 40 {
		wg.Go(func() {
			j, hash := journals[i%2], fmt.Sprint(i)
			err := j.Begin(t.Context(), purchase(hash), journal.Budget{Total: 1100}, now)
			switch {
			case err == nil:
				mu.Lock()
				fits++
				mu.Unlock()
			case !errors.As(err, new(*journal.OverLimit)):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if fits != 10 {
		t.Errorf("%d fit, want 10", fits)
	}
}

// TestTurn: one holder has the turn at an origin, in this process or another; those who wait may give up, and nobody
// waits for another origin.
func TestTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	one, two := open(t, path), open(t, path)
	end, err := one.Turn(t.Context(), "https://a.example")
	must(t, err)
	for name, other := range map[string]*journal.Journal{"the same process": one, "another process": two} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := other.Turn(ctx, "https://a.example"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s has the turn as well: %v", name, err)
		}
		if _, ok := other.TryTurn("https://a.example"); ok {
			t.Errorf("%s has the turn as well, without waiting", name)
		}
		elsewhere, ok := other.TryTurn("https://b.example")
		if !ok {
			t.Fatalf("%s waits for another origin", name)
		}
		elsewhere()
	}
	got := make(chan error, 1)
	go func() {
		end, err := two.Turn(t.Context(), "https://a.example")
		if err == nil {
			end()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Errorf("the other process has the turn while the first works: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	end()
	end() // twice is once
	must(t, <-got)
	again, ok := one.TryTurn("https://a.example")
	if !ok {
		t.Fatal("the turn does not end")
	}
	again()
}

// TestCredentials: what is left only shrinks, and spent stays spent, whichever process says so.
func TestCredentials(t *testing.T) {
	ctx := t.Context()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	c := journal.Credential{ID: "c", Origin: "o", Remaining: -1}
	must(t, j.Save(ctx, c))
	left := func() int64 {
		t.Helper()
		all, err := j.Credentials(ctx, "o")
		must(t, err)
		if len(all) == 0 {
			return -99
		}
		return all[0].Remaining
	}
	for _, tt := range []struct{ say, want int64 }{{-1, -1}, {90, 90}, {95, 90}, {-1, 90}, {80, 80}} {
		c.Remaining = tt.say
		must(t, j.Update(ctx, c))
		if got := left(); got != tt.want {
			t.Errorf("after %d: %d left, want %d", tt.say, got, tt.want)
		}
	}
	for _, want := range []bool{true, false} {
		if first, err := j.Present(ctx, "c"); err != nil || first != want {
			t.Errorf("presented for the first time: %v (%v), want %v", first, err, want)
		}
	}
	c.Spent = true
	must(t, j.Update(ctx, c))
	c.Spent = false
	must(t, j.Update(ctx, c))
	if got := left(); got != -99 {
		t.Errorf("a spent credential is back with %d", got)
	}
}

// TestUnfinishedLine: a line that a crash cut off is no damage, and the next step takes its place.
func TestUnfinishedLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	must(t, begin(t.Context(), open(t, path), purchase("1")))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(`0badcafe {"purch`)
	must(t, errors.Join(err, f.Close()))
	j := open(t, path)
	must(t, begin(t.Context(), j, purchase("2")))
	if seen, err := open(t, path).Open(t.Context()); err != nil || len(seen) != 2 {
		t.Errorf("%d purchases (%v), want 2", len(seen), err)
	}
}

// TestFlippedBits: no bit of the file can change without being noticed.
func TestFlippedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path)
	must(t, begin(t.Context(), j, purchase("1")))
	b, err := os.ReadFile(path)
	must(t, err)
	for i := range 8 * len(b) {
		at, bit := i/8, byte(1)<<(i%8)
		b[at] ^= bit
		must(t, os.WriteFile(path, b, 0o600))
		if j, err := journal.Open(t.Context(), path); err == nil {
			t.Errorf("bit %d of byte %d of %d flips unnoticed", i%8, at, len(b))
			j.Close()
		}
		b[at] ^= bit
	}
}

// TestFailedCompaction: a step that is on disk succeeds where the file cannot be made smaller.
func TestFailedCompaction(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "journal")
	j := open(t, path)
	must(t, os.MkdirAll(filepath.Join(path+".new", "in the way"), 0o700))
	c := journal.Credential{ID: "c", Origin: "o", Value: strings.Repeat("x", 200_000), Remaining: 9}
	must(t, j.Save(ctx, c))
	for c.Remaining > 0 {
		c.Remaining--
		must(t, j.Update(ctx, c))
	}
	if creds, err := open(t, path).Credentials(ctx, "o"); err != nil || len(creds) != 1 || creds[0].Remaining != 0 {
		t.Errorf("%d credentials (%v), want the one with nothing left", len(creds), err)
	}
}

// TestCompaction: a journal that was written much stays small, and another process reads on in the new file. One that is large
// because it has much is left alone.
func TestCompaction(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "journal")
	j, other := open(t, path), open(t, path)
	must(t, begin(ctx, j, purchase("1")))
	c := journal.Credential{ID: "c", Origin: "o", Value: strings.Repeat("x", 30_000), Remaining: 101}
	must(t, j.Save(ctx, c))
	for c.Remaining > 0 {
		c.Remaining--
		must(t, j.Update(ctx, c))
	}
	info, err := os.Stat(path)
	must(t, err)
	if info.Size() > 1<<20+1<<16 {
		t.Errorf("the file has %d bytes", info.Size())
	}
	for name, j := range map[string]*journal.Journal{"the writer": j, "another": other, "the next": open(t, path)} {
		creds, err := j.Credentials(ctx, "o")
		must(t, err)
		seen, err := j.Open(ctx)
		if must(t, err); len(creds) != 1 || creds[0].Remaining != 0 || len(seen) != 1 {
			t.Errorf("%s reads %d credentials and %d purchases", name, len(creds), len(seen))
		}
	}
	for i := range 40 {
		must(t, j.Save(ctx, journal.Credential{ID: fmt.Sprint(i), Value: c.Value}))
	}
	before, err := os.Stat(path)
	must(t, err)
	must(t, open(t, path).Save(ctx, c))
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("a file of %d bytes is written again (%v)", before.Size(), err)
	}
}

// TestRepair: a repair keeps the intact lines, counts each payment that the journal lacks once, opens the purchase of a
// challenge that the wallet paid, and leaves the damaged file beside the new one. A journal in order is left alone.
func TestRepair(t *testing.T) {
	ctx := t.Context()
	cred := journal.Credential{ID: "paid", Origin: "https://a.example", Value: "secret", Remaining: -1, BoughtAt: now}
	made := func(hash string, at time.Time) journal.Purchase {
		return journal.Purchase{Hash: hash, State: journal.Used, AmountMilliSats: 1000, FeeMilliSats: 5, ReservedAt: at, PaidAt: at}
	}
	for name, tt := range map[string]struct {
		damage func([]byte) []byte
		lost   int
		kept   int // purchases
		added  int
		taken  int64
	}{
		"a line flipped":          {func(b []byte) []byte { b[bytes.Index(b, []byte(`"later"`))+1] ^= 1; return b }, 1, 2, 2, 107 + 110 + 1005},
		"the last lines cut off":  {func(b []byte) []byte { return b[:bytes.Index(b, []byte(`"later"`))] }, 1, 2, 2, 107 + 110 + 1005},
		"emptied":                 {func([]byte) []byte { return nil }, 0, 0, 3, 3 * 1005},
		"replaced by other bytes": {func([]byte) []byte { return []byte("no journal\nat all\n") }, 2, 0, 3, 3 * 1005},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal")
			j := open(t, path)
			for _, hash := range []string{"paid", "failed"} {
				must(t, begin(ctx, j, purchase(hash)))
			}
			must(t, j.Fail(ctx, "failed", "no route"))
			must(t, j.Paid(ctx, "paid", "preimage", 7, cred, now))
			must(t, begin(ctx, j, purchase("later")))
			must(t, j.Close())
			list := func(_ context.Context, since time.Time) ([]journal.Purchase, error) {
				if tt.kept > 0 != since.Equal(now) {
					t.Errorf("payments since %v are listed", since)
				}
				paid := made("failed", now)
				paid.AmountMilliSats, paid.FeeMilliSats = 100, 10
				if tt.kept == 0 {
					paid = made("failed", now)
				}
				return []journal.Purchase{made("paid", now), paid, made("foreign", now)}, nil
			}
			if _, err := journal.RepairFile(ctx, path, list, now); !errors.Is(err, journal.ErrSound) {
				t.Fatalf("a journal in order: %v", err)
			}
			b, err := os.ReadFile(path)
			must(t, err)
			damaged := tt.damage(b)
			must(t, os.WriteFile(path, damaged, 0o600))
			if _, err := journal.Open(ctx, path); err == nil {
				t.Fatal("the damaged journal is opened")
			}
			r, err := journal.RepairFile(ctx, path, list, now)
			must(t, err)
			if r.Lost != tt.lost || r.Purchases != tt.kept || r.Added != tt.added {
				t.Errorf("got %+v, want %d lost, %d kept, %d added", r, tt.lost, tt.kept, tt.added)
			}
			if kept, err := os.ReadFile(r.Damaged); len(damaged) > 0 && (err != nil || !bytes.Equal(kept, damaged)) {
				t.Errorf("the damaged file is not kept: %v", err)
			}
			j = open(t, path)
			if sum, err := j.Taken(ctx, "b.example", now); err != nil || sum.Total != tt.taken {
				t.Errorf("%d millisatoshis are taken (%v), want %d", sum.Total, err, tt.taken)
			}
			open, err := j.Open(ctx)
			must(t, err)
			if tt.kept > 0 && (len(open) != 1 || open[0].Hash != "failed" || open[0].State != journal.Paying || string(open[0].Challenge) != "{}") {
				t.Errorf("open purchases %+v, want that of the challenge", open)
			}
			if list, err := j.Credentials(ctx, ""); err != nil || (len(list) == 1) != (tt.kept > 0) {
				t.Errorf("credentials %v, %v", list, err)
			}
		})
	}
}

// TestJSONHasNoCredential: the JSON of a purchase has no challenge, which with the preimage is the credential.
func TestJSONHasNoCredential(t *testing.T) {
	p := purchase("h")
	p.Challenge, p.Preimage = []byte("macaroon"), "preimage"
	b, err := json.Marshal(p)
	if must(t, err); strings.Contains(string(b), base64.StdEncoding.EncodeToString(p.Challenge)) {
		t.Errorf("%s has the challenge", b)
	}
}
