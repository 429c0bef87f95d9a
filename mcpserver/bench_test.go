package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/rpc"
)

// The benchmark compares what a call costs the server with what it costs a bare handler of
// net/http to write the same bytes. The servers run in a process of their own, so that the CPU
// time they take can be told from that of the client; each reports its own.

// floor is the bare handler: it reads the body and writes bytes that are ready.
type floor struct{ answer []byte }

func (f floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(f.answer)))
	w.Write(f.answer)
}

// A benchCall is a request of a benchmark.
type benchCall struct{ name, method, params string }

// benchCalls are the requests of the handshake, and a call of every tool. Paid searches have no ledger here, which has a
// benchmark of its own.
var benchCalls = []benchCall{
	{"initialize", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}`},
	{"server_discover", "server/discover", ""},
	{"tools_list", "tools/list", ""},
	{"resources_list", "resources/list", ""},
	{"search_passages", "tools/call", toolCall("search_passages", `{"query":"does x402 have refunds?","l402":"`+credential+`"}`)},
	{"list_entries", "tools/call", toolCall("list_entries", `{"category":"payments"}`)},
	{"get_protocol_facts", "tools/call", toolCall("get_protocol_facts", `{"protocols":["l402"]}`)},
	{"list_changes", "tools/call", toolCall("list_changes", `{}`)},
	{"list_categories", "tools/call", toolCall("list_categories", `{}`)},
	{"search", "tools/call", toolCall("search", `{"query":"does x402 have refunds?"}`)},
	{"fetch", "tools/call", toolCall("fetch", `{"id":"protocol:x402#networks"}`)},
	{"fetch_entry", "tools/call", toolCall("fetch", `{"id":"mcp-go-sdk"}`)},
	{"resources_read", "resources/read", `"uri":"library://entry/mcp-go-sdk"`},
}

// TestMain serves the benchmark when the environment asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("ALMANAC_MCP_BENCH_SERVER") == "" {
		os.Exit(m.Run())
	}
	if err := serveBenchmark(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveBenchmark serves the endpoint, the SDK by itself, and the floor of each call.
// Each line on standard input is answered with the CPU time taken so far, in nanoseconds.
func serveBenchmark() error {
	d := real()
	if d.err != nil {
		return d.err
	}
	s := New(d.Catalog, d.Index, d.mirror, Options{Now: time.Now, Paid: paid()})
	mux := http.NewServeMux()
	mux.Handle(catalog.MCPPath, s)
	mux.HandleFunc("/sdk", func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		messages, _ := rpc.Read(b, "")
		res := &response{ResponseWriter: w}
		s.engine.serve(res, r, &turn{request: r.Context()}, messages[0])
		res.send()
	})
	for _, modern := range []bool{false, true} {
		for _, c := range benchCalls {
			rep := send(s, request(modern, body(modern, c.method, c.params)))
			mux.Handle(fmt.Sprintf("/floor/%s/%v/0", c.name, modern), floor{rep.Body})
		}
	}
	for i, step := range sessionSteps() {
		mux.Handle(fmt.Sprintf("/floor/session/%d", i), floor{send(s, request(false, step)).Body})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			fmt.Println(cpuTime().Nanoseconds())
		}
		os.Exit(0) // the benchmark ended
	}()
	return http.Serve(l, mux)
}

func cpuTime() time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		panic(err)
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// benchServer is the other process.
type benchServer struct {
	addr string
	ask  func() time.Duration
}

func startBenchServer(b *testing.B) *benchServer {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "ALMANAC_MCP_BENCH_SERVER=1")
	return startServer(b, cmd, nil)
}

// startServer starts a server that reads its first lines, prints its address, and answers each further line with the
// processor time that it has taken.
func startServer(b *testing.B, cmd *exec.Cmd, first []byte) *benchServer {
	b.Helper()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	if _, err := in.Write(first); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line := func() string {
		s, err := lines.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		return strings.TrimSpace(s)
	}
	return &benchServer{addr: line(), ask: func() time.Duration {
		fmt.Fprintln(in)
		n, err := strconv.ParseInt(line(), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		return time.Duration(n)
	}}
}

// wireOf returns the bytes of a request to a path.
func wireOf(b *testing.B, modern bool, path, message string) []byte {
	b.Helper()
	r := request(modern, message)
	r.URL.Path, r.Host = path, "localhost"
	var buf bytes.Buffer
	if err := r.Write(&buf); err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}

// drive sends a request n times over one connection and reads the answers.
func drive(conn net.Conn, in *bufio.Reader, req []byte, n int) error {
	for range n {
		if _, err := conn.Write(req); err != nil {
			return err
		}
		length, chunked := -1, false
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return err
			}
			if len(line) <= 2 {
				break
			}
			if name, value, ok := bytes.Cut(line, []byte(": ")); ok && bytes.EqualFold(name, []byte("Content-Length")) {
				if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
					return err
				}
			} else if bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked")) {
				chunked = true
			}
		}
		switch {
		case chunked:
			if _, err := io.Copy(io.Discard, httputil.NewChunkedReader(in)); err != nil {
				return err
			}
			if _, err := in.Discard(2); err != nil { // the empty line after the last chunk
				return err
			}
		case length < 0:
			return errors.New("an answer without a length")
		default:
			if _, err := in.Discard(length); err != nil {
				return err
			}
		}
	}
	return nil
}
