package e2e

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/server/servertest"
)

var (
	besideProgram  = flag.String("beside", "", "program of another version, for BenchmarkBeside")
	besideFixtures = flag.String("beside.fixtures", "", "folder of curated files that both versions read, or two "+
		"folders, separated as in PATH, of the same data as each version reads it; empty: those built into each")
)

// besideRounds is how often the two programs take turns.
const besideRounds = 9

// BenchmarkBeside compares the program with another version of itself, as both are by default, in turns: the start
// and the memory at rest, a page, an MCP call, paid searches, challenges, an export and, with -beside.fixtures, the reload of one
// edited entry. It reports the median of each figure, and of its ratio to that of the other version in the same round.
func BenchmarkBeside(b *testing.B) {
	if *besideProgram == "" {
		b.Skip("-beside names no program")
	}
	var args [2][]string // of this version and the other
	if folders := filepath.SplitList(*besideFixtures); len(folders) > 0 {
		for i := range args {
			dir := b.TempDir()
			if err := os.CopyFS(dir, os.DirFS(folders[min(i, len(folders)-1)])); err != nil {
				b.Fatal(err)
			}
			args[i] = []string{"-fixtures", dir}
		}
	}
	programs := [2]string{program, *besideProgram}
	b.Run("start", func(b *testing.B) {
		compare(b, []string{"cpu-s", "MB"}, func(i int) []float64 {
			c := startWhole(b, programs[i], args[i]...)
			defer syscall.Kill(c.pid, syscall.SIGKILL)
			return []float64{c.rest(b), c.resident(b)}
		})
	})
	b.Run("export", func(b *testing.B) {
		compare(b, []string{"cpu-s"}, func(i int) []float64 {
			cmd := exec.Command(programs[i], append([]string{"export", "-o", b.TempDir()}, args[i]...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			return []float64{(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
		})
	})
	var list [2]contestant
	for i := range list {
		list[i] = startWhole(b, programs[i],
			append(args[i], "-challenge-rate", "1000000", "-challenge-outstanding", "1000000")...)
	}
	for _, c := range list { // what is made after a start, or within the first request for it, is no part of the figures
		servertest.Ask(b, "GET", "http://"+c.addr+"/manifest.json", "")
		c.rest(b)
	}
	asked := [2]int{}
	for _, tt := range []struct {
		name        string
		connections int
		paid        bool
		request     func(n int) string
	}{
		{"page", wholeConnections, false, func(int) string {
			return "GET " + wholePage + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
		}},
		{"MCP call", wholeConnections, false, func(int) string { return fetchCall("osworld") }},
		{"MCP call with more evidence", wholeConnections, false, func(int) string {
			return fetchCall("aperture-l402-proxy")
		}},
		{"new searches, 1 client", 1, true, newSearch},
		{"new searches, 16 clients", 16, true, newSearch},
		{"repeated searches, 1 client", 1, true, func(n int) string { return newSearch(n % 32) }},
		{"repeated searches, 16 clients", 16, true, func(n int) string { return newSearch(n % 32) }},
		{"challenges, 16 clients", 16, false, newSearch},
	} {
		b.Run(tt.name, func(b *testing.B) {
			compare(b, []string{"cpu-µs", "p50-µs"}, func(i int) []float64 {
				requests := make([]string, 1000)
				credential := ""
				for n := range requests {
					requests[n] = tt.request(asked[i])
					if tt.paid && n%100 == 0 { // the credits of one payment
						credential = (&servertest.Client{T: b, URL: "http://" + list[i].addr}).Buy()
					}
					requests[n] = strings.Replace(requests[n], "CREDENTIAL", credential, 1)
					asked[i]++
				}
				c := list[i]
				if strings.HasPrefix(tt.name, "challenges") {
					c.status = http.StatusPaymentRequired
				}
				cpu, p50 := c.send(b, tt.connections, requests)
				return []float64{cpu * 1e6, p50 * 1e6}
			})
		})
	}
	if *besideFixtures == "" {
		return
	}
	b.Run("reload", func(b *testing.B) {
		compare(b, []string{"cpu-s"}, func(i int) []float64 {
			list[i].rest(b)
			before := processorTime(b, list[i].pid)
			list[i].reloadEdited(b, args[i][1])
			return []float64{list[i].rest(b) - before}
		})
	})
}

// compare measures both programs in turns, and reports each figure of this version, and its ratio to the other's.
func compare(b *testing.B, units []string, measure func(i int) []float64) {
	b.ReportMetric(0, "ns/op")
	figures, ratios := make([][]float64, len(units)), make([][]float64, len(units))
	for round := range besideRounds + 1 {
		var got [2][]float64
		for turn := range got {
			i := (turn + round) % 2
			got[i] = measure(i)
		}
		for u := range units {
			if round > 0 { // the first warms both up
				figures[u], ratios[u] = append(figures[u], got[0][u]), append(ratios[u], got[0][u]/got[1][u])
			}
		}
	}
	for u, unit := range units {
		b.ReportMetric(middle(figures[u]), unit)
		b.ReportMetric(middle(ratios[u]), strings.Split(unit, "-")[0]+"-ratio")
	}
}

// rest waits until a program does nothing, and returns its processor time so far in seconds.
func (c contestant) rest(b *testing.B) float64 {
	b.Helper()
	last := -1.0
	for {
		now := processorTime(b, c.pid)
		if now-last < 0.002 {
			return now
		}
		last = now
		<-time.After(500 * time.Millisecond)
	}
}

// resident returns the resident memory of a program in MB.
func (c contestant) resident(b *testing.B) float64 {
	b.Helper()
	var pages, size float64
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.pid))
	if err != nil {
		b.Fatal(err)
	}
	fmt.Sscan(string(text), &size, &pages)
	return pages * float64(os.Getpagesize()) / 1e6
}

// reloadEdited edits an entry of a program that reads dir, has it reload, and waits until the edit is served.
func (c contestant) reloadEdited(b *testing.B, dir string) {
	b.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "library", "*", "aperture-l402-proxy.json"))
	if err != nil || len(names) != 1 {
		b.Fatal(names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		b.Fatal(err)
	}
	edited := fmt.Sprint("Edited ", time.Now().UnixNano())
	text = regexp.MustCompile(`"title": "[^"]*"`).ReplaceAll(text, []byte(`"title": "`+edited+`"`))
	if err := os.WriteFile(names[0], text, 0o644); err != nil {
		b.Fatal(err)
	}
	syscall.Kill(c.pid, syscall.SIGHUP)
	servertest.WaitUntil(b, "the edit is served", func() bool {
		_, body := servertest.Ask(b, "GET", "http://"+c.addr+"/api/entries/aperture-l402-proxy.json", "")
		return strings.Contains(string(body), edited)
	})
}

// newSearch returns the n-th of some thousand paid searches, without its credential.
func newSearch(n int) string {
	words := []string{"agent", "payment", "lightning", "invoice", "wallet", "token", "header", "robot", "security",
		"identity", "macaroon", "protocol", "challenge", "receipt", "network", "stablecoin", "licence", "merchant", "sensor", "browser",
		"offer", "preimage", "caveat", "channel", "route", "fee", "settlement", "finality", "refund", "budget", "credential", "signature",
		"webhook", "discovery", "registry", "directory", "regulation", "battery", "privacy", "audit", "dataset", "benchmark", "gateway",
		"schema", "session", "subscription", "currency", "custody", "escrow", "mandate", "checkout", "cart", "order", "voucher", "credit",
		"expiry", "nonce", "hash", "key", "certificate", "proxy", "cache", "stream", "message", "topic", "broker", "device", "firmware",
		"matter", "thread", "modbus", "vehicle", "drone", "simulator", "planner", "perception", "policy", "model", "prompt"}
	k := len(words)
	return fmt.Sprintf("GET /v1/search?q=%s+%s+%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: CREDENTIAL\r\n\r\n",
		words[n%k], words[n/k%k], words[n/k/k%k])
}

// fetchCall returns a call of fetch. Versions that publish different evidence of an entry answer with different
// sizes: at ed7a49f, osworld has 2.0 KB (now 2.3) and aperture-l402-proxy 1.5 KB (now 7.2).
func fetchCall(id string) string {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{"id":"` + id + `"}}}`
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
}
