package catalog

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// FuzzDecode reads any bytes as each kind of record and looks at what it reads. Nothing may panic,
// a record without faults must be its file's bytes, and a file that is refused must be told why.
func FuzzDecode(f *testing.F) {
	real := os.DirFS("../fixtures")
	fs.WalkDir(real, ".", func(p string, d fs.DirEntry, err error) error {
		// One of each kind is enough to begin with.
		if err == nil && strings.HasSuffix(p, ".json") && (!strings.HasPrefix(p, "library/") || strings.Contains(p, "/bolt-")) {
			data, _ := fs.ReadFile(real, p)
			f.Add(data)
		}
		return err
	})
	c, err := Load(real, testOptions)
	if err != nil {
		f.Fatal(err)
	}
	vocabulary := map[string]bool{"iot": true}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRecord(t, data, func(l *faultList, e Entry) { linter{l, "x.json", ""}.entry(&e, vocabulary) })
		fuzzRecord(t, data, func(l *faultList, p Protocol) { lintProtocols(l, []located[*Protocol]{{"protocols/x.json", &p}}) })
		fuzzRecord(t, data, func(l *faultList, a Article) {
			c.lintArticles(l, []located[*Article]{{"articles/x/article.json", &a}}, vocabulary)
		})
		fuzzRecord(t, data, func(l *faultList, d Dataset) { c.lintDatasets(l, []located[*Dataset]{{"datasets/x/card.json", &d}}) })
		fuzzRecord(t, data, func(l *faultList, b Bot) { c.lintBots(l, []located[*Bot]{{"bots/x.json", &b}}) })
		fuzzRecord(t, data, func(l *faultList, s supportFile) { lintSupport(l, s, DefaultSite) })
		fuzzRecord(t, data, func(l *faultList, tr trustFile) { lintTrust(l, tr) })
		fuzzRecord(t, data, func(*faultList, []categoryRecord) {})
		fuzzRecord(t, data, func(*faultList, []tagRecord) {})
	})
}

func fuzzRecord[T any](t *testing.T, data []byte, lint func(*faultList, T)) {
	var l faultList
	v, ok := decodeStrict[T](&l, "x.json", data)
	if !ok && len(l.list) == 0 {
		t.Fatalf("%T: refused without a word", v)
	}
	if !ok {
		return
	}
	if len(l.list) == 0 && !bytes.Equal(canonical(v), data) {
		t.Fatalf("%T: taken, and not in canonical form", v)
	}
	lint(&l, v)
}

// FuzzText reads any Markdown as the text of an article.
func FuzzText(f *testing.F) {
	c, err := Load(os.DirFS("../fixtures"), testOptions)
	if err != nil {
		f.Fatal(err)
	}
	for _, a := range c.Articles() {
		f.Add(a.Body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var l faultList
		c.lintText(linter{&l, "article.md", ""}, body)
	})
}
