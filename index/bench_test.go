package index

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/catalog"
)

// BenchmarkBuild measures building an index over the published library, and over ten and a
// hundred times as many entries: its cost must grow in line with them.
func BenchmarkBuild(b *testing.B) {
	entries := realCatalog(b).Entries()
	for _, times := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dx", times), func(b *testing.B) {
			list := repeated(entries, times)
			b.ReportAllocs()
			for b.Loop() {
				x, err := NewEntries(list, Options{})
				if err != nil {
					b.Fatal(err)
				}
				x.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(len(list)), "µs/entry")
		})
	}
}

func repeated(entries []*catalog.Entry, times int) []*catalog.Entry {
	list := make([]*catalog.Entry, 0, times*len(entries))
	for n := range times {
		for _, e := range entries {
			c := *e
			c.ID, c.URL = fmt.Sprintf("%s-%d", e.ID, n), fmt.Sprintf("%s?%d", e.URL, n)
			list = append(list, &c)
		}
	}
	return list
}

// BenchmarkSearch measures one search on the published catalogue, without HTTP.
func BenchmarkSearch(b *testing.B) {
	x := realIndex(b)
	for _, text := range []string{"macaroon", "lightning invoice", "how can an agent pay for an api call", "tag:lightning wallet",
		`"nostr wallet connect"`, "macar", "macaron", "tag:standards", "l402-protocol-specification"} {
		b.Run(strings.ReplaceAll(text, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Search(context.Background(), Query{Text: text}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHTTP measures GET /v1/search over a real connection, unpaid, beside a bare handler
// that writes the same bytes: for queries repeated from a small set, and for queries never asked
// before, these also with a word misspelt, which is looked for in the whole dictionary. The two take
// turns, so that a busy machine slows both. ratio is the rate of the search
// against the rate of the bare handler; it should be 0.5 at least.
func BenchmarkHTTP(b *testing.B) {
	for _, kind := range []struct {
		name  string
		query func(i int) string
	}{
		{"repeated", func(i int) string { return someQueries[i%len(someQueries)] }},
		{"never-seen", neverSeen},
		{"never-seen-misspelt", func(i int) string { return misspelt(neverSeen(i), i) }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			x := freshIndex(b, Options{})
			h := newHandler(x)
			targets := make([]string, max(b.N, 1))
			bodies := make(map[string][]byte) // by target
			for i := range targets {
				targets[i] = "/v1/search?q=" + url.QueryEscape(kind.query(i))
				w := httptest.NewRecorder()
				if bodies[targets[i]] == nil {
					h.ServeHTTP(w, httptest.NewRequest("GET", targets[i], nil))
					bodies[targets[i]] = w.Body.Bytes()
				}
			}
			x.answers.Purge() // which the search has given once already
			bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Write(bodies[r.URL.RequestURI()])
			})
			search, floor := connect(b, h), connect(b, bare)
			var searchTook, floorTook []time.Duration
			b.ResetTimer()
			for i := range b.N {
				floorTook = append(floorTook, floor.get(b, targets[i]))
				searchTook = append(searchTook, search.get(b, targets[i]))
			}
			b.StopTimer()
			report(b, searchTook, floorTook)
		})
	}
}

func report(b *testing.B, search, floor []time.Duration) {
	sum := func(list []time.Duration) (t time.Duration) {
		// The slowest hundredth is the machine's other work, and falls on either alike.
		slices.Sort(list)
		for _, d := range list[:len(list)*99/100+min(len(list), 1)] {
			t += d
		}
		return t
	}
	s, f := sum(slices.Clone(search)), sum(slices.Clone(floor))
	b.ReportMetric(float64(f)/float64(s), "ratio")
	b.ReportMetric(float64(len(search))/s.Seconds(), "searches/s")
	b.ReportMetric(float64(len(floor))/f.Seconds(), "bare/s")
}

// A client keeps one connection open, and does no more than it must, so that the servers are
// what is measured.
type client struct {
	conn net.Conn
	r    *bufio.Reader
	buf  bytes.Buffer
}

func connect(b *testing.B, h http.Handler) *client {
	b.Helper()
	s := httptest.NewServer(h)
	b.Cleanup(s.Close)
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return &client{conn: conn, r: bufio.NewReaderSize(conn, 64<<10)}
}

func (c *client) get(b *testing.B, target string) time.Duration {
	c.buf.Reset()
	c.buf.WriteString("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
	start := time.Now()
	if _, err := c.conn.Write(c.buf.Bytes()); err != nil {
		b.Fatal(err)
	}
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
		b.Fatalf("%s: %d %v", target, res.StatusCode, err)
	}
	return time.Since(start)
}

var someQueries = []string{"macaroon", "lightning invoice", "l402", "x402 facilitator", "agent wallet limits", "mcp server", "bolt 12 offer",
	"stablecoin regulation", "robot fleet", "prompt injection", "usdc contract", "oauth resource metadata", "nostr wallet connect", "tag:http", "iot protocol", "benchmark agents"}

// neverSeen gives the i-th of millions of queries, each of three words of the catalogue's field.
func neverSeen(i int) string {
	words := []string{"agent", "payment", "lightning", "invoice", "wallet", "token", "header", "robot", "security", "identity", "discovery", "browser",
		"budget", "network", "stablecoin", "macaroon", "challenge", "protocol", "dataset", "benchmark", "regulation", "sensor", "charging", "drone",
		"oauth", "schema", "registry", "facilitator", "settlement", "receipt", "signature", "proof", "device", "mesh", "merchant", "checkout"}
	n := len(words)
	return strings.Join([]string{words[i%n], words[i/n%n], words[i/n/n%n]}, " ")
}

// misspelt adds a word that is in no text, by putting a letter that grows with i into a long one.
func misspelt(query string, i int) string {
	at := 1 + i%9
	return query + " stablecoin"[:1+at] + string(rune('a'+i/9%26)) + "stablecoin"[at:]
}
