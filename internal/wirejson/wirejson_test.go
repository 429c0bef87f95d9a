package wirejson

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

type record struct {
	URL  string   `json:"url"`
	Tags []string `json:"tags"`
}

func TestEncoding(t *testing.T) {
	v := record{"https://example.org/?a=1&b=<2>", []string{"one"}}
	const compact = `{"url":"https://example.org/?a=1&b=<2>","tags":["one"]}`
	const indented = "{\n  \"url\": \"https://example.org/?a=1&b=<2>\",\n  \"tags\": [\n    \"one\"\n  ]\n}\n"
	for range 2 { // the second time with buffers that were used
		if got, err := Compact(v); err != nil || string(got) != compact {
			t.Errorf("Compact: %s, %v", got, err)
		}
		if got, err := Indent(v); err != nil || string(got) != indented {
			t.Errorf("Indent: %s, %v", got, err)
		}
		if got, err := Append([]byte("x"), v); err != nil || string(got) != "x"+compact {
			t.Errorf("Append: %s, %v", got, err)
		}
	}
}

// TestIndependentResults: what was returned stays as it is when the next value is encoded.
func TestIndependentResults(t *testing.T) {
	for name, encode := range map[string]func(any) ([]byte, error){"Compact": Compact, "Indent": Indent} {
		first := Must(encode("first"))
		before := string(first)
		Must(encode("other"))
		if string(first) != before {
			t.Errorf("%s: %q became %q", name, before, first)
		}
	}
}

func TestUnencodable(t *testing.T) {
	for name, encode := range map[string]func(any) ([]byte, error){"Compact": Compact, "Indent": Indent} {
		if _, err := encode(math.Inf(1)); err == nil || !strings.Contains(err.Error(), "float64") {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := encode("next"); err != nil || !strings.HasPrefix(string(got), `"next"`) {
			t.Errorf("%s after a failure: %s, %v", name, got, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Must did not panic")
		}
	}()
	Must(Compact(math.Inf(1)))
}

// TestIndentAsTheStandardLibrary: however deep, empty or escaped, a value is indented as json.Indent does it.
func TestIndentAsTheStandardLibrary(t *testing.T) {
	for _, v := range []any{nil, "", "a\\", `\"`, 1.5, []int{}, []any{[]any{}, map[string]any{}, []any{nil, true}}, struct{}{}, record{"x", nil},
		map[string]any{"{": "}", "[": []string{"]", ",", ":", "\\\"", "\n"}, "deep": []any{[]any{map[string]any{"a": []int{1, 2}}}}}, json.RawMessage(" { \"a\" : [ ] } "),
		hostile} {
		checkIndent(t, v)
	}
}

// checkIndent holds Indent to encoding/json.
func checkIndent(t *testing.T, v any) {
	t.Helper()
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	if got, err := Indent(v); err != nil || string(got) != want.String() {
		t.Errorf("%#v: %s, %v, want %s", v, got, err, want.String())
	}
}

func FuzzIndent(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":[]},{}],"c\\":"\""}`, `[[[]]]`, `"\u2028"`, `-0.1e5`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var v any
		if json.Unmarshal(body, &v) == nil {
			checkIndent(t, v)
			checkIndent(t, json.RawMessage(body))
		}
	})
}

var hostile = []string{"", "plain", "a\"b\\c", "\x00\x1f\x7f", "\b\f\n\r\t", "ä€😀", "\u2028\u2029", "a\xffb", "\xe2\x80", "\ufffd", "<&>", "end\\"}

func TestAppendString(t *testing.T) {
	for _, s := range hostile {
		checkString(t, s)
	}
	if n := testing.AllocsPerRun(100, func() { AppendString(make([]byte, 0, 64), "a \"quoted\" word") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// checkString holds AppendString to encoding/json.
func checkString(t *testing.T, s string) {
	t.Helper()
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	if got := string(AppendString(nil, s)) + "\n"; got != want.String() {
		t.Errorf("%q: %s, want %s", s, got, want.String())
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(checkString)
}
