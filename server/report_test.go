package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/internal/problem"
)

// TestReports: a report that the form of a page sends is stored with what its sender wrote, and nothing else; the log names the page. One
// that is empty, too long or from another site is refused, and so is one of a network that sent its share, or for a full file.
func TestReports(t *testing.T) {
	var log lockedBuffer
	cfg := testConfig(t)
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := newService(t, cfg)
	file := filepath.Join(cfg.State, "reports.jsonl")
	send := func(text string, header ...string) (*http.Response, problem.Code) {
		form := url.Values{"page": {"https://example.org/x/"}, "text": {text}, "reply": {"ann@example.org"}}
		res, body := s.Do("POST", "/trust/", form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)...)
		var refused struct{ Code problem.Code }
		_ = json.Unmarshal(body, &refused)
		return res, refused.Code
	}
	for _, tc := range []struct {
		name, text string
		header     []string
		want       problem.Code
	}{
		{name: "empty", text: " \r\n", want: problem.ParameterInvalid},
		{name: "too long", text: strings.Repeat("ä", maxReport+1), want: problem.BodyTooLarge},
		{name: "far too long", text: strings.Repeat("ä", maxForm), want: problem.BodyTooLarge},
		{name: "of another site", text: "spam", header: []string{"Origin", "https://evil.example"}, want: problem.OriginForbidden},
		{name: "of another site", text: "spam", header: []string{"Sec-Fetch-Site", "cross-site"}, want: problem.OriginForbidden},
	} {
		if res, code := send(tc.text, tc.header...); code != tc.want || res.StatusCode < 400 {
			t.Errorf("%s: %s %s, want %s", tc.name, res.Status, code, tc.want)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a refused report was stored")
	}
	for range reportBurst {
		res, code := send("secret\x1b[2J\r\n"+strings.Repeat("ä", maxReport-len("secret [2J\n")), "Origin", s.URL)
		if at := res.Request.URL.String(); res.StatusCode != http.StatusOK || at != s.URL+"/trust/#reported" {
			t.Fatalf("%s %s at %s", res.Status, code, at)
		}
	}
	stored, _ := os.ReadFile(file)
	lines := strings.Split(strings.TrimSuffix(string(stored), "\n"), "\n")
	var got map[string]string
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil || len(lines) != reportBurst || got["at"] == "" {
		t.Fatalf("%d lines, the first %.200s, %v", len(lines), lines[0], err)
	}
	if delete(got, "at"); len(got) != 3 || got["page"] != "https://example.org/x/" || got["reply"] != "ann@example.org" || !strings.HasPrefix(got["text"], "secret\x1b[2J\nää") {
		t.Errorf("stored: %.200v", got)
	}
	if bytes.ContainsRune(stored, '\x1b') {
		t.Error("the file has a character that a terminal obeys")
	}
	if lines := log.lines("https://example.org/x/"); len(lines) != reportBurst || len(log.lines("secret")) > 0 || len(log.lines("ann@")) > 0 {
		t.Errorf("the log has %d lines about reports: %q", len(lines), lines)
	}
	if res, code := send("one more", "Accept", "text/html"); res.StatusCode != http.StatusTooManyRequests || code != "" || res.Header.Get("Retry-After") == "" || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		t.Errorf("beyond the limit: %s, %v", res.Status, res.Header)
	}
}

// TestReportsAreBounded: a full file takes no report, and its refusal names the remedy; emptied, it takes the next. Without a state
// directory pages have no form.
func TestReportsAreBounded(t *testing.T) {
	rs := openReports(t.TempDir())
	if err := os.WriteFile(rs.file, make([]byte, maxReportBytes), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rs.add(report{Text: "x"}); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("a full file: %v", err)
	}
	if err := errors.Join(os.Truncate(rs.file, 0), rs.add(report{Text: "x"})); err != nil {
		t.Errorf("an emptied file: %v", err)
	}
	cfg := testConfig(t)
	cfg.Payments.Backend, cfg.State = BackendOff, filepath.Join(cfg.State, "none")
	s := newService(t, cfg)
	if _, page := s.Do("GET", "/trust/", ""); strings.Contains(string(page), `name="reply"`) || !strings.Contains(string(page), "An error on") {
		t.Error("without a state directory, the page has a form, or no text to copy")
	}
	if res, _ := s.Do("POST", "/trust/", "text=x", "Content-Type", "application/x-www-form-urlencoded"); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("without a state directory: %s", res.Status)
	}
	if _, page := newService(t, testConfig(t)).Do("GET", "/trust/", ""); !strings.Contains(string(page), `name="reply"`) {
		t.Error("with a state directory, the page has no form")
	}
}
