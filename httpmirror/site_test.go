package httpmirror

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.almanac.example/catalog"
)

var hostFlag = flag.String("host", "", "base `URL` of a running program to ask the addresses of testdata/site.txt from")

// A siteCase is a line of testdata/site.txt.
type siteCase struct {
	line         int
	method, path string
	header       http.Header
	status       int
	mediaType    string
	texts        []string // the body must hold them; it must not hold those that begin with "!"
	headers      [][2]string
}

func readSite(t *testing.T) []siteCase {
	t.Helper()
	f, err := os.Open("testdata/site.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []siteCase
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c, err := parseSiteLine(line)
		if err != nil {
			t.Fatalf("testdata/site.txt:%d: %v", n, err)
		}
		c.line = n
		cases = append(cases, c)
	}
	return cases
}

func parseSiteLine(line string) (siteCase, error) {
	c := siteCase{header: http.Header{}}
	word := func() string {
		w, rest, _ := strings.Cut(line, " ")
		line = strings.TrimSpace(rest)
		return w
	}
	c.method, c.path = word(), word()
	for {
		w := word()
		if name, value, ok := strings.Cut(w, "="); ok {
			c.header.Add(name, value)
			continue
		}
		n, err := strconv.Atoi(w)
		if err != nil {
			return c, fmt.Errorf("%q is not a status", w)
		}
		c.status = n
		break
	}
	c.mediaType = word()
	for line != "" {
		isHeader := strings.HasPrefix(line, "^")
		quoted, err := strconv.QuotedPrefix(strings.TrimPrefix(line, "^"))
		if err != nil {
			return c, fmt.Errorf("%q is not a text in quotes", line)
		}
		text, _ := strconv.Unquote(quoted)
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line, "^"), quoted))
		if !isHeader {
			c.texts = append(c.texts, text)
			continue
		}
		name, value, ok := strings.Cut(text, ": ")
		if !ok {
			return c, errors.New("a header is written ^\"Name: value\"")
		}
		c.headers = append(c.headers, [2]string{name, value})
	}
	return c, nil
}

// TestSite asks every address of testdata/site.txt over HTTP.
func TestSite(t *testing.T) {
	host := strings.TrimSuffix(*hostFlag, "/")
	if host == "" {
		server := httptest.NewServer(realMirror(t))
		defer server.Close()
		host = server.URL
	}
	client := &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for _, c := range readSite(t) {
		t.Run(fmt.Sprintf("%d %s %s", c.line, c.method, c.path), func(t *testing.T) {
			r, err := http.NewRequest(c.method, host+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			for name, values := range c.header {
				r.Header[name] = values
			}
			res, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, res, string(body))
		})
	}
}

func (c siteCase) check(t *testing.T, res *http.Response, body string) {
	if res.StatusCode != c.status {
		t.Fatalf("status = %d, want %d\n%.300s", res.StatusCode, c.status, body)
	}
	mediaType, params, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if got := cmp.Or(mediaType, "-"); got != c.mediaType {
		t.Errorf("media type = %s, want %s", got, c.mediaType)
	}
	if strings.HasPrefix(mediaType, "text/") && params["charset"] != "utf-8" {
		t.Errorf("charset = %q", params["charset"])
	}
	if c.method == "HEAD" && body != "" {
		t.Errorf("the answer to HEAD has a body of %d bytes", len(body))
	}
	for _, text := range c.texts {
		if unwanted, not := strings.CutPrefix(text, "!"); not {
			if strings.Contains(body, unwanted) {
				t.Errorf("body holds %q", unwanted)
			}
		} else if !strings.Contains(body, text) {
			t.Errorf("body does not hold %q:\n%.300s", text, body)
		}
	}
	for _, h := range c.headers {
		if got := strings.Join(res.Header.Values(h[0]), ", "); got != h[1] && !strings.Contains(got, h[1]) {
			t.Errorf("%s = %q, want %q", h[0], got, h[1])
		}
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*",
		"Referrer-Policy": "same-origin", "Content-Security-Policy": contentSecurityPolicy(catalog.DefaultSite),
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}
