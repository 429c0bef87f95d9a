package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/http402/testvectors"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// A stdioHost is an MCP host that started a program and talks to it over its input and output.
type stdioHost struct {
	t      testing.TB
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte // of its output; closed at its end
	errs   bytes.Buffer
	id     int
	seen   []string                       // the methods of its notifications and questions
	answer func(method string) (any, int) // to its questions: a result, or the code of an error; nil: no questions are taken
}

// startHost starts a program, and does not begin the session.
func startHost(t testing.TB, cmd *exec.Cmd) *stdioHost {
	t.Helper()
	h := &stdioHost{t: t, cmd: cmd, lines: make(chan []byte, 64)}
	cmd.Stderr = &h.errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.in = in
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() })
	go func() {
		defer close(h.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			h.lines <- line
		}
	}()
	return h
}

func (h *stdioHost) send(message any) {
	h.t.Helper()
	b, err := json.Marshal(message)
	if err == nil {
		_, err = h.in.Write(append(b, '\n'))
	}
	if err != nil {
		h.t.Fatalf("send: %v", err)
	}
}

// A stdioMessage is a line of the program.
type stdioMessage struct {
	JSONRPC string
	ID      any
	Method  string
	Result  json.RawMessage
	Error   *struct {
		Code    int
		Message string
	}
}

// next returns the next message, which must be one of JSON-RPC: nothing else may be on the output.
func (h *stdioHost) next() (m stdioMessage) {
	h.t.Helper()
	select {
	case line, ok := <-h.lines:
		if !ok {
			h.t.Fatal("the program ended")
		}
		if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
			h.t.Fatalf("the output has a line that is no message: %s", line)
		}
	case <-time.After(servertest.Patience):
		h.t.Fatal("the program does not answer")
	}
	return m
}

// request sends a request and returns its answer. Meanwhile it answers questions and notes notifications.
func (h *stdioHost) request(method string, params any) stdioMessage {
	h.t.Helper()
	h.id++
	h.send(map[string]any{"jsonrpc": "2.0", "id": h.id, "method": method, "params": params})
	for {
		m := h.next()
		if m.Method == "" && m.ID == float64(h.id) {
			return m
		}
		h.note(m)
	}
}

func (h *stdioHost) note(m stdioMessage) {
	h.t.Helper()
	h.seen = append(h.seen, m.Method)
	if m.ID == nil || m.Method == "" {
		return
	}
	result, code := h.answer(m.Method)
	reply := map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}
	if code != 0 {
		delete(reply, "result")
		reply["error"] = map[string]any{"code": code, "message": "no"}
	}
	h.send(reply)
}

// waitFor waits until the program has sent a notification since seen was emptied.
func (h *stdioHost) waitFor(method string) {
	h.t.Helper()
	for !slices.Contains(h.seen, method) {
		h.note(h.next())
	}
}

// call calls a tool and returns the texts of its result.
func (h *stdioHost) call(name string, arguments map[string]any) (text string, failed bool) {
	h.t.Helper()
	m := h.request("tools/call", toolCall{name, arguments})
	var r struct {
		IsError bool
		Content []struct{ Text string }
	}
	if m.Error != nil || json.Unmarshal(m.Result, &r) != nil {
		h.t.Fatalf("%s: %+v %s", name, m.Error, m.Result)
	}
	for _, c := range r.Content {
		text += c.Text + "\n"
	}
	return text, r.IsError
}

// tools returns the descriptions of the tools by name.
func (h *stdioHost) tools() map[string]string {
	h.t.Helper()
	var list struct {
		Tools []struct{ Name, Description string }
	}
	if m := h.request("tools/list", map[string]any{}); m.Error != nil || json.Unmarshal(m.Result, &list) != nil {
		h.t.Fatalf("tools/list: %+v", m.Error)
	}
	about := map[string]string{}
	for _, tool := range list.Tools {
		about[tool.Name] = tool.Description
	}
	return about
}

// begin begins the session and returns the answer to initialize.
func (h *stdioHost) begin(capabilities any) json.RawMessage {
	h.t.Helper()
	m := h.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": map[string]any{"name": "host", "version": "1"}})
	if m.Error != nil {
		h.t.Fatalf("initialize: %+v", m.Error)
	}
	h.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return m.Result
}

// end closes the program's input, and returns its exit status.
func (h *stdioHost) end() int {
	h.t.Helper()
	h.in.Close()
	return h.wait()
}

func (h *stdioHost) wait() int {
	h.t.Helper()
	done := time.After(servertest.Patience)
	for {
		select {
		case _, ok := <-h.lines:
			if !ok {
				h.cmd.Wait()
				return h.cmd.ProcessState.ExitCode()
			}
		case <-done:
			h.t.Fatal("the program does not end")
		}
	}
}

// A toolCall is a call of a free tool.
type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// readCalls returns the calls that answer the questions of docs/mcp.md, and some that are refused.
func readCalls(t *testing.T) (calls []toolCall) {
	t.Helper()
	b, err := os.ReadFile("../mcpserver/testdata/tasks.json")
	if err != nil {
		t.Fatal(err)
	}
	var tasks []struct {
		After []struct {
			Tool      string
			Arguments map[string]any
		}
	}
	if err := json.Unmarshal(b, &tasks); err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		for _, c := range task.After {
			calls = append(calls, toolCall{c.Tool, c.Arguments})
		}
	}
	return append(calls, toolCall{"fetch", map[string]any{"ids": []string{"mcp-go-sdk", "none"}}}, toolCall{"list_categories", nil}, toolCall{"fetch", map[string]any{"id": "support"}},
		toolCall{"search", map[string]any{"query": ""}}, toolCall{"search_passages", map[string]any{"query": "macaroon"}},
		toolCall{"explain_402", map[string]any{"text": "WWW-Authenticate: " + l402Challenge(t)}})
}

// l402Challenge returns a challenge of the published shapes.
func l402Challenge(t *testing.T) string {
	shapes := testvectors.Shapes()
	i := slices.IndexFunc(shapes, func(s testvectors.Shape) bool { return s.ID == "l402" })
	return shapes[i].Headers[0][1]
}

// TestStdioEqualsHTTP: without an address, almanac mcp answers every read tool, and whatever else can be read, byte for
// byte as a server that sells nothing does over HTTP.
func TestStdioEqualsHTTP(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	p := startServe(t, "-fixtures", "", "-payments", "off", "-base-url", "https://almanac.example", "-trusted-proxy", "127.0.0.1")
	endpoint := "http://" + p.serving["http"].(string) + "/mcp"
	h := startHost(t, command(t, "mcp", "-base-url", "https://almanac.example"))
	remote := func(method string, params any) string {
		b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		_, body := servertest.Ask(t, http.MethodPost, endpoint, string(b), "Content-Type", "application/json", "Mcp-Protocol-Version", "2025-11-25")
		var m stdioMessage
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		return outcome(m)
	}
	hello := map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "host", "version": "1"}}
	if here, there := string(h.begin(map[string]any{})), remote("initialize", hello); here != there {
		t.Errorf("initialize (-HTTP +stdio):\n%s", cmp.Diff(there, here))
	}
	called := map[string]bool{}
	compare := func(method string, params any) {
		t.Helper()
		if here, there := outcome(h.request(method, params)), remote(method, params); here != there || here == "" {
			t.Errorf("%s %v (-HTTP +stdio):\n%s", method, params, cmp.Diff(there, here))
		}
	}
	for _, call := range readCalls(t) {
		compare("tools/call", call)
		called[call.Name] = true
	}
	for name := range h.tools() {
		if !called[name] {
			compare("tools/call", map[string]any{"name": name, "arguments": map[string]any{}})
			called[name] = true
		}
	}
	for _, list := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		compare(list, map[string]any{})
	}
	for name := range h.tools() {
		if !called[name] || name == "search_passages" {
			t.Errorf("the tool %s is offered, and called: %v", name, called[name])
		}
	}
	var resources struct{ Resources []struct{ URI string } }
	if err := json.Unmarshal(h.request("resources/list", map[string]any{}).Result, &resources); err != nil {
		t.Fatal(err)
	}
	for _, r := range resources.Resources {
		compare("resources/read", map[string]any{"uri": r.URI})
	}
	compare("prompts/get", map[string]any{"name": "whats_new", "arguments": map[string]any{}})
	if support := outcome(h.request("resources/read", map[string]any{"uri": "library://support"})); strings.Contains(support, "/v1/search") || strings.Contains(support, "price_sats") {
		t.Errorf("the support document offers what is not sold here: %s", support)
	}
	if status := h.end(); status != 0 {
		t.Errorf("after the end of its input the program ends with %d: %s", status, h.errs.String())
	}
}

// outcome is all that an answer says.
func outcome(m stdioMessage) string {
	if m.Error != nil {
		return fmt.Sprintf("error %d: %s", m.Error.Code, m.Error.Message)
	}
	return string(m.Result)
}

// socketCall is a line of strace about a call that makes or uses a socket.
var socketCall = regexp.MustCompile(`\b(socket|socketpair|connect|bind|listen|accept4?|sendto|recvfrom)\(`)

// TestStdioOpensNoSocket: while it answers every read tool, almanac mcp makes no system call that has to do with
// sockets.
func TestStdioOpensNoSocket(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	if runtime.GOOS != "linux" {
		t.Skip("strace is of Linux")
	}
	strace := parttest.Everyday(t, "strace")
	trace := filepath.Join(t.TempDir(), "trace")
	if out, err := exec.Command(strace, "-f", "-e", "trace=%network", "-o", trace, "true").CombinedOutput(); err != nil {
		parttest.Missing(t, "strace cannot trace here: %v: %s", err, out)
	}
	h := startHost(t, exec.Command(strace, "-f", "-e", "trace=%network,execve", "-o", trace, program, "mcp"))
	h.begin(map[string]any{})
	for _, call := range readCalls(t) {
		h.request("tools/call", call)
	}
	h.request("resources/list", map[string]any{})
	if status := h.end(); status != 0 {
		t.Errorf("ended with %d: %s", status, h.errs.String())
	}
	b, err := os.ReadFile(trace)
	if err != nil || !bytes.Contains(b, []byte("execve(")) {
		t.Fatalf("nothing was traced (%v): %s", err, b)
	}
	if calls := socketCall.FindAll(b, -1); calls != nil {
		t.Errorf("the program made %d calls with sockets: %s", len(calls), b)
	}
}

// TestStdioAnswersBeforeItEnds: every request before the end of the input is answered.
func TestStdioAnswersBeforeItEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	h := startHost(t, command(t, "mcp"))
	for id, method := range []string{"initialize", "tools/list", "resources/list", "prompts/list"} {
		h.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": map[string]any{
			"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "host", "version": "1"}}})
	}
	h.in.Close()
	answered := map[any]bool{}
	for range 4 {
		m := h.next()
		answered[m.ID] = m.Error == nil
	}
	if want := map[any]bool{0.0: true, 1.0: true, 2.0: true, 3.0: true}; !cmp.Equal(answered, want) {
		t.Errorf("answered %v", answered)
	}
	if status := h.wait(); status != 0 {
		t.Errorf("ended with %d: %s", status, h.errs.String())
	}
}

// TestStdioData: almanac mcp serves the files it is given; faulty ones end it with their faults on the error output,
// and nothing on the output; SIGTERM ends it.
func TestStdioData(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	dir := servertest.CopyFixtures(t)
	servertest.Edit(t, dir, "library/iot/mqtt-5.json", `"title": "`, `"title": "Again, `)
	h := startHost(t, command(t, "mcp", "-fixtures", dir))
	if hello := string(h.begin(map[string]any{})); !strings.Contains(hello, "work only while almanac serve runs on this machine") {
		t.Errorf("initialize: %s", hello)
	}
	if m := outcome(h.request("tools/call", toolCall{"fetch", map[string]any{"ids": []string{"mqtt-5"}}})); !strings.Contains(m, "Again, ") {
		t.Errorf("answered %s", m)
	}
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := h.wait(); status != 0 {
		t.Errorf("after SIGTERM the program ends with %d: %s", status, h.errs.String())
	}
	servertest.Edit(t, dir, "library/iot/mqtt-5.json", `"verified_at": "`, `"verified_at": "x`)
	h = startHost(t, command(t, "mcp", "-fixtures", dir))
	if status := h.wait(); status != 1 || !strings.Contains(h.errs.String(), "mqtt-5.json") {
		t.Errorf("faulty data end the program with %d: %s", status, h.errs.String())
	}
	if status, _, errs := almanac(t, "mcp", "-fixtures", dir+"/none"); status != 1 || !strings.Contains(errs, "give the directory") {
		t.Errorf("status %d: %s", status, errs)
	}
	if status, _, errs := almanac(t, "mcp", "-fixtures", dir, "http://localhost:1/mcp"); status != 2 || !strings.Contains(errs, "-fixtures") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// TestBridgeSurvives: a host of almanac mcp URL begins while the server is away, is told when it is there, sees a
// sentence while it is away again, and goes on when it is back.
func TestBridgeSurvives(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	const away = "does not answer: connection refused."
	search := map[string]any{"query": "does x402 define refunds"}

	h := startHost(t, newShopper(t).command("mcp", "http://"+address))
	if hello := string(h.begin(map[string]any{})); !strings.Contains(hello, away) || !strings.Contains(hello, "Its tools will be listed when it does") || !strings.Contains(hello, `"listChanged":true`) {
		t.Errorf("initialize: %s", hello)
	}
	if text, failed := h.call("search", search); !failed || !strings.Contains(text, away) {
		t.Errorf("search: %s", text)
	}
	for _, list := range []string{"tools/list", "resources/list"} {
		if m := h.request(list, map[string]any{}); m.Error == nil || !strings.Contains(m.Error.Message, away) {
			t.Errorf("%s: %+v", list, m)
		}
	}

	var last *process
	for _, when := range []string{"there", "back"} {
		h.seen = nil
		last = startServe(t, "-fixtures", "", "-http", address)
		for _, list := range []string{"tools", "prompts", "resources"} {
			h.waitFor("notifications/" + list + "/list_changed")
		}
		tools := h.tools()
		if about := tools["search_passages"]; len(tools) < 7 || !strings.Contains(about, "This bridge pays for nothing") || strings.Contains(about, "returns an invoice") {
			t.Errorf("when the server is %s, the tools are %v", when, tools)
		}
		if text, failed := h.call("search", search); failed || !strings.Contains(text, "x402") {
			t.Errorf("when the server is %s, search: %s", when, text)
		}
		last.signal(syscall.SIGKILL)
		last.wait()
		servertest.WaitUntil(t, away, func() bool { // the connection that was open may end under the first call
			text, failed := h.call("search", search)
			if !failed {
				t.Errorf("when the server is away, search: %s", text)
			}
			return strings.Contains(text, away+" Nothing was paid. Try again later.")
		})
	}
	if status := h.end(); status != 0 {
		t.Errorf("ended with %d: %s", status, h.errs.String())
	}
}

// TestBridgeBalance: a model asks the bridge for the credits that are left, before and after something is bought, and
// in another session than the one that bought it.
func TestBridgeBalance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	p := startServe(t)
	s := newShopper(t, "ALMANAC_WALLET=demo:"+p.base)
	h := startHost(t, s.command("mcp", "-max-day", "500", p.base))
	hello := string(h.begin(map[string]any{}))
	if !strings.Contains(hello, "Checked data") || strings.Contains(hello, "almanac/payments") {
		t.Errorf("initialize: %s", hello)
	}
	const terms = "at most 100 sat for one payment, 500 sat a day."
	if about := h.tools()["search_passages"]; !strings.Contains(about, terms) {
		t.Errorf("description: %s", about)
	}
	if text, failed := h.call("search_passages", nil); !failed || !strings.Contains(text, "The bridge has no credential yet.") || !strings.Contains(text, terms) {
		t.Errorf("before anything is bought: %s", text)
	}
	if text, failed := h.call("search_passages", map[string]any{"query": "macaroon"}); failed || !strings.Contains(text, "100 sat were paid for this. 99 requests are left") {
		t.Errorf("search: %s", text)
	}
	if text, failed := h.call("search_passages", nil); failed || !strings.Contains(text, "99 credits are left") || strings.Contains(text, "paid for this") {
		t.Errorf("balance: %s", text)
	}
	h.end()
	h = startHost(t, s.command("mcp", "-max-day", "500", p.base))
	h.begin(map[string]any{})
	if text, failed := h.call("search_passages", nil); failed || !strings.Contains(text, "99 credits are left") {
		t.Errorf("balance in another session: %s", text)
	}
}
