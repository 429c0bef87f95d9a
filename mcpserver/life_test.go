package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/problem"
	"go.almanac.example/tools"
)

// addTool puts a tool of a test's own in the place of one of ours.
func addTool(s *Server, name string, run func(context.Context) (*mcp.CallToolResult, error)) {
	s.engine.server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return run(ctx) })
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestPanickingToolLeavesTheServerUp(t *testing.T) {
	s := serverOver(t, Options{Log: quiet()})
	addTool(s, "fetch", func(context.Context) (*mcp.CallToolResult, error) { panic("secret of the tool") })
	url := listen(t, s)
	for _, modern := range []bool{false, true} {
		for range 3 {
			rep := post(t, url, request(modern, body(modern, "tools/call", toolCall("fetch", "{}"))))
			if rep.Error == nil || rep.Error.Code != -32603 || strings.Contains(string(rep.Body), "secret") {
				t.Errorf("a panic answered %d %s", rep.Status, rep.Body)
			}
		}
		if rep := post(t, url, request(modern, body(modern, "tools/call", toolCall("list_categories", "{}")))); rep.Status != 200 {
			t.Errorf("after a panic the server answered %d", rep.Status)
		}
	}
}

func TestFailingToolTellsNothing(t *testing.T) {
	s := serverOver(t, Options{Log: quiet()})
	addTool(s, "fetch", func(context.Context) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("open /etc/secret: permission denied")
	})
	rep := send(s, request(false, body(false, "tools/call", toolCall("fetch", "{}"))))
	if rep.Error == nil || rep.Error.Code != -32603 || strings.Contains(string(rep.Body), "secret") {
		t.Errorf("answered %s", rep.Body)
	}
}

// TestToolOverItsDeadline: a call that takes too long is answered in time, whether it heeds its context or not.
func TestToolOverItsDeadline(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	for name, run := range map[string]func(context.Context) (*mcp.CallToolResult, error){
		"heedless": func(context.Context) (*mcp.CallToolResult, error) {
			<-stop
			return &mcp.CallToolResult{}, nil
		},
		"heeding": func(ctx context.Context) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		s := serverOver(t, Options{Deadline: 20 * time.Millisecond, Log: quiet()})
		addTool(s, "fetch", run)
		for _, modern := range []bool{false, true} {
			r := callTool(t, s, modern, "fetch", "{}")
			if !r.IsError || !strings.Contains(r.Content[0].Text, "timed out") {
				t.Errorf("%s answered %v", name, r)
			}
		}
	}
}

// slowDocuments are documents of which none is ready until stop is closed.
type slowDocuments struct {
	tools.ResourceFiles
	stop chan struct{}
}

func (d slowDocuments) Resource(uri string) (*file.File, bool) {
	<-d.stop
	return d.ResourceFiles.Resource(uri)
}

// TestFreeToolHasADeadline: a free tool that takes too long is answered in time too, and holds its place until it has ended, so that no
// more calls run at one time than may.
func TestFreeToolHasADeadline(t *testing.T) {
	c, x := realData(t)
	stop := make(chan struct{})
	admission := NewAdmission(1, time.Millisecond)
	s := New(c, x, slowDocuments{real().mirror, stop}, Options{Deadline: 20 * time.Millisecond, Log: quiet(), Now: clock, Admission: admission})
	call := request(false, body(false, "tools/call", toolCall("fetch", `{"id":"mqtt-5"}`)))
	if rep := send(s, call); rep.Status != 200 || !strings.Contains(string(rep.Body), "timed out") {
		t.Errorf("answered %d %s", rep.Status, rep.Body)
	}
	ping := func() int { return send(s, request(false, body(false, "ping", ""))).Status }
	if got := ping(); got != 503 {
		t.Errorf("beside the abandoned call another was answered %d, want 503", got)
	}
	close(stop)
	place := admission.working.Enter(t.Context(), netip.Prefix{})
	for place == nil { // the abandoned call ends soon
		place = admission.working.Enter(t.Context(), netip.Prefix{})
	}
	place.Leave()
	if got := ping(); got != 200 {
		t.Errorf("afterwards another call was answered %d", got)
	}
}

// TestAdmissionOutlivesAReload: endpoints that share an admission share its places.
func TestAdmissionOutlivesAReload(t *testing.T) {
	admission := NewAdmission(1, time.Millisecond)
	place := admission.working.Enter(t.Context(), netip.Prefix{})
	for range 2 {
		s := serverOver(t, Options{Admission: admission})
		if rep := send(s, request(false, body(false, "ping", ""))); rep.Status != 503 {
			t.Errorf("answered %d although the place is taken, want 503", rep.Status)
		}
	}
	place.Leave()
}

// TestLeavingIsNoFault: a call that ends because its client left is not logged as a failure, and one that fails is.
func TestLeavingIsNoFault(t *testing.T) {
	for _, c := range []struct {
		err    error
		logged string
	}{
		{fmt.Errorf("read entry: %w", context.Canceled), ""},
		{errors.New("disk is gone"), `level=ERROR msg="mcp handler failed" method=ping err="disk is gone"` + "\n"},
	} {
		var log bytes.Buffer
		p := engine{log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))}
		p.run(t.Context(), func(context.Context, string, mcp.Request) (mcp.Result, error) { return nil, c.err }, "ping", &mcp.ServerRequest[*mcp.PingParams]{})
		if log.String() != c.logged {
			t.Errorf("%v: logged %q, want %q", c.err, log.String(), c.logged)
		}
	}
}

// TestClientLeaves holds that work stops when nobody waits for it, in both eras.
func TestClientLeaves(t *testing.T) {
	s := serverOver(t, Options{Log: quiet()})
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	addTool(s, "fetch", func(ctx context.Context) (*mcp.CallToolResult, error) {
		begun <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil, ctx.Err()
	})
	url := listen(t, s)
	for _, modern := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		r := request(modern, body(modern, "tools/call", toolCall("fetch", "{}"))).WithContext(ctx)
		done := make(chan struct{})
		go func() { defer close(done); tryPost(url, r) }()
		<-begun
		cancel()
		select {
		case <-ended:
		case <-time.After(callTimeout / 2):
			t.Fatalf("2026: %v: the tool works on for a client that left", modern)
		}
		<-done
	}
}

// tryPost sends a request made for a handler over the network.
func tryPost(url string, r *http.Request) (*http.Response, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, url, r.Body)
	if err != nil {
		return nil, err
	}
	out.Header = r.Header
	return http.DefaultClient.Do(out)
}

func post(t testing.TB, url string, r *http.Request) reply {
	t.Helper()
	res, err := tryPost(url, r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	rep := reply{Status: res.StatusCode, Header: res.Header}
	if rep.Body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(rep.Body, &rep) // an answer without a body has no parts
	return rep
}

// TestSameIDInParallel holds that answers do not cross between clients that use one id
// (CVE-2026-25536 of another SDK), also when an answer is remembered.
func TestSameIDInParallel(t *testing.T) {
	s := serverOver(t, Options{})
	url := listen(t, s)
	ids := s.entryIDs()
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 20 {
				id := ids[(worker*20+i)%len(ids)]
				params := toolCall("fetch", `{"ids":["`+id+`"]}`)
				if i%2 == 0 {
					params += `,"x":1` // another request
				}
				rep := post(t, url, request(worker%2 == 0, body(worker%2 == 0, "tools/call", params)))
				if !strings.Contains(string(rep.Result), `\"id\":\"`+id+`\"`) {
					t.Errorf("asked for %s and got %.200s", id, rep.Body)
				}
			}
		})
	}
	wg.Wait()
}

// TestRefuse holds what a limit before the endpoint answers with.
func TestRefuse(t *testing.T) {
	rep := send(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		Refuse(w, catalog.DefaultSite, &problem.Problem{Code: problem.RateLimited, RetryAfter: 1500 * time.Millisecond})
	}), request(false, ""))
	if rep.Status != 429 || rep.Header.Get("Retry-After") != "2" || rep.Error == nil || rep.Error.Code != 429 || rep.ID != nil ||
		rep.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("answered %d %v %s", rep.Status, rep.Header, rep.Body)
	}
}

func TestTooManyAtOnce(t *testing.T) {
	s := serverOver(t, Options{Admission: NewAdmission(1, time.Millisecond)})
	begun, stop := make(chan struct{}), make(chan struct{})
	addTool(s, "fetch", func(ctx context.Context) (*mcp.CallToolResult, error) {
		close(begun)
		<-stop
		return &mcp.CallToolResult{}, nil
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		send(s, request(false, body(false, "tools/call", toolCall("fetch", "{}"))))
	}()
	<-begun
	rep := send(s, request(false, body(false, "ping", "")))
	if rep.Status != 503 || rep.Header.Get("Retry-After") == "" {
		t.Errorf("answered %d %s", rep.Status, rep.Body)
	}
	close(stop)
	<-done
	if rep := send(s, request(false, body(false, "ping", ""))); rep.Status != 200 {
		t.Errorf("afterwards answered %d", rep.Status)
	}
}

// TestSlowBody: a body that does not come ends in a timeout, which reveals nothing about the
// connection, and holds up nobody meanwhile.
func TestSlowBody(t *testing.T) {
	s := serverOver(t, Options{Admission: NewAdmission(1, 0), BodyTimeout: 50 * time.Millisecond})
	ts := httptest.NewServer(s)
	defer ts.Close()
	var slow []net.Conn
	for range 40 {
		conn, err := net.Dial("tcp", ts.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: 500\r\n\r\n{")
		slow = append(slow, conn)
	}
	if rep := post(t, ts.URL, request(false, body(false, "ping", ""))); rep.Status != 200 {
		t.Errorf("beside half requests a whole one was answered %d", rep.Status)
	}
	for _, conn := range slow {
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != 408 || leaks(b) != "" {
			t.Errorf("answered %d %s", res.StatusCode, b)
		}
	}
}

// TestSmuggling holds that a request with two lengths is refused.
func TestSmuggling(t *testing.T) {
	ts := httptest.NewServer(serverOver(t, Options{}))
	defer ts.Close()
	for _, head := range []string{
		"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
	} {
		conn, err := net.Dial("tcp", ts.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s", head)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		conn.Close()
		if res.StatusCode != 400 {
			t.Errorf("%q answered %d", head, res.StatusCode)
		}
	}
}

// TestPaddedHeaders holds that headers in another case and with spaces around are read as HTTP has
// them.
func TestPaddedHeaders(t *testing.T) {
	ts := httptest.NewServer(serverOver(t, Options{}))
	defer ts.Close()
	conn, err := net.Dial("tcp", ts.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	b := body(true, "tools/call", toolCall("list_categories", "{}")+`,"inputResponses":{}`)
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\nMCP-PROTOCOL-VERSION:  2026-07-28 \r\nmcp-method:\ttools/call\t\r\nMCP-NAME:   list_categories  \r\nContent-Length: %d\r\n\r\n%s", len(b), b)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, _ := io.ReadAll(res.Body); res.StatusCode != 200 {
		t.Errorf("answered %d %s", res.StatusCode, got)
	}
}

// TestListeners holds that streams cannot be piled up: a subscription ends at once, since nothing
// here ever changes under a client.
func TestListeners(t *testing.T) {
	s := serverOver(t, Options{})
	url := listen(t, s)
	for range 50 {
		rep := post(t, url, request(true, body(true, "subscriptions/listen", `"notifications":{}`)))
		if rep.Status != 200 {
			t.Fatalf("answered %d %s", rep.Status, rep.Body)
		}
	}
}

func TestObserve(t *testing.T) {
	type record struct {
		method, tool, outcome string
		status                int
	}
	var got []record
	s := serverOver(t, Options{Observe: func(w http.ResponseWriter, c Call) {
		got = append(got, record{c.Method, c.Tool, c.Outcome(), c.Status})
		if answered := w.(*httptest.ResponseRecorder); answered.Code != c.Status || answered.Body.Len() == 0 && c.Status != 202 {
			t.Errorf("%s: observed status %d of an answer with status %d and %d bytes", c.Method, c.Status, answered.Code, answered.Body.Len())
		}
	}})
	for _, b := range []string{
		body(false, "tools/call", toolCall("list_categories", "{}")),
		body(false, "tools/call", toolCall("list_categories", `{"x":1}`)),
		body(false, "made/up", ""),
		"[]",
		body(false, "tools/call", toolCall("list_categories", "{}")+`,"x":1`),
		body(false, "tools/call", toolCall("list_categories", `{"x":1}`)+`,"x":1`),
		body(false, "tools/call", toolCall("made_up", `{}`)),
	} {
		send(s, request(false, b))
	}
	want := []record{
		{"tools/call", "list_categories", "ok", 200}, {"tools/call", "list_categories", "failed", 200}, {"other", "", "failed", 200}, {"", "", "refused", 400},
		{"tools/call", "list_categories", "ok", 200}, {"tools/call", "list_categories", "failed", 200}, {"tools/call", "other", "failed", 200},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("observed %v, want %v", got, want)
	}
}

// TestSharedAnswers runs many calls at once that share encoded answers; the race detector looks on.
func TestSharedAnswers(t *testing.T) {
	s := serverOver(t, Options{})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 10 {
				modern := i%2 == 0
				b := body(modern, "tools/call", toolCall("list_categories", "{}"))
				if worker%2 == 0 {
					viaSDK(s, request(modern, b), []byte(b))
				} else {
					send(s, request(modern, b))
				}
			}
		})
	}
	wg.Wait()
}
