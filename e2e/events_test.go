package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/server/servertest"
)

// A poller polls for events and notes their ids, as a client does that keeps nothing but its cursor.
type poller struct {
	base   atomic.Pointer[string] // of the program that runs
	cursor string
	seen   []string
}

// poll polls once. A program that is being killed or started answers nothing, and the poller asks again with the same
// cursor.
func (p *poller) poll(t *testing.T) {
	params := fmt.Sprintf(`{"name":"record.changed","cursor":%q,"maxEvents":2}`, p.cursor)
	body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"events/poll","params":` + params + `}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, *p.base.Load()+"/mcp", body)
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer res.Body.Close()
	var answer struct {
		Result struct {
			Events    []struct{ EventID string }
			Cursor    string
			Truncated bool
		}
	}
	if json.NewDecoder(res.Body).Decode(&answer) != nil || answer.Result.Cursor == "" {
		return
	}
	if answer.Result.Truncated {
		t.Errorf("after %s events are said to be missing", p.cursor)
	}
	for _, e := range answer.Result.Events {
		p.seen = append(p.seen, e.EventID)
	}
	p.cursor = answer.Result.Cursor
}

// TestPollerSeesEachEventOnce: a poller sees each line of the history once and in order, while the program is reloaded
// 25 times, killed 25 times, and once has an older history for a while.
func TestPollerSeesEachEventOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../mcpserver/testdata/catalog")); err != nil {
		t.Fatal(err)
	}
	const day, record = "2026-11-22", "mcp-go-sdk"
	file := filepath.Join(dir, "history", day+".jsonl")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	// The history after each event. The poller begins after the first.
	line := func(change, old, now string) string {
		return fmt.Sprintf(`{"record":%q,"change":%q,"members":[{"name":"verified_at","old":%s,"new":%q}]}`+"\n", record, change, old, now)
	}
	history := []string{line("added", "null", "2026-11-21")}
	var want []string
	write := func(text string) {
		if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	write(history[0])
	p := startServe(t, "-fixtures", dir)
	polling := &poller{cursor: day + "#" + record}
	polling.base.Store(&p.base)
	done, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			polling.poll(t)
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	reload := func(text string, reloads int) {
		write(text)
		p.signal(syscall.SIGHUP)
		p.waitMetric(fmt.Sprintf(`almanac_reloads_total{outcome="ok"} %d`, reloads))
	}
	for round := range 25 {
		for range 2 {
			want = append(want, fmt.Sprintf("%s#%s__%d", day, record, len(history)+1))
			history = append(history, history[len(history)-1]+line("read-again", `"2026-11-21"`, "2026-11-22"))
		}
		reload(history[len(history)-2], 2)
		if round == 20 {
			reload(history[10], 3)
			reload(history[len(history)-2], 4)
		}
		write(history[len(history)-1])
		p.signal(syscall.SIGKILL)
		p.wait()
		p = startServe(t, "-fixtures", dir)
		polling.base.Store(&p.base)
	}
	last := want[len(want)-1]
	close(done)
	<-stopped
	servertest.WaitUntil(t, "the last event is seen", func() bool { polling.poll(t); return polling.cursor == last })
	if diff := cmp.Diff(want, polling.seen); diff != "" {
		t.Errorf("events (-recorded +seen):\n%s", diff)
	}
}
