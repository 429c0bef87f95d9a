package mcpserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"almanac/catalog"
)

// sessionSteps are the messages of a whole session: a handshake, and five calls.
func sessionSteps() []string {
	steps := []string{
		body(false, "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}`),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		body(false, "tools/list", ""),
	}
	for _, c := range benchCalls[len(benchCalls)-5:] {
		steps = append(steps, body(false, c.method, c.params))
	}
	return steps
}

// sessionLoad is what the other libraries serve: the tools and the resource of the session with the same answers.
func sessionLoad(b *testing.B) []byte {
	b.Helper()
	type tool struct {
		Name, Description string
		InputSchema       json.RawMessage
		Text              string
		Structured        json.RawMessage
	}
	type resource struct{ URI, Text string }
	var load struct {
		Tools     []tool
		Resources []resource
	}
	s := serverOver(b, Options{})
	if err := json.Unmarshal(send(s, request(false, body(false, "tools/list", ""))).Result, &load); err != nil {
		b.Fatal(err)
	}
	for _, c := range benchCalls[len(benchCalls)-5:] {
		rep := send(s, request(false, body(false, c.method, c.params)))
		var result struct {
			toolResult
			Contents []resource
		}
		if err := json.Unmarshal(rep.Result, &result); err != nil {
			b.Fatal(err)
		}
		load.Resources = append(load.Resources, result.Contents...)
		for i := range load.Tools {
			if t := &load.Tools[i]; t.Name == c.name {
				t.Text, t.Structured = result.Content[0].Text, result.Structured
			}
		}
	}
	for i := range load.Tools { // those that the session does not call
		if t := &load.Tools[i]; t.Structured == nil {
			t.Structured = json.RawMessage("{}")
		}
	}
	line, err := json.Marshal(load)
	if err != nil {
		b.Fatal(err)
	}
	return append(line, '\n')
}

// BenchmarkSession measures the processor time that a whole session takes from the server: the bare handler of net/http
// that writes the same bytes, this endpoint, the official SDK by itself, and mcp-go, in turns within one run.
func BenchmarkSession(b *testing.B) {
	program := filepath.Join(b.TempDir(), "session")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("testdata", "session")
	if out, err := build.CombinedOutput(); err != nil {
		b.Skipf("the other libraries cannot be built here: %v\n%s", err, out)
	}
	own, others := startBenchServer(b), startServer(b, exec.Command(program), sessionLoad(b))
	ways := []struct {
		name   string
		server *benchServer
		path   string
		turns  int // the others take many times as long
	}{
		{"floor", own, "", 200}, {"almanac", own, catalog.MCPPath, 200}, {"go-sdk", others, "/sdk", 25}, {"mcp-go", others, "/mcp-go", 25},
	}
	spent, sessions := make([]time.Duration, len(ways)), make([]int, len(ways))
	once := func(keep bool) {
		for w, way := range ways {
			conn, err := net.Dial("tcp", way.server.addr)
			if err != nil {
				b.Fatal(err)
			}
			in := bufio.NewReaderSize(conn, 64<<10)
			var requests [][]byte
			for i, step := range sessionSteps() {
				path := way.path
				if path == "" {
					path = fmt.Sprintf("/floor/session/%d", i)
				}
				requests = append(requests, wireOf(b, false, path, step))
			}
			before := way.server.ask()
			for range way.turns {
				for _, r := range requests {
					if err := drive(conn, in, r, 1); err != nil {
						b.Fatalf("%s: %v", way.name, err)
					}
				}
			}
			if keep {
				spent[w] += way.server.ask() - before
				sessions[w] += way.turns
			}
			conn.Close()
		}
	}
	once(false)
	for b.Loop() {
		once(true)
	}
	per := func(w int) float64 { return float64(spent[w].Nanoseconds()) / float64(sessions[w]) / 1e3 }
	for w, way := range ways {
		b.ReportMetric(per(w), way.name+"-µs")
		if w > 0 {
			b.ReportMetric(per(w)/per(0), "x-floor-"+way.name)
		}
	}
	b.ReportMetric(0, "ns/op")
}
