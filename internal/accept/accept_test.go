package accept_test

import (
	"testing"

	"go.almanac.example/internal/accept"
)

// A malformed weight has one meaning in every field: the item is refused.
func TestMalformedWeights(t *testing.T) {
	for _, q := range []string{"", "-1", "2", "1.1", "x", "NaN", "Inf", "1e-1", "0x1p-2", "+0.5", "0,5", `"0.5"`, ".", "-0"} {
		if got := accept.Weight([]string{"application/json;q=" + q}, "application/json"); got != 0 {
			t.Errorf("application/json;q=%s: %v", q, got)
		}
		if got := accept.Weight([]string{"*/*, lightning/charge; Q = " + q}, "lightning/charge"); got != 0 {
			t.Errorf("lightning/charge;q=%s: %v", q, got)
		}
		if got := accept.Coding([]string{"gzip;q=" + q}, "gzip"); got != "" {
			t.Errorf("gzip;q=%s: %q", q, got)
		}
	}
}

func TestWeight(t *testing.T) {
	for _, tc := range []struct {
		line, name string
		want       float64
	}{
		{"", "text/html", 0},
		{"*/*", "text/html", 1},
		{"text/*;q=0.5, */*;q=0.8", "text/html", 0.5},
		{"text/html;q=0.1, text/*", "text/html", 0.1},
		{"text/*, text/html;q=0.1", "text/html", 0.1},
		{"TEXT/Markdown", "text/markdown", 1},
		{"text/markdown; variant=CommonMark; q=0.3; ext=1", "text/markdown", 0.3},
		{"text/html;q=1;q=0", "text/html", 1},
		{"text/html ; Q = 0.25", "text/html", 0.25},
		{"text", "text/html", 0},
		{"*", "text/html", 0},
		{"garbage,,;;,", "text/html", 0},
		{"application/json;q=0.000", "application/json", 0},
		{"application/json;q=1.000", "application/json", 1},
		{"lightning/charge", "lightning/charge", 1},
		{"lightning/charge, tempo/*;q=0.5, */*;q=0", "lightning/charge", 1},
		{"tempo/charge", "lightning/charge", 0},
		{"lightning/session", "lightning/charge", 0},
		{"lightning/*", "lightning/charge", 1},
		{"*/charge", "lightning/charge", 1},
		{"*/charge;q=0, lightning/*", "lightning/charge", 1},
		{"*/*, lightning/charge; q=0.0", "lightning/charge", 0},
		{"*/*;q=0, lightning/*", "lightning/charge", 1},
		{"LIGHTNING/Charge", "lightning/charge", 1},
		{"lightning", "lightning/charge", 0},
		{"lightning/charge;q=1;x=y", "lightning/charge", 1},
	} {
		if got := accept.Weight([]string{tc.line}, tc.name); got != tc.want {
			t.Errorf("%q, %s: %v, want %v", tc.line, tc.name, got, tc.want)
		}
	}
	if got := accept.Weight([]string{"text/html;q=0.2", "*/*"}, "text/html"); got != 0.2 {
		t.Errorf("in two lines: %v", got)
	}
}

func TestType(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "*/*": "a/x", "b/y": "b/y", "a/*, b/y": "b/y", "b/y, a/x": "b/y", "a/x, b/y": "a/x", "*/*, b/y": "b/y",
		"b/*, */*": "b/y", "b/y;q=0.9, */*": "a/x", "a/x;q=0.1, b/*;q=0.2": "b/y", "a/x;q=0, b/y;q=0": "", "c/z": "",
	} {
		if got := accept.Type([]string{line}, "a/x", "b/y"); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestCoding(t *testing.T) {
	for _, tc := range []struct {
		accept []string
		want   string
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"gzip"}, "gzip"},
		{[]string{"x-gzip"}, "gzip"},
		{[]string{"GZIP"}, "gzip"},
		{[]string{"gzipped"}, ""},
		{[]string{"br"}, "br"},
		{[]string{"zstd"}, "zstd"},
		{[]string{"deflate"}, ""},
		{[]string{"gzip, deflate, br, zstd"}, "br"},
		{[]string{"gzip", "br"}, "br"},
		{[]string{"gzip;q=1.0, br;q=0.5"}, "gzip"},
		{[]string{"br;q=0, gzip;q=0.1"}, "gzip"},
		{[]string{"br;q=0"}, ""},
		{[]string{"*"}, "br"},
		{[]string{"*;q=0.5, br;q=0"}, "zstd"},
		{[]string{"*;q=0"}, ""},
		{[]string{"*;q=0, gzip"}, "gzip"},
		{[]string{"identity"}, ""},
		{[]string{"identity, gzip;q=0.5"}, ""},
		{[]string{"identity, gzip"}, "gzip"},
		{[]string{"identity;q=0.5, gzip;q=1"}, "gzip"},
		{[]string{"identity;q=0, gzip"}, "gzip"},
		{[]string{"gzip;q=0.001"}, "gzip"},
		{[]string{" gzip ; q=0.4 , br ; Q=0.3"}, "gzip"},
		{[]string{",,;;,"}, ""},
	} {
		if got := accept.Coding(tc.accept, "br", "zstd", "gzip"); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.accept, got, tc.want)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	lines := []string{"text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
	codings := []string{"gzip, deflate, br;q=0.9, zstd"}
	if n := testing.AllocsPerRun(100, func() {
		accept.Weight(lines, "text/markdown")
		accept.Coding(codings, "br", "zstd", "gzip")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzWeight(f *testing.F) {
	f.Add("text/html;q=0.5,*/*", "text/html")
	f.Add("lightning/charge;q=", "lightning/charge")
	f.Fuzz(func(t *testing.T, line, name string) {
		if q := accept.Weight([]string{line}, name); !(q >= 0 && q <= 1) {
			t.Errorf("%q, %q: %v", line, name, q)
		}
		if got := accept.Coding([]string{line}, "gzip"); got != "" && got != "gzip" {
			t.Errorf("%q: %q", line, got)
		}
	})
}
