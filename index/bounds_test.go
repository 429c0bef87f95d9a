package index

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
)

// TestBounds: a network that has its share of the searches at one time waits for itself alone, and no longer than the time of
// a search.
func TestBounds(t *testing.T) {
	x := freshIndex(t, Options{Concurrency: 2, Timeout: 20 * time.Millisecond})
	x.options.Timeout = time.Minute // of a search that has a turn, however slow this machine is
	from := func(addr string) context.Context { return peer.NewContext(t.Context(), netip.MustParseAddr(addr)) }
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	x.turns.Enter(t.Context(), netip.MustParsePrefix("192.0.2.0/24"))
	for name, ask := range map[string]func(context.Context) error{
		"search":      func(ctx context.Context) error { _, err := x.Search(ctx, Query{Text: "macaroon"}); return err },
		"free search": func(ctx context.Context) error { _, err := x.Find(ctx, "macaroon", nil, 1); return err },
		"answers":     func(ctx context.Context) error { _, err := x.Answers(ctx, "macaroon", nil); return err },
	} {
		for who, tt := range map[string]struct {
			ctx  context.Context
			want problem.Code
		}{
			"the busy network": {from("192.0.2.7"), problem.Overloaded}, "another": {from("198.51.100.1"), ""}, "nobody any more": {gone, problem.Timeout},
		} {
			err := ask(tt.ctx)
			if p := (*problem.Problem)(nil); err != nil && (!errors.As(err, &p) || p.Code != tt.want) || err == nil && tt.want != "" {
				t.Errorf("%s of %s: %v, want %q", name, who, err, tt.want)
			}
		}
	}
}

func TestConcurrentSearches(t *testing.T) {
	x := freshIndex(t, Options{Timeout: time.Minute})
	texts := []string{"macaroon", `"wallet connect"`, "tag:lightning invoice", "robto", "payments for agents", "lnd", "mac"}
	want := make([]string, len(texts))
	for i, text := range texts {
		want[i] = string(ask(t, x, Query{Text: text}).appendTo(nil))
	}
	done := make(chan error)
	for g := range 4 {
		go func() {
			for n := range 50 {
				i := (g + n) % len(texts)
				r, err := x.Search(context.Background(), Query{Text: texts[i]})
				if err == nil && string(r.appendTo(nil)) != want[i] {
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

// TestPhraseStops: no more places of a phrase are read than are asked for.
func TestPhraseStops(t *testing.T) {
	for _, most := range []int{1, 3} {
		n := 0
		err := realIndex(t).store.Phrase(t.Context(), []string{"payment", "request"}, func(uint32) bool { n++; return n < most })
		if err != nil || n != most {
			t.Errorf("%d places read of %d, %v", n, most, err)
		}
	}
}
