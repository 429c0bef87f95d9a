package ops

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestRateLimitedHandler(t *testing.T) {
	c := newClock()
	var out bytes.Buffer
	log := slog.New(NewRateLimitedHandler(slog.NewTextHandler(&out, nil), c.now)).With("part", "ledger")
	count := func(text string) int { return strings.Count(out.String(), text) }
	for range 1000 {
		log.Error("the ledger fails")
		log.Info("request")
	}
	log.Error("another fault")
	if got := count(`msg="the ledger fails"`); got != logBurst {
		t.Errorf("%d complaints passed, want %d", got, logBurst)
	}
	if count("msg=request") != 1000 || count("another fault") != 1 {
		t.Error("other messages were held back")
	}
	c.t = c.t.Add(time.Second)
	log.Error("the ledger fails")
	if count(`msg="the ledger fails" part=ledger held_back=990`) != 1 {
		t.Errorf("nothing tells what was held back: %s", out.String()[out.Len()-200:])
	}
}
