package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/server/servertest"
)

const (
	wholePage        = "/articles/paying-over-mcp-and-a2a/" // 15 KB
	wholeConnections = 16
	wholeRounds      = 15
	wholePeriod      = 300 * time.Millisecond
)

// BenchmarkWhole asks the running program, as it is by default (listener, limits, metrics, access log), for a page of
// 15 KB over 16 connections, in turns with a bare handler that writes the same headers and body. Each server is a process of its own, so that its processor
// time is its own: what it takes for a request, and how that compares with the bare handler in the same round (the
// median of the rounds).
func BenchmarkWhole(b *testing.B) {
	almanac := startWhole(b, program)
	list := []contestant{startBare(b, "http://"+almanac.addr, wholePage), almanac}
	for _, tt := range []struct {
		name, headers string
		http2         bool
	}{
		{"identity", "", false},
		{"gzip", "Accept-Encoding: gzip\r\n", false},
		{"HTTP2", "", true},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			costs, rates := make([][]float64, len(list)), make([]float64, len(list))
			for range wholeRounds {
				for _, i := range rand.Perm(len(list)) { // in any order, because each finds the processor caches that the one before left
					if tt.http2 && i > 1 {
						continue
					}
					cpu, rate := list[i].measure(b, tt.headers, tt.http2)
					costs[i] = append(costs[i], cpu)
					rates[i] = max(rates[i], rate)
				}
			}
			reportCosts(b, list, costs, rates)
		})
	}
}

// send sends requests over so many connections, and returns the processor time of one and the median of their
// durations, in seconds.
func (c contestant) send(b *testing.B, connections int, requests []string) (cpu, p50 float64) {
	b.Helper()
	var wg sync.WaitGroup
	var next atomic.Int64
	took := make([]float64, len(requests))
	before := processorTime(b, c.pid)
	for range connections {
		wg.Go(func() {
			conn, err := net.Dial("tcp", c.addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			answers := bufio.NewReaderSize(conn, 64<<10)
			for i := int(next.Add(1)); i <= len(requests); i = int(next.Add(1)) {
				began := time.Now()
				io.WriteString(conn, requests[i-1])
				res, err := http.ReadResponse(answers, nil)
				if err != nil || res.StatusCode != cmp.Or(c.status, http.StatusOK) {
					b.Errorf("%s %.80q: %v, %v", c.name, requests[i-1], res, err)
					return
				}
				io.Copy(io.Discard, res.Body)
				took[i-1] = time.Since(began).Seconds()
			}
		})
	}
	wg.Wait()
	return (processorTime(b, c.pid) - before) / float64(len(requests)), middle(took)
}

// reportCosts reports the processor time of a request and the best rate of each server, and both beside the first
// one's.
func reportCosts(b *testing.B, list []contestant, costs [][]float64, rates []float64) {
	for i, c := range list {
		if len(costs[i]) == 0 {
			continue
		}
		ratios := make([]float64, len(costs[i]))
		for round, cost := range costs[i] {
			ratios[round] = cost / costs[0][round]
		}
		b.ReportMetric(middle(costs[i])*1e6, c.name+"-cpu-µs")
		b.ReportMetric(rates[i], c.name+"/s")
		if i > 0 {
			b.ReportMetric(middle(ratios), c.name+"-cpu/bare")
			b.ReportMetric(rates[0]/rates[i], "bare/"+c.name)
		}
	}
}

func middle(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }

// A contestant is a server in a process of its own.
type contestant struct {
	name, addr string
	pid        int
	status     int // of its answers; 0 means 200
}

// measure asks for the page over all connections for a while, and returns the processor time of a request in seconds,
// and the rate.
func (c contestant) measure(b *testing.B, headers string, http2 bool) (cpu, rate float64) {
	ask := c.overHTTP1(headers)
	if http2 {
		ask = c.overHTTP2
	}
	ctx, cancel := context.WithTimeout(b.Context(), wholePeriod)
	defer cancel()
	var wg sync.WaitGroup
	var n atomic.Int64
	before, began := processorTime(b, c.pid), time.Now()
	for range wholeConnections {
		wg.Go(func() {
			if err := ask(ctx, &n); err != nil {
				b.Errorf("%s: %v", c.name, err)
			}
		})
	}
	wg.Wait()
	return (processorTime(b, c.pid) - before) / float64(n.Load()), float64(n.Load()) / time.Since(began).Seconds()
}

// overHTTP1 returns a client that asks until ctx ends. All answers have one length, so that it need not read more of
// them than that.
func (c contestant) overHTTP1(headers string) func(ctx context.Context, n *atomic.Int64) error {
	request := []byte("GET " + wholePage + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n")
	return func(ctx context.Context, n *atomic.Int64) error {
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := conn.Write(request); err != nil {
			return err
		}
		counted := &countedReader{Reader: conn}
		res, err := http.ReadResponse(bufio.NewReader(counted), nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d, %v", res.StatusCode, err)
		}
		answer := make([]byte, counted.n)
		for ctx.Err() == nil {
			if _, err := conn.Write(request); err != nil {
				return err
			}
			if _, err := io.ReadFull(conn, answer); err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 200")) {
				return fmt.Errorf("%.40q: %v", answer, err)
			}
			n.Add(1)
		}
		return nil
	}
}

type countedReader struct {
	io.Reader
	n int
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	return n, err
}

// overHTTP2 asks over a connection of its own until ctx ends.
func (c contestant) overHTTP2(ctx context.Context, n *atomic.Int64) error {
	tr := &http.Transport{Protocols: new(http.Protocols), DisableCompression: true}
	tr.Protocols.SetUnencryptedHTTP2(true)
	defer tr.CloseIdleConnections()
	for ctx.Err() == nil {
		res, err := (&http.Client{Transport: tr}).Get("http://" + c.addr + wholePage)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.Proto != "HTTP/2.0" || res.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d over %s, %v", res.StatusCode, res.Proto, err)
		}
		res.Body.Close()
		n.Add(1)
	}
	return nil
}

// processorTime returns the seconds of processor time of a process and its children, as the scheduler of Linux counts
// them.
func processorTime(b *testing.B, pid int) (seconds float64) {
	b.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		b.Skip("the processor time of other processes is not known here")
	}
	for _, file := range threads {
		var ns int64
		if text, err := os.ReadFile(file); err == nil { // it has not ended
			fmt.Sscan(string(text), &ns)
		}
		seconds += float64(ns) / 1e9
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid))
	for _, child := range strings.Fields(string(children)) {
		if n, err := strconv.Atoi(child); err == nil {
			seconds += processorTime(b, n)
		}
	}
	return seconds
}

// startWhole starts a program as it is by default, with its log in a file.
func startWhole(b *testing.B, program string, args ...string) contestant {
	b.Helper()
	dir := b.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	addr := fmt.Sprintf("localhost:%d", freePort(b))
	cmd := exec.Command(program, append([]string{"serve", "-http", addr, "-grpc", "", "-admin", "", "-state", dir}, args...)...)
	cmd.Stderr = log
	startServer(b, cmd)
	awaitServer(b, addr)
	return contestant{name: "almanac", addr: addr, pid: cmd.Process.Pid}
}

func startServer(b *testing.B, cmd *exec.Cmd) {
	b.Helper()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
}

func awaitServer(b *testing.B, addr string) {
	b.Helper()
	servertest.WaitUntil(b, addr+" is served", func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}
