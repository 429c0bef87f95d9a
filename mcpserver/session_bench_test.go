package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// sessionSteps are the messages of a whole session: a handshake, and five calls.
func sessionSteps() []string {
	steps := []string{
		body(false, "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}`),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		body(false, "tools/list", ""),
	}
	for _, c := range sessionCalls() {
		steps = append(steps, body(false, c.method, c.params))
	}
	return steps
}

func sessionCalls() []benchCall { return benchCalls[len(benchCalls)-5:] }

// otherLoad is what the other libraries serve for some calls: all tools, and the called ones and resources with the
// same answers.
func otherLoad(b *testing.B, s *Server, calls []benchCall) any {
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
	if err := json.Unmarshal(send(s, request(false, body(false, "tools/list", ""))).Result, &load); err != nil {
		b.Fatal(err)
	}
	for i := range load.Tools {
		load.Tools[i].Structured = json.RawMessage("{}") // of those that are not called
	}
	for _, c := range calls {
		var result struct {
			toolResult
			Contents, Resources []resource
		}
		if rep := send(s, request(false, body(false, c.method, c.params))); rep.Result != nil {
			if err := json.Unmarshal(rep.Result, &result); err != nil {
				b.Fatal(err)
			}
		}
		load.Resources = slices.Concat(load.Resources, result.Contents, result.Resources)
		for i := range load.Tools {
			if t := &load.Tools[i]; strings.HasPrefix(c.params, `"name":`+quoted(t.Name)) {
				t.Text, t.Structured = result.Content[0].Text, result.Structured
			}
		}
	}
	return load
}

// benchServers are the processes of a benchmark: the endpoint with its floor, and the other libraries, which serve the
// session as load 0 and the n-th call as load n+1.
func benchServers(b *testing.B) (own, others *benchServer) {
	b.Helper()
	program := filepath.Join(b.TempDir(), "session")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("testdata", "session")
	if out, err := build.CombinedOutput(); err != nil {
		b.Skipf("the other libraries cannot be built here: %v\n%s", err, out)
	}
	s := serverOver(b, Options{Paid: paid()})
	loads := []any{otherLoad(b, s, sessionCalls())}
	for _, c := range benchCalls {
		loads = append(loads, otherLoad(b, s, []benchCall{c}))
	}
	line, err := json.Marshal(loads)
	if err != nil {
		b.Fatal(err)
	}
	return startBenchServer(b), startServer(b, exec.Command(program), append(line, '\n'))
}

// A way is one of the servers that a benchmark compares, with the requests that it sends to it in a turn.
type way struct {
	name     string
	server   *benchServer
	requests [][]byte
	turns    int
}

// race reports the processor time that the requests take of each server, in turns within one run, and for all but the
// first the median ratio to the first's in the same round.
func race(b *testing.B, ways []way) {
	conns, readers := make([]net.Conn, len(ways)), make([]*bufio.Reader, len(ways))
	for w, way := range ways {
		conn, err := net.Dial("tcp", way.server.addr)
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		conns[w], readers[w] = conn, bufio.NewReaderSize(conn, 64<<10)
	}
	round := func() (spent []float64) {
		for w, way := range ways {
			before := way.server.ask()
			for range way.turns {
				for _, r := range way.requests {
					if err := drive(conns[w], readers[w], r, 1); err != nil {
						b.Fatalf("%s: %v", way.name, err)
					}
				}
			}
			spent = append(spent, (way.server.ask()-before).Seconds()*1e6/float64(way.turns))
		}
		return spent
	}
	round()
	costs, ratios := make([][]float64, len(ways)), make([][]float64, len(ways))
	for b.Loop() {
		for w, cost := range round() {
			costs[w] = append(costs[w], cost)
			ratios[w] = append(ratios[w], cost/costs[0][len(costs[0])-1])
		}
	}
	middle := func(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
	for w, way := range ways {
		b.ReportMetric(middle(costs[w]), way.name+"-µs")
		if w > 0 {
			b.ReportMetric(middle(ratios[w]), "x-floor-"+way.name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// waysTo returns the servers for messages: the bare handler of net/http that writes the same bytes, this endpoint, and
// the other libraries with their n-th load.
func waysTo(b *testing.B, own, others *benchServer, floor string, load, turns int, modern bool, messages ...string) []way {
	b.Helper()
	ways := []way{{"floor", own, nil, turns}, {"almanac", own, nil, turns},
		{"mcp-go", others, nil, turns / 8}, {"go-sdk", others, nil, turns / 8}} // which take many times as long
	for i, message := range messages {
		for w, path := range []string{fmt.Sprintf("/floor/%s/%d", floor, i), catalog.MCPPath,
			fmt.Sprintf("/mcp-go/%d", load), fmt.Sprintf("/go-sdk/%d", load)} {
			r := wireOf(b, modern, path, message)
			checkAnswer(b, ways[w], r)
			ways[w].requests = append(ways[w].requests, r)
		}
	}
	return ways
}

// checkAnswer fails unless a server answers a request with a result, and a notification without one.
func checkAnswer(b *testing.B, w way, request []byte) {
	b.Helper()
	conn, err := net.Dial("tcp", w.server.addr)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	conn.Write(request)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := io.ReadAll(res.Body)
	if err != nil || bytes.Contains(request, []byte(`"id":1`)) != bytes.Contains(answer, []byte(`"result":`)) ||
		bytes.Contains(answer, []byte(`"isError":true`)) {
		b.Fatalf("%s answers %s: %s, %v", w.name, request, answer, err)
	}
}

// BenchmarkSession measures whole sessions, and BenchmarkCall each call by itself.
func BenchmarkSession(b *testing.B) {
	own, others := benchServers(b)
	race(b, waysTo(b, own, others, "session", 0, 200, false, sessionSteps()...))
}

// BenchmarkCall has one way more: the plain SDK of the endpoint, which answers what was not asked before.
func BenchmarkCall(b *testing.B) {
	own, others := benchServers(b)
	for n, c := range benchCalls {
		for _, modern := range []bool{false, true} {
			era := "2025-11-25"
			if modern {
				era = "2026-07-28"
			}
			if c.method == "initialize" && modern || c.method == "server/discover" && !modern {
				continue
			}
			b.Run(c.name+"/"+era, func(b *testing.B) {
				message := body(modern, c.method, c.params)
				ways := waysTo(b, own, others, fmt.Sprintf("%s/%v", c.name, modern), n+1, 400, modern, message)
				first := way{"first", own, [][]byte{wireOf(b, modern, "/sdk", message)}, 50}
				race(b, append(ways, first))
			})
		}
	}
}
