package index

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"go.almanac.example/internal/problem"
)

// hostile are queries that have hurt searches elsewhere.
var hostile = []string{
	strings.Repeat("a ", 5000),
	strings.Repeat("ab", 5000),
	strings.Repeat(`"`, 10_000),
	strings.Repeat(`"`, 256),
	strings.Repeat(`"a" `, 64),
	strings.Repeat("the of and ", 22),
	"AND OR NOT && || + - ! ( ) { } [ ] ^ ~ * ? : \\ /",
	"*", "*.mp3", "/", "/.*/", "a* b? c~2 d^5", "title:macaroon", "[a TO z]",
	"\u202emacaroon\u202c \u200fשלום עולם مرحبا بالعالم",
	"💸👩‍👩‍👧‍👦🏴‍☠️ 💸",
	"\x00\x00macaroon\x00", "\xff\xfe", "\ufeff", "a\u0300\u0301\u0302\u0303" + strings.Repeat("\u0301", 240),
	strings.Repeat("ﷺ", 256), strings.Repeat("x-", 128), strings.Repeat("bolt 12 ", 32),
	strings.Repeat("macarron ", 28), strings.Repeat("tag:lightning ", 18), strings.Repeat("'", 256), strings.Repeat("a'", 128),
	"aq bz ck dv ew fq gz hk iv jw kq lz mk nv ow pq", "ma li bo in pa ag wa to he re di so pr st co un", // two letters each
	strings.Repeat("macaroon lightning ", 430), // 8 KB
	strings.Repeat("“\"„«", 64), `"a “b „c «d 「e` + "`", strings.Repeat(`"a “b" c” `, 20), `-"a" -"b" -"c" NOT NOT NOT -`,
	"-a -b -c -d -e -f -g -h", strings.Repeat("-", 256), strings.Repeat("NOT ", 64), "0x" + strings.Repeat("f", 254),
	"from:2026-01-01 from:2027-01-01 to:2020-01-01", "tag:", "tag:\"", "kind:library\"a\"", "「」『』«»„“",
}

// slowest is far more processor time than any query takes, and far less than a query that runs wild.
const slowest = 2 * time.Second

// cpuTime is the processor time that this process has used, which a busy machine does not lengthen.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func FuzzSearch(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	x := realIndex(f)
	f.Fuzz(func(t *testing.T, text string) {
		start := cpuTime()
		r, err := x.Search(context.Background(), Query{Text: text})
		if took := cpuTime() - start; took > slowest {
			t.Fatalf("%.40q took %v of the processor", text, took)
		}
		var p *problem.Problem
		if err != nil {
			if !errors.As(err, &p) || p.Code == problem.Internal {
				t.Fatalf("%.40q: %v", text, err)
			}
			return
		}
		if n := utf8.RuneCountInString(r.Query); n > MaxText {
			t.Fatalf("%d characters were searched for", n)
		}
		body := r.appendTo(nil)
		if !json.Valid(body) || len(body) > 1<<20 {
			t.Fatalf("%.40q is answered with %d bytes, valid %v", text, len(body), json.Valid(body))
		}
	})
}

func FuzzHandler(f *testing.F) {
	for _, s := range hostile {
		f.Add("q=" + url.QueryEscape(s))
	}
	f.Add("q=a&limit=99&cursor=%00&from=2026-13-01")
	f.Add("q=a;b=c&%")
	h := newHandler(realIndex(f))
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest("GET", "/v1/search", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		refused := h.Check(r) != nil
		h.ServeHTTP(w, r)
		if !json.Valid(w.Body.Bytes()) || w.Code != 200 && w.Code != 400 || refused != (w.Code != 200) {
			t.Fatalf("%q: refused %v, answered %d %s", query, refused, w.Code, w.Body)
		}
	})
}

func FuzzCursor(f *testing.F) {
	x := realIndex(f)
	r := ask(f, x, Query{Text: "payment"})
	f.Add(r.NextCursor)
	f.Add("")
	f.Add("AAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, cursor string) {
		_, err := x.Search(context.Background(), Query{Text: "payment", Cursor: cursor})
		var p *problem.Problem
		if err != nil && (!errors.As(err, &p) || p.Code != problem.CursorInvalid) {
			t.Fatalf("%q: %v", cursor, err)
		}
	})
}

// TestHostileQueries bounds the time and memory of queries that hurt searches elsewhere.
func TestHostileQueries(t *testing.T) {
	x := realIndex(t)
	for _, text := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpuTime()
		x.Search(context.Background(), Query{Text: text}) // an answer or a refusal, either is right
		took := cpuTime() - start
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 || took > slowest {
			t.Errorf("%.40q takes %v of the processor and %d bytes", text, took, n)
		}
	}
}
