package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// session gives lines to a server of the SDK's, and returns those that it answers and how many requests it dropped.
func session(t testing.TB, in string) (answers []string, dropped int) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	out := new(strings.Builder)
	lines := &Lines{In: io.NopCloser(strings.NewReader(in)), Out: out}
	if err := s.Run(context.Background(), lines); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		answers = append(answers, strings.TrimSuffix(line, "\n"))
	}
	return answers, lines.Dropped()
}

func hello(version string) string {
	return `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
}

// outline returns the id of an answer, and its code if it is an error.
func outline(t testing.TB, line string) string {
	t.Helper()
	if strings.HasPrefix(line, "[") {
		var parts []json.RawMessage
		if err := json.Unmarshal([]byte(line), &parts); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for i, part := range parts {
			parts[i] = json.RawMessage(outline(t, string(part)))
		}
		return fmt.Sprintf("%s", parts)
	}
	var m struct {
		ID     json.RawMessage
		Result *json.RawMessage
		Error  *struct{ Code int }
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || (m.Error == nil) == (m.Result == nil) {
		t.Fatalf("no answer: %s, %v", line, err)
	}
	if m.Error != nil {
		return fmt.Sprintf("%s: %d", m.ID, m.Error.Code)
	}
	return string(m.ID)
}

// TestLines: whatever a line is, it is answered or dropped, and the session goes on; ids return byte for byte; every request before the
// end of the input is answered.
func TestLines(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":"still there","method":"ping"}`
	for _, c := range []struct{ name, lines, want string }{
		{"not JSON", "not json", ": -32700"},
		{"cut off", `{"jsonrpc":"2.0","id":4,"method":`, ": -32700"},
		{"two on a line", ping + ping, ": -32700"},
		{"not UTF-8", "\"\xff\"", ": -32700"},
		{"number", "5", ": -32700"},
		{"no version", `{"id":7,"method":"ping"}`, "7: -32600"},
		{"no method", `{"jsonrpc":"2.0","id":7}`, "7: -32600"},
		{"fraction", `{"jsonrpc":"2.0","id":2.5,"method":"ping"}`, ": -32600"},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, ": -32600"},
		{"large id", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, ": -32600"},
		{"escaped id", `{"jsonrpc":"2.0","id":"\u0061\/","method":"ping"}`, `"\u0061\/"`},
		{"empty id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, `""`},
		{"text of a number", `{"jsonrpc":"2.0","id":"7","method":"ping"}`, `"7"`},
		{"unknown method", `{"jsonrpc":"2.0","id":7,"method":"no/such"}`, "7: -32601"},
		{"bad params", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}`, "7: -32602"},
		{"second beginning", strings.Split(hello("2025-11-25"), "\n")[0], `"hello": -32600`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`, ""},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/none"}`, ""},
		{"answer to nothing", `{"jsonrpc":"2.0","id":9,"result":{}}`, ""},
		{"answer to no message", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, ""}, // else both go on for ever
		{"empty line", " \r", ""},
		{"byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}`, "7"},
		{"batch", `[` + ping + `]`, ": -32600"},
		{"empty batch", `[]`, ": -32600"},
		{"too long", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", maxLine) + `"}}`, ": -32600"},
	} {
		answers, dropped := session(t, hello("2025-11-25")+c.lines+"\n"+ping) // the last without a line end
		var got []string
		for _, a := range answers {
			got = append(got, outline(t, a))
		}
		want := []string{`"hello"`, c.want, `"still there"`}
		if c.want == "" {
			want = []string{`"hello"`, `"still there"`}
		}
		slices.Sort(want) // a refusal may come before an answer
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || dropped != 0 {
			t.Errorf("%s (-want +got), %d dropped:\n%s", c.name, dropped, diff)
		}
	}
}

// TestBatches: in protocol version 2025-03-26 a batch is answered in one line, with an error for each message that is none; and a
// session cannot begin in one.
func TestBatches(t *testing.T) {
	answers, _ := session(t, hello("2025-03-26")+`[{"jsonrpc":"2.0","id":1,"method":"ping"},5,{"jsonrpc":"2.0","method":"notifications/none"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`+"\n"+
		`[{"jsonrpc":"2.0","method":"notifications/none"}]`+"\n"+`[]`)
	if len(answers) != 3 {
		t.Fatalf("answered %q", answers)
	}
	all := strings.Join(answers, "\n")
	for _, want := range []string{`"id":1,"result"`, `"id":2,"result"`, `-32700`, `a batch has 1 to`, "[{"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
	if answers, _ := session(t, "["+strings.Split(hello("2025-03-26"), "\n")[0]+"]"); len(answers) != 1 || outline(t, answers[0]) != `["hello": -32600]` {
		t.Errorf("a session began in a batch: %q", answers)
	}
	if answers, _ := session(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); len(answers) != 1 || outline(t, answers[0]) != "2: -32600" {
		t.Errorf("a call before the session: %q", answers)
	}
}

// FuzzLines: no line ends a session, and each answer is a message with the id of a request.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`))
	f.Add([]byte("[]\n[{}]\n{\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if strings.Contains(string(in), "listen") {
			return // a subscription does not end by itself
		}
		for _, version := range []string{"2025-03-26", "2025-11-25"} {
			answers, dropped := session(t, hello(version)+string(in)+"\n"+`{"jsonrpc":"2.0","id":"still there","method":"ping"}`)
			alive := false
			for _, a := range answers {
				alive = alive || outline(t, a) == `"still there"`
			}
			if !alive || dropped != 0 {
				t.Fatalf("%d dropped, answers %q", dropped, answers)
			}
		}
	})
}
