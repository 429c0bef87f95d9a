package index

import (
	"context"
	"errors"
	"fmt"
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
