package index

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
)

func TestBounds(t *testing.T) {
	x := freshIndex(t, Options{Concurrency: 1, Timeout: 20 * time.Millisecond})
	code := func(ctx context.Context) problem.Code {
		_, err := x.Search(ctx, Query{Text: "macaroon"})
		var p *problem.Problem
		if !errors.As(err, &p) {
			return problem.Code(fmt.Sprint(err))
		}
		return p.Code
	}
	x.slots <- struct{}{}
	if got := code(context.Background()); got != problem.Overloaded {
		t.Errorf("with every slot taken: %s, want %s", got, problem.Overloaded)
	}
	<-x.slots
	x.options.Timeout = time.Minute // however slow this machine is
	if got := code(context.Background()); got != "<nil>" {
		t.Errorf("with a free slot: %s, want an answer", got)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if got := code(gone); got != problem.Timeout {
		t.Errorf("with a caller that has gone: %s, want %s", got, problem.Timeout)
	}
}

// TestCloseWaits: a search that has begun is answered although the index is being closed, even if it
// needs postings that were never read; a later search is refused.
func TestCloseWaits(t *testing.T) {
	x := freshIndex(t, Options{Timeout: time.Minute})
	if err := x.store.Acquire(); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- x.Close() }()
	for x.store.Acquire() == nil {
		x.store.Release()
		runtime.Gosched()
	}
	var p parsed
	err := x.parse(&p, Query{Text: `macaroon lightn "wallet connect" robto`})
	if err != nil {
		t.Fatal(err)
	}
	pl, err := x.plan(context.Background(), &p)
	if err != nil || len(pl.clauses) < 4 {
		t.Errorf("a search that has begun fails: %v", err)
	}
	select {
	case <-closed:
		t.Fatal("closed under a search")
	default:
	}
	x.store.Release()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := x.Search(context.Background(), Query{Text: "lightning"}); err == nil {
		t.Error("a closed index answers")
	}
}

func TestConcurrentSearches(t *testing.T) {
	x := freshIndex(t, Options{Timeout: time.Minute})
	texts := []string{"macaroon", `"wallet connect"`, "tag:lightning invoice", "robto", "payments for agents", "lnd", "mac"}
	want := make([]string, len(texts))
	for i, text := range texts {
		want[i] = string(encode(ask(t, x, Query{Text: text}).Document()))
	}
	done := make(chan error)
	for g := range 4 {
		go func() {
			for n := range 50 {
				i := (g + n) % len(texts)
				r, err := x.Search(context.Background(), Query{Text: texts[i]})
				if err == nil && string(encode(r.Document())) != want[i] {
					err = fmt.Errorf("%s: another answer", texts[i])
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
