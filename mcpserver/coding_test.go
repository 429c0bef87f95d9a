package mcpserver

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// TestAnswersAreCompressed: an answer of a tool or of the handshake is compressed for a client that asks,
// and is otherwise the same; a small one is left as it is.
func TestAnswersAreCompressed(t *testing.T) {
	s := serverOver(t, Options{})
	for _, c := range []struct {
		method, params string
		small          bool
	}{
		{"tools/call", toolCall("list_entries", `{"category":"payments"}`), false},
		{"resources/read", `"uri":"library://trust.md"`, false},
		{"tools/list", "", false}, // handshake
		{"tools/list", "", false}, // and as it is remembered
		{"prompts/get", `"name":"compare_protocols","arguments":{"a":"l402","b":"x402"}`, false}, // SDK
		{"tools/call", toolCall("list_entries", `{"tag":"zz"}`), true},
	} {
		for _, modern := range []bool{false, true} {
			b := body(modern, c.method, c.params)
			plain := send(s, request(modern, b))
			r := request(modern, b)
			r.Header.Set("Accept-Encoding", "gzip, deflate, br")
			coded := send(s, r)
			if plain.Header.Get("Content-Encoding") != "" || slices.Contains(plain.Header["Vary"], "Accept-Encoding") == c.small {
				t.Errorf("%s %s: without being asked for, the coding is %q, Vary %q", c.method, c.params, plain.Header.Get("Content-Encoding"), plain.Header["Vary"])
			}
			if c.small {
				if coded.Header.Get("Content-Encoding") != "" || !bytes.Equal(coded.Body, plain.Body) {
					t.Errorf("%s %s: a small answer is compressed", c.method, c.params)
				}
				continue
			}
			z, err := gzip.NewReader(bytes.NewReader(coded.Body))
			if err != nil || coded.Header.Get("Content-Encoding") != "gzip" {
				t.Errorf("%s %s: %v, coding %q", c.method, c.params, err, coded.Header.Get("Content-Encoding"))
				continue
			}
			text, err := io.ReadAll(z)
			if err != nil || !bytes.Equal(text, plain.Body) || len(coded.Body) > len(plain.Body)*2/3 || coded.Header.Get("Content-Length") != strconv.Itoa(len(coded.Body)) {
				t.Errorf("%s %s: %v, %d bytes of %d", c.method, c.params, err, len(coded.Body), len(plain.Body))
			}
		}
	}
}
