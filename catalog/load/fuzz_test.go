package load

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/catalogtest"
)

// FuzzDecode reads any bytes as each kind of record and lints what it reads. Nothing may panic, a record without faults must
// be its file's bytes, and a file that is refused must have a fault.
func FuzzDecode(f *testing.F) {
	real := os.DirFS(fixturesDir)
	fs.WalkDir(real, ".", func(p string, d fs.DirEntry, err error) error {
		// One of each kind is enough to begin with.
		if err == nil && strings.HasSuffix(p, ".json") && (!strings.HasPrefix(p, "library/") || strings.Contains(p, "/bolt-")) {
			data, _ := fs.ReadFile(real, p)
			f.Add(data)
		}
		return err
	})
	t := &targets{vocabulary: set{"iot": true}}
	f.Fuzz(func(tt *testing.T, data []byte) {
		fuzzRecord(tt, data, func(l *faultList, e catalog.Entry) {
			lintEntries(l, []located[*catalog.Entry]{{"library/iot/x.json", &e}}, t)
		})
		fuzzRecord(tt, data, func(l *faultList, p catalog.Protocol) {
			lintProtocols(l, []located[*catalog.Protocol]{{"protocols/x.json", &p}}, []string{"l402"}, t)
		})
		fuzzRecord(tt, data, func(l *faultList, a catalog.Article) {
			lintArticles(l, []located[*catalog.Article]{{"articles/x/article.json", &a}}, t)
		})
		fuzzRecord(tt, data, func(l *faultList, d catalog.Dataset) {
			lintDatasets(l, []located[*catalog.Dataset]{{"datasets/x/card.json", &d}}, t)
		})
		fuzzRecord(tt, data, func(l *faultList, p catalog.Profile) {
			lintProfiles(l, []located[*catalog.Profile]{{"profiles/x.json", &p}})
		})
		fuzzRecord(tt, data, func(l *faultList, f catalog.Flow) {
			lintFlows(l, []located[*catalog.Flow]{{"flows/x.json", &f}}, t)
		})
		fuzzRecord(tt, data, func(l *faultList, b catalog.Bot) { lintBots(l, []located[*catalog.Bot]{{"bots/x.json", &b}}) })
		fuzzRecord(tt, data, func(l *faultList, r catalog.SupportRecord) { lintSupport(l, r) })
		fuzzRecord(tt, data, func(l *faultList, r catalog.TrustRecord) { lintTrust(l, r) })
		fuzzRecord(tt, data, func(l *faultList, r catalog.LinkReport) { lintLinkReport(l, &r) })
		fuzzRecord(tt, data, func(l *faultList, list []catalog.CategoryRecord) { lintCategories(l, list) })
		fuzzRecord(tt, data, func(l *faultList, list []catalog.TagRecord) { lintTags(l, list, t, true) })
	})
}

func fuzzRecord[T any](t *testing.T, data []byte, lint func(*faultList, T)) {
	var l faultList
	v, ok := decodeStrict[T](&l, "x.json", data)
	if !ok && len(l.list) == 0 {
		t.Fatalf("%T: refused without a fault", v)
	}
	if !ok {
		return
	}
	if len(l.list) == 0 && !bytes.Equal(canonical(v), data) {
		t.Fatalf("%T: accepted, but not in canonical form", v)
	}
	lint(&l, *v)
}

// FuzzText reads any Markdown as the text of an article.
func FuzzText(f *testing.F) {
	c, err := Load(os.DirFS(fixturesDir), catalogtest.Options)
	if err != nil {
		f.Fatal(err)
	}
	for _, a := range c.Articles() {
		f.Add(a.Body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var l faultList
		linter{&l, "article.md", ""}.markdown(body, newTargets(&source{}))
	})
}
