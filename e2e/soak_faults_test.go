//go:build soak

package e2e

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/server/servertest"
)

const soakCredits = 1 << 20

// bulk are the flags of a service whose buyers buy enough for a test.
var bulk = []string{"-credits", fmt.Sprint(soakCredits), "-trusted-proxy", "127.0.0.0/8,::1", "-free-rate", "0", "-access-log=false"}

// TestSoakKill kills the process under paid load with SIGKILL, three times: with buyers that ask once, and with careful
// ones that repeat a request that had no answer under the same name.
func TestSoakKill(t *testing.T) {
	for name, careful := range map[string]bool{"once": false, "careful": true} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			args := append([]string{"-state", state}, bulk...)
			p := startServe(t, append(args, "-http", lasting(t))...)
			c := newCrowd(t, p.base, 6)
			c.careful = careful
			c.during(4, func() {
				for range 3 {
					time.Sleep(*soakTime / 3)
					p.cmd.Process.Kill()
					p.cmd.Wait()
					p = restart(t, p, state, args...)
				}
				time.Sleep(*soakTime / 3)
			})
			r := c.reckon(soakCredits)
			c.tell(r)
			faultFigures(t, c, r)
			// At each kill every worker has at most one request under way. A careful buyer loses none, unless the
			// service is away for so long that the name no longer holds.
			if lost := r.used - r.answered; lost > 3*6*4 || careful && lost > r.unknown {
				t.Errorf("%d credits were spent without an answer, of %d requests that had none", lost, r.unknown)
			}
		})
	}
}

// seen tells how often clients saw a status.
func (c *crowd) seen(status string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statuses[status]
}

// TestSoakNodeHangs runs with a Lightning node that takes connections and says nothing.
func TestSoakNodeHangs(t *testing.T) {
	state := t.TempDir()
	args := append([]string{"-state", state}, bulk...)
	p := startServe(t, append(args, "-http", lasting(t))...)
	c := newCrowd(t, p.base, 4)
	p.signal(syscall.SIGTERM)
	p.wait()

	hung, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hung.Close()
	dir := t.TempDir()
	cert, macaroon := filepath.Join(dir, "tls.cert"), filepath.Join(dir, "macaroon")
	servertest.WriteCertificate(t, cert, filepath.Join(dir, "key"))
	m, err := hex.DecodeString("0201036c6e64020169000006203022b39f0612f3fd7f8dd702040aec5342549ff75b2eaa800ba3ba46fa8de6d1") // no node baked it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(macaroon, m, 0o600); err != nil {
		t.Fatal(err)
	}
	p = restart(t, p, state, append(args, "-payments", "lnd", "-lnd-url", "https://"+hung.Addr().String(),
		"-lnd-cert", cert, "-lnd-macaroon", macaroon, "-lnd-network", "regtest")...)
	var slowest time.Duration
	refused := make(map[int]int)
	c.during(2, func() {
		for end := time.Now().Add(*soakTime); time.Now().Before(end); {
			began := time.Now()
			status, _ := p.get("/v1/search?q=macaroon")
			refused[status]++
			slowest = max(slowest, time.Since(began))
		}
	})
	r := c.reckon(soakCredits)
	c.tell(r)
	faultFigures(t, c, r, fmt.Sprintf("new buyers: %d × 429, %d × 503", refused[429], refused[503]))
	t.Logf("who wanted to buy saw %v, after %s at most", refused, slowest.Round(time.Millisecond))
	if r.unknown > 0 || r.refused > 0 || r.answered == 0 || r.used != r.answered {
		t.Error("a node that hangs was noticed by those who had paid")
	}
	delete(refused, http.StatusTooManyRequests) // this one buyer asks as fast as it can
	if refused[http.StatusServiceUnavailable] == 0 || len(refused) != 1 {
		t.Errorf("who wants to buy sees %v, want 503 or, asking too often, 429", refused)
	}
}

// TestSoakSlowClients opens connections that send and read as slowly as they can, beside ordinary load.
func TestSoakSlowClients(t *testing.T) {
	p := startServe(t, bulk...)
	addr := strings.TrimPrefix(p.base, "http://")
	c := newCrowd(t, p.base, 4)
	const drips = 150 // of each kind
	var closed, failed atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	slow := func(head string, drip byte) {
		wg.Go(func() {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				failed.Add(1)
				return
			}
			defer conn.Close()
			io.WriteString(conn, head)
			for ctx.Err() == nil {
				if _, err := conn.Write([]byte{drip}); err != nil {
					closed.Add(1)
					return
				}
				select {
				case <-ctx.Done():
				case <-time.After(500 * time.Millisecond):
				}
			}
		})
	}
	for range drips {
		slow("GET /support.json HTTP/1.1\r\nHost: x\r\nX-Slow: ", 'x')
		slow("POST /mcp HTTP/1.1\r\nHost: "+addr+"\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{", ' ')
	}
	unread := make([]net.Conn, 0, 100)
	for range 100 { // ask for much and read nothing
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, strings.Repeat("GET /llms-full.txt HTTP/1.1\r\nHost: x\r\n\r\n", 200))
		unread = append(unread, conn)
	}
	c.during(2, func() {
		time.Sleep(*soakTime)
		servertest.WaitUntil(t, "every drip was closed by the service", func() bool { return closed.Load()+failed.Load() == 2*drips })
	})
	r := c.reckon(soakCredits)
	c.tell(r)
	faultFigures(t, c, r, fmt.Sprintf("%d of %d slow senders disconnected", closed.Load(), 2*drips))
	t.Logf("%d drips were closed by the service, %d could not connect", closed.Load(), failed.Load())
	if r.unknown > 0 || r.refused > 0 {
		t.Error("slow clients were noticed by the others")
	}
	if closed.Load() == 0 {
		t.Error("no drip could connect")
	}
	cancel()
	wg.Wait()
	for _, conn := range unread {
		conn.Close()
	}
}

// TestSoakIdle holds 10,000 connections that say nothing, beside ordinary load.
func TestSoakIdle(t *testing.T) {
	const idle = 10_000
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < idle*14/10 {
		t.Skipf("this machine lets a process have %d files open; %d connections need more", files.Cur, idle)
	}
	p := startServe(t, bulk...)
	c := newCrowd(t, p.base, 4)
	before := p.gauge("process_resident_memory_bytes")
	conns := make([]net.Conn, 0, idle)
	defer func() {
		for _, conn := range conns {
			conn.Close()
		}
	}()
	for range idle {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		io.WriteString(conn, "GET /support.json HTTP/1.1\r\nHost: x\r\n\r\n") // an idle connection is one that was used
	}
	for _, conn := range conns {
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	with := p.gauge("process_resident_memory_bytes")
	c.during(2, func() { time.Sleep(*soakTime) })
	r := c.reckon(soakCredits)
	c.tell(r)
	faultFigures(t, c, r)
	figures(t, tableMemory, "rest", "the service with this library, at rest", fmt.Sprintf("%.0f MB resident", before/1e6))
	figures(t, tableMemory, "idle", "an idle connection", fmt.Sprintf("%.0f KB", (with-before)/idle/1e3))
	t.Logf("%d idle connections: memory %.0f MB before, %.0f MB with them, %.1f KB each", idle, before/1e6, with/1e6, (with-before)/idle/1e3)
	if r.unknown > 0 || r.refused > 0 {
		t.Error("idle connections were noticed by the others")
	}
}

// gauge gives one number of the metrics.
func (p *process) gauge(name string) float64 {
	p.t.Helper()
	for line := range strings.Lines(p.metrics()) {
		var v float64
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			if _, err := fmt.Sscan(rest, &v); err != nil {
				p.t.Fatal(err)
			}
			return v
		}
	}
	p.t.Fatalf("the metrics lack %s", name)
	return 0
}

// TestSoakReload reloads every second under load on all surfaces, and looks whether anything grows.
func TestSoakReload(t *testing.T) {
	dir := servertest.CopyFixtures(t)
	p := startServe(t, append([]string{"-fixtures", dir}, bulk...)...)
	c := newCrowd(t, p.base, 4)
	var free atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, path := range []string{"/library/", "/api/protocol-facts.json", "/llms-full.txt"} {
		wg.Go(func() {
			for ctx.Err() == nil {
				if status, err := c.ask(path, "", netOf(0)); err != nil || status != http.StatusOK {
					t.Errorf("%s: status %d, %v", path, status, err)
					return
				}
				free.Add(1)
			}
		})
	}
	var early float64
	reloads := max(8, int(*soakTime/time.Second))
	c.during(2, func() {
		for i := range reloads {
			began := time.Now()
			p.signal(syscall.SIGHUP)
			p.waitMetric(fmt.Sprintf(`almanac_reloads_total{outcome="ok"} %d`, i+2))
			if i == reloads/2 {
				early = p.gauge("go_memstats_heap_inuse_bytes")
			}
			time.Sleep(time.Until(began.Add(time.Second)))
		}
	})
	cancel()
	wg.Wait()
	r := c.reckon(soakCredits)
	c.tell(r)
	late, routines := p.gauge("go_memstats_heap_inuse_bytes"), p.gauge("go_goroutines")
	faultFigures(t, c, r)
	t.Logf("%d reloads, %d free answers; heap %.0f MB half way, %.0f MB at the end; %.0f goroutines", reloads, free.Load(), early/1e6, late/1e6, routines)
	if r.unknown > 0 || r.refused > 0 || r.used != r.answered {
		t.Error("a reload was noticed")
	}
	if late > 2*early+50e6 {
		t.Errorf("the heap grew from %.0f to %.0f MB", early/1e6, late/1e6)
	}
}
