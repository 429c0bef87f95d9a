package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestUnreadLog: a service whose log nothing reads answers all requests and ends when it is told to, whether the reader
// is stuck or gone.
func TestUnreadLog(t *testing.T) {
	for name, leave := range map[string]func(*os.File) error{
		"stuck": func(*os.File) error { return nil },
		"gone":  (*os.File).Close,
	} {
		t.Run(name, func(t *testing.T) {
			reader, log, err := os.Pipe()
			must(t, err)
			t.Cleanup(func() { reader.Close() })
			p := &process{t: t, cmd: command(t, serveArgs(t, "-payments", "off")...)}
			p.cmd.Stderr = log
			must(t, p.cmd.Start())
			t.Cleanup(func() { p.cmd.Process.Kill() })
			log.Close()
			lines := bufio.NewScanner(reader)
			for p.base == "" && lines.Scan() {
				var line struct{ Msg, Base string }
				if json.Unmarshal(lines.Bytes(), &line); line.Msg == "serving" {
					p.base = line.Base
				}
			}
			must(t, leave(reader))
			for range 1500 { // with 64 KiB of lines the pipe is full
				res, err := http.Get(p.base + "/robots.txt?" + strings.Repeat("x", 100))
				must(t, err)
				if res.Body.Close(); res.StatusCode != http.StatusOK {
					t.Fatalf("status %d", res.StatusCode)
				}
			}
			p.signal(syscall.SIGTERM)
			if status := p.wait(); status != 0 {
				t.Errorf("exit status %d", status)
			}
		})
	}
}
