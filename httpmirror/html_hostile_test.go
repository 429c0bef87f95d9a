package httpmirror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
)

// attacks are texts that become markup or script wherever something forgets to escape them.
var attacks = []string{
	`</title></script><script>document.title="hacked"</script>`,
	`"><img src=x onerror="document.title='hacked'">`,
	`' onmouseover='document.title="hacked"`,
	`<!--<script>`, `]]></code></pre><svg onload=alert(1)>`, `{{.}} ${x} <%= x %>`,
	"&lt;b&gt; &#60;b&#62; & <b>bold</b>", `\u003cscript\u003e`,
}

// hostileKeys are the fields that hold free text.
var hostileKeys = map[string]bool{
	"title": true, "publisher": true, "summary": true, "label": true, "name": true, "role": true, "purpose": true, "note": true,
	"credit_note": true, "promise": true, "test": true, "description": true, "asset": true, "contract": true,
	"short": true, "text": true, "quote": true, "read": true,
}

// calendarDays are the days in texts and quotes, which name that of the calendar.
var calendarDays = regexp.MustCompile(`\d{4}-\d\d?-\d\d?|\d\d/\d\d/\d{4}|\d+ [A-Z][a-z]+ \d{4}|[A-Z][a-z]+\.? \d+,? \d{4}`)

// hostileAddress is put behind each address of a source.
const hostileAddress = `?q="><script>document.title='hacked'</script>&a='onclick='x`

const hostileMarkdown = `
<script>document.title="hacked"</script>

<img src=x onerror="document.title='hacked'"> <a href="javascript:alert(1)">raw</a>

[script](javascript:document.title='hacked') [data](data:text/html,<script>alert(1)</script>) [vb](vbscript:x)
[title](https://example.org/ "x\" onclick=\"y") ![picture](https://example.org/x.png "t") <javascript:alert(1)> <https://example.org/>

## Heading <script>x</script> " onclick="y {#id .class onclick=alert(1)}

| <b>a</b> | b" onclick="y |
|---|--:|
| <script>x</script> | ` + "`</code><script>y</script>`" + ` |

` + "```js\" onclick=\"x\n</code></pre><script>document.title='hacked'</script>\n```" + `

## main

## sources

## 1. </h2><script>z</script>
`

// readElsewhere reports whether statements about an entry were read at another address than the entry's, such as in the
// Markdown beside a page, and not in a repository at a commit of a host whose repositories are known by their names.
func readElsewhere(t *testing.T, data []byte) bool {
	t.Helper()
	var doc struct {
		Record     string
		Statements []struct{ Readings []struct{ URL string } }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	e, _ := realMirror(t).cat.Entry(doc.Record)
	for _, s := range doc.Statements {
		for _, r := range s.Readings {
			if r.URL != e.URL && ((catalog.SourceReading{URL: r.URL}).Commit() == "" || strings.HasPrefix(r.URL, "https://huggingface.co/")) {
				return true
			}
		}
	}
	return false
}

// hostileFixtures returns the real records with every free text replaced by an attack.
func hostileFixtures(t *testing.T) fs.FS {
	t.Helper()
	files := make(fstest.MapFS)
	n := 0
	err := fs.WalkDir(fixtures.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "assets/") { // their contracts are those of the facts, which are attacked
			return err
		}
		data, err := fs.ReadFile(fixtures.FS, name)
		if err != nil {
			return err
		}
		if strings.HasPrefix(name, "statements/") && readElsewhere(t, data) {
			return nil // an attack on the addresses would hide that they belong together
		}
		if name == "support.json" { // the page shows texts of methods that are not sample data
			data = operatorSupport(t)
		}
		switch {
		case strings.HasSuffix(name, ".md"):
			data = append(data, hostileMarkdown...)
		case strings.HasSuffix(name, ".json"):
			var v any
			dec := json.NewDecoder(bytes.NewReader(data))
			dec.UseNumber()
			if err := dec.Decode(&v); err != nil {
				return err
			}
			n++
			if data, err = json.Marshal(attack(v, "", strings.HasSuffix(name, "card.json"), &n)); err != nil {
				return err
			}
		}
		files[name] = &fstest.MapFile{Data: data}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := load.Rewrite(files)
	if err != nil {
		t.Fatalf("the hostile records: %v", err)
	}
	for name, data := range canonical {
		files[name] = &fstest.MapFile{Data: data}
	}
	return files
}

// attack replaces the free texts of a value. The names of a dataset's columns stay.
func attack(v any, key string, card bool, n *int) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = attack(v[k], k, card, n)
		}
	case []any:
		for i := range v {
			v[i] = attack(v[i], key, card, n)
		}
	case string:
		*n++
		text := fmt.Sprintf("%s %d", attacks[*n%len(attacks)], *n)
		switch {
		case strings.HasPrefix(v, "https://huggingface.co/"): // a reading is of a file below the address of its entry
			return v
		case key == "url" || key == "source" || key == "site" && strings.HasSuffix(v, ".html") || key == "archive_url" || (key == "value" && strings.HasPrefix(v, "https://")):
			if strings.HasPrefix(v, "https://huggingface.co/datasets/") { // a repository without a query, to which readings belong
				return v
			}
			return v + hostileAddress
		case card && key == "name", key == "type":
			return v
		case key == "text": // of a statement, which has forty characters or more
			return strings.TrimSpace(text + strings.Repeat(" <b>", 10) + " " + strings.Join(calendarDays.FindAllString(v, -1), " "))
		case key == "quote":
			return strings.TrimSpace(text + " " + strings.Join(calendarDays.FindAllString(v, -1), " "))
		case hostileKeys[key], key == "value", key == "authors", key == "behaviour", key == "leave_alone":
			return text
		}
	}
	return v
}

func hostileMirror(t *testing.T) *Mirror {
	t.Helper()
	c, err := load.Load(hostileFixtures(t), catalog.Options{Site: catalog.DefaultSite, GeneratedAt: testTime, Payments: catalog.PaymentsLive})
	if err != nil {
		t.Fatalf("the hostile records: %v", err)
	}
	m, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestHostileText holds that no text of a record becomes an element, an attribute that runs, or
// an address of another scheme.
func TestHostileText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	m := hostileMirror(t)
	for f := range m.Files() {
		if !strings.HasPrefix(f.Type, "text/html") {
			continue
		}
		harmlessHTML(t, f.Path, f.Body)
	}
}

// TestHostileTextInBrowser opens hostile pages in Chromium: nothing of them runs.
func TestHostileTextInBrowser(t *testing.T) {
	m := hostileMirror(t)
	server := httptest.NewServer(m)
	defer server.Close()
	b := newBrowser(t)
	for _, path := range pageKinds(m) {
		b.open(t, server.URL+path, 390, "light")
		if title := evaluate[string](t, b, "document.title"); title == "hacked" {
			t.Errorf("%s: a script of a record ran", path)
		}
		if wide := evaluate[int64](t, b, "document.documentElement.scrollWidth"); wide > 390 {
			t.Errorf("%s: is %d px wide at 390", path, wide)
		}
		for _, complaint := range b.heard() {
			t.Errorf("%s: %s", path, complaint)
		}
	}
}

// TestStrictPolicy holds the headers that every page is served with.
func TestStrictPolicy(t *testing.T) {
	m := realMirror(t)
	h := ask(t, m, "GET", "/").Header
	policy := h.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "style-src 'self'", "img-src 'self'", "script-src 'self'", "connect-src 'self';", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %s: %s", want, policy)
		}
	}
	small := smallMirror(t) // whose paid interface is at a host of its own
	if got := ask(t, small, "GET", catalog.FindPath); !strings.Contains(got.Header.Get("Content-Security-Policy"), "connect-src 'self' "+small.cat.Site().API+";") ||
		!strings.Contains(bodyOf(t, got), `data-api="`+small.cat.Site().SearchURL()+`"`) {
		t.Errorf("the search page may not call %s: %s", small.cat.Site().API, got.Header.Get("Content-Security-Policy"))
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %s", policy)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff"} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if h.Get("Referrer-Policy") == "" {
		t.Error("Referrer-Policy is missing")
	}
}
