package load

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
)

// TestDishonestEdits: an edit of evidence, values, days, addresses, labels or files that no reading and no line of the history accounts for
// is refused, with the file and what to do.
func TestDishonestEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	today := newestDay(t)
	const (
		evidence = "evidence/protocol.l402.json"
		x402v1   = "versions/x402.json"
		lud04    = "library/bitcoin-lightning/lud-04-auth.json"
		c2pa     = "library/safety-security/c2pa-specification-2-4.json"
	)
	drop := func(p, from, to string) []byte {
		data := string(content(t, p, "", ""))
		i := strings.Index(data, from)
		j := i + strings.Index(data[i:], to)
		return []byte(data[:i] + data[j:])
	}
	type edit struct {
		name  string
		files map[string][]byte
		at    string // file that is named
		want  string
	}
	var runs [][]edit // none of which hides another
	for _, tt := range []edit{
		{"an invented quote", map[string][]byte{evidence: firstReplaced(t, evidence, `"quote": "`, `"quote": "Invented. `)}, evidence, "-record"},
		{"another hash", map[string][]byte{"evidence/vda-5050.json": replace(t, "evidence/vda-5050.json", "205b1e43", "205b1e44")}, "evidence/vda-5050.json", "-record"},
		{"a reading in the future", map[string][]byte{evidence: firstReplaced(t, evidence, `"read_at": "2026-11-2`, `"read_at": "2099-11-2`)}, evidence, "after today"},
		{"evidence of a fact removed", map[string][]byte{evidence: drop(evidence, "    {\n      \"member\": \"spec_url\"", "    {\n      \"member\": \"http_status_codes\"")}, l402, "-record"},
		{"evidence of an entry removed", map[string][]byte{"evidence/mcap-format.json": nil}, "library/robotics-autonomy/mcap-format.json", "-record"},
		{"an entry that says it was not read and has no reading", map[string][]byte{"evidence/osworld.json": nil}, "library/datasets-benchmarks/osworld.json", "has no reading"},
		{"another value", map[string][]byte{l402: replace(t, l402, "Lightning Network (BOLT 11 invoice)", "Visa cards only")}, l402, "payment_rail: the value changed without a new reading"},
		{"another value of an earlier version", map[string][]byte{x402v1: replace(t, x402v1, `"name": "X-PAYMENT",`, `"name": "X-PAYMENTS",`)}, x402v1, "http_headers@v1: the value changed without a new reading"},
		{"another end of an earlier version", map[string][]byte{x402v1: replace(t, x402v1, `"until": "2025-12-09"`, `"until": "2025-12-10"`)}, x402v1, "until@v1: the value changed without a new reading"},
		{"a day of an earlier version that no quote names", map[string][]byte{x402v1: replace(t, x402v1, `"until": "2025-12-09"`, `"until": "2025-12-10"`)}, "evidence/protocol.x402.json", "until@v1: no quote names the item 1, 2025-12-10"},
		{"a header of an earlier version that no quote names", map[string][]byte{x402v1: replace(t, x402v1, `"name": "X-PAYMENT",`, `"name": "X-PAID",`)}, "evidence/protocol.x402.json", "http_headers@v1: no quote names the item 1, X-PAID"},
		{"a fact of an earlier version without a reading", map[string][]byte{"evidence/protocol.x402.json": drop("evidence/protocol.x402.json", "    {\n      \"member\": \"http_headers@v1\"", "    {\n      \"member\": \"payment_rail@v1\"")}, x402v1, "http_headers@v1: has no reading"},
		{"a day of an earlier version read elsewhere", map[string][]byte{
			"evidence/protocol.x402.json": firstReplaced(t, "evidence/protocol.x402.json", "https://github.com/coinbase/x402/blob/e5b90b4841b0ac94b7689496997d6e503d6ed5a2/", "https://github.com/somebody/else/blob/e5b90b4841b0ac94b7689496997d6e503d6ed5a2/")}, x402v1, "since@v1: cites"},
		{"another licence of the site", map[string][]byte{siteFile: replace(t, siteFile, "CC0 1.0", "All rights reserved")}, siteFile, "-record"},
		{"another headline", map[string][]byte{siteFile: replace(t, siteFile, `"headline": "`, `"headline": "The best: `)}, siteFile, "-record"},
		{"another label of a category", map[string][]byte{categoriesFile: replace(t, categoriesFile, `"label": "Payments"`, `"label": "Money"`)}, categoriesFile, "-record"},
		{"another label of a tag", map[string][]byte{tagsFile: replace(t, tagsFile, "The /llms.txt convention", "Spam")}, tagsFile, "-record"},
		{"another question", map[string][]byte{"questions/library/mqtt-5.json": firstReplaced(t, "questions/library/mqtt-5.json", `    "`, `    "buy now `)}, "questions/library/mqtt-5.json", "-record"},
		{"another statement", map[string][]byte{"statements/lud-04-auth.json": replace(t, "statements/lud-04-auth.json", "names akumaigorodski", "names nobody")}, "statements/lud-04-auth.json", "-record"},
		{"another address for tips", map[string][]byte{supportFile: firstReplaced(t, supportFile, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bc1qqypqxpq9qcrsszg2pvxq6rs0zqg3yyc5fcj4z3")}, supportFile, "-record"},
		{"a promise removed", map[string][]byte{trustFile: drop(trustFile, "    {\n      \"id\": \"honest-status\"", "    {\n      \"id\": \"stable-addresses\"")}, trustFile, "-record"},
		{"verified in the future", map[string][]byte{mqtt: replace(t, mqtt, `"verified_at": "`+mqttRead, `"verified_at": "2027-01-01`)}, mqtt, "after today"},
		{"checked in the future", map[string][]byte{mqtt: firstReplaced(t, mqtt, `"last_checked": "2026`, `"last_checked": "2030`)}, mqtt, "no link check has seen a status"},
		{"a status nobody observed", map[string][]byte{mqtt: replace(t, mqtt, `"http_status": 0`, `"http_status": 200`)}, mqtt, "no link check is on record"},
		{"a status other than the observed one", map[string][]byte{
			LinkReportFile: EncodeLinkReport(&catalog.LinkReport{CheckedAt: "2026-11-22T12:00:00Z", Findings: []catalog.LinkFinding{},
				Observed: map[string]int{realEntry(t, "mqtt-5").URL: 404}}),
			mqtt: replace(t, mqtt, `"http_status": 0`, `"http_status": 200`)}, mqtt, "links.json has 404 for the address"},
		{"a day of the history in the future", map[string][]byte{"history/2099-01-01.jsonl": []byte(`{"record":"mqtt-5","change":"read-again","members":[{"name":"verified_at","old":"` + mqttRead + `","new":"` + mqttRead + `"}]}` + "\n")},
			"history/2099-01-01.jsonl", "after today"},
		{"a line added to a closed day", map[string][]byte{"history/2026-11-21.jsonl": content(t, "history/2026-11-21.jsonl", "",
			`{"record":"mqtt-5","change":"edited","members":[{"name":"title","old":"a","new":"a"}]}`+"\n")}, "history/2026-11-21.jsonl", "record the changes under"},
		{"a day of the link check while no status was seen", map[string][]byte{mqtt: replace(t, mqtt, `"last_checked": "`+mqttRead, `"last_checked": "2026-11-03`)}, mqtt,
			"last_checked: is 2026-11-03, and no link check has seen a status; write the day of the reading"},
		{"a day of publication without a reading", map[string][]byte{"evidence/mqtt-5.json": drop("evidence/mqtt-5.json", "    {\n      \"member\": \"date_published\"", "    {\n      \"member\": \"summary\"")}, mqtt,
			"date_published: no reading names 2019-03-07"},
		{"a day of publication that no quote names", map[string][]byte{mqtt: replace(t, mqtt, `"date_published": "2019-03-07"`, `"date_published": "2019-03-08"`)}, mqtt,
			"date_published: no reading names 2019-03-08"},
		{"a reading that the entry does not follow", map[string][]byte{lud04: replace(t, lud04, `"verified_at": "2026-`, `"verified_at": "2025-`)}, lud04, "is before the reading of the summary"},
		{"a day without a reading", map[string][]byte{c2pa: replace(t, c2pa, `"verified_at": "2026-11-22`, `"verified_at": "2026-11-30`)}, c2pa, "after the newest reading"},
	} {
		i := slices.IndexFunc(runs, func(run []edit) bool {
			return !slices.ContainsFunc(run, func(other edit) bool { return hides(tt.files, other.files) })
		})
		if i < 0 {
			i, runs = len(runs), append(runs, nil)
		}
		runs[i] = append(runs[i], tt)
	}
	for _, run := range runs {
		files := make(map[string][]byte)
		for _, tt := range run {
			maps.Copy(files, tt.files)
		}
		faults := dishonesty(t, catalogtest.Files(t, fixturesDir, files), today)
		for _, tt := range run {
			if !reported(faults, tt.at, tt.want) {
				t.Errorf("%s: no fault of %s says %q; reported:\n%v", tt.name, tt.at, tt.want, faults)
			}
		}
	}
	if faults := dishonesty(t, os.DirFS(fixturesDir), today); len(faults) > 0 {
		t.Errorf("the real files:\n%v", faults)
	}
}

// newestDay returns the newest day of the history, on which the real files are honest.
func newestDay(t *testing.T) catalog.Date {
	t.Helper()
	days, err := filepath.Glob(filepath.Join(fixturesDir, "history", "*.jsonl"))
	if err != nil || len(days) == 0 {
		t.Fatalf("no history: %v", err)
	}
	return catalog.Date(strings.TrimSuffix(filepath.Base(slices.Max(days)), ".jsonl"))
}

// hides reports whether the fault of one edit could hide that of another: they are of one record, of the history, or of the link check.
func hides(a, b map[string][]byte) bool {
	for p := range a {
		for q := range b {
			if path.Dir(p) == "history" || path.Dir(q) == "history" || len(a) > 1 || len(b) > 1 ||
				strings.TrimPrefix(path.Base(p), "protocol.") == strings.TrimPrefix(path.Base(q), "protocol.") {
				return true
			}
		}
	}
	return false
}

func realEntry(t *testing.T, id string) *catalog.Entry {
	t.Helper()
	e, ok := realCatalog(t).Entry(id)
	if !ok {
		t.Fatalf("there is no entry %s", id)
	}
	return e
}

// realVersion is the published version that the real files are, read once.
var realVersion = sync.OnceValues(func() (*Version, error) { return PublishedVersion(os.DirFS(fixturesDir)) })

// dishonesty returns what almanac check -against reports of files, compared with the real ones.
func dishonesty(t *testing.T, fsys fs.FS, today catalog.Date) Faults {
	t.Helper()
	old, err := realVersion()
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(fsys)
	src := readSource(r)
	lint(src)
	if err := r.faults.err(); err != nil {
		t.Fatal(err)
	}
	v := newVersion(src)
	c := catalog.New(src.Records, catalogtest.Options)
	faults, _ := CheckHistory(old, v, today).(Faults)
	checkDays(&faults, v, today)
	readings, _ := CheckReadings(c).(Faults)
	return append(faults, readings...)
}

// TestReadingsBearOutTheRecords: each record has a reading, none claims one of its source that the evidence does not have, and each item of a
// list fact is named in a quote.
func TestReadingsBearOutTheRecords(t *testing.T) {
	c := realCatalog(t)
	if err := CheckReadings(c); err != nil {
		t.Error(err)
	}
}

// TestIrregularFiles: a pipe and a link out of the folder are refused and not read.
func TestIrregularFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for name, put := range map[string]func(p string) error{
		"a file may have 32": func(p string) error {
			return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, 3<<30))
		},
		"is not a regular file":        func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"is a link to /etc/hostname, ": func(p string) error { return os.Symlink("/etc/hostname", p) },
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(fixturesDir)); err != nil {
			t.Fatal(err)
		}
		irregular := []string{mqtt, siteFile, "history/2026-11-21.jsonl", "articles/reading-a-bolt12-offer/article.md"}
		for _, p := range irregular {
			at := filepath.Join(dir, p)
			if err := os.Remove(at); err != nil {
				t.Fatal(err)
			}
			if err := put(at); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Load(os.DirFS(dir), catalogtest.Options)
		faults, _ := err.(Faults)
		for _, p := range irregular {
			if !reported(faults, p, name) {
				t.Errorf("%s: no fault says that it %s; reported:\n%v", p, name, err)
			}
		}
	}
}

// TestListItemsAreQuoted: of the items of list facts, at least 95 in 100 are named in a quote of their own source.
func TestListItemsAreQuoted(t *testing.T) {
	c := realCatalog(t)
	items := 0
	for _, p := range c.Protocols().Protocols {
		for _, f := range p.Facts() {
			items += len(itemNames(f.Value))
		}
	}
	var faults Faults
	checkItems(&faults, c)
	unquoted := len(faults)
	t.Logf("%d of %d items are quoted", items-unquoted, items)
	if items < 169 || (items-unquoted)*100 < 95*items {
		t.Errorf("%d of %d items are quoted", items-unquoted, items)
	}
}
