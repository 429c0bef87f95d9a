package httpmirror

import (
	"bytes"
	"compress/gzip"
	"testing"
)

// TestHomeWeight holds the home page with its stylesheet to 30 KB compressed (gzip, the weakest
// coding that is offered).
func TestHomeWeight(t *testing.T) {
	m := realMirror(t)
	total := 0
	for _, path := range []string{"/", "/static/almanac.css"} {
		f, ok := m.File(path)
		if !ok {
			t.Fatalf("nothing is at %s", path)
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(f.Body)
		w.Close()
		t.Logf("%s: %d bytes, %d compressed", path, len(f.Body), b.Len())
		total += b.Len()
	}
	if total > 30_000 {
		t.Errorf("the home page weighs %d bytes compressed, with its stylesheet; keep it to 30000", total)
	}
}
