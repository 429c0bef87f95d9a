package server

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.almanac.example/server/servertest"
)

// A lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// lines returns the lines that hold text.
func (l *lockedBuffer) lines(text string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(strings.Split(l.b.String(), "\n"), func(s string) bool { return !strings.Contains(s, text) })
}

// TestOneLineOfTheAccessLog: a call to the tool server is one line of the log, with what was called and what became of
// it, and without its arguments.
func TestOneLineOfTheAccessLog(t *testing.T) {
	var log lockedBuffer
	cfg := testConfig(t)
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := newService(t, cfg)
	for _, test := range []struct{ tool, arguments, want string }{
		{"fetch", `{"ids":["never-logged","trust"]}`, "rpc=tools/call tool=fetch outcome=ok"},
		{"fetch", `{"never_logged":1}`, "rpc=tools/call tool=fetch outcome=failed"},
		{"made_up", `{}`, "rpc=tools/call tool=other outcome=failed"},
	} {
		const line = "tools/call"
		before := len(log.lines(line))
		s.Do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+test.tool+`","arguments":`+test.arguments+`}}`,
			"Content-Type", "application/json", "Accept", "application/json, text/event-stream")
		servertest.WaitUntil(t, "the call is logged", func() bool { return len(log.lines(line)) > before })
		lines := log.lines(line)[before:]
		if len(lines) != 1 || !strings.Contains(lines[0], "msg=request method=POST path=/mcp status=200 ") || !strings.HasSuffix(lines[0], test.want) {
			t.Errorf("%s %s is logged as\n%s\nwant one line that ends in %q", test.tool, test.arguments, strings.Join(lines, "\n"), test.want)
		}
	}
	if lines := append(log.lines("never"), log.lines("made_up")...); len(lines) > 0 {
		t.Errorf("words of a client are logged: %q", lines)
	}
}
