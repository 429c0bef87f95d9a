package load

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
)

// FuzzDecode reads any bytes as each kind of record and lints what it reads. Nothing may panic, a record without faults must
// be its file's bytes, and a file that is refused must have a fault.
func FuzzDecode(f *testing.F) {
	real := os.DirFS(fixturesDir)
	seeded := make(map[string]bool) // one of each kind is enough to begin with
	fs.WalkDir(real, ".", func(p string, d fs.DirEntry, err error) error {
		if kind, _, _ := strings.Cut(p, "/"); err == nil && strings.HasSuffix(p, ".json") && !seeded[kind] {
			data, _ := fs.ReadFile(real, p)
			f.Add(data)
			seeded[kind] = true
		}
		return err
	})
	t := &targets{vocabulary: set{"iot": true}}
	f.Fuzz(func(tt *testing.T, data []byte) {
		fuzzRecord(tt, data, "library/iot/x.json", func(src *source, e *catalog.Entry) {
			src.Entries = append(src.Entries, e)
			lintEntries(src, t)
		})
		fuzzRecord(tt, data, "protocols/x.json", func(src *source, p *catalog.Protocol) {
			src.Protocols, src.Identity.Protocols = append(src.Protocols, p), []string{"l402"}
			lintProtocols(src, t)
		})
		fuzzRecord(tt, data, "articles/x/article.json", func(src *source, a *catalog.Article) {
			src.Articles = append(src.Articles, a)
			lintArticles(src, t)
		})
		fuzzRecord(tt, data, "datasets/x/card.json", func(src *source, d *catalog.Dataset) {
			src.Datasets = append(src.Datasets, d)
			lintDatasets(src, t)
		})
		fuzzRecord(tt, data, "profiles/x.json", func(src *source, p *catalog.Profile) {
			src.Profiles = append(src.Profiles, p)
			lintProfiles(src, t)
		})
		fuzzRecord(tt, data, "flows/x.json", func(src *source, f *catalog.Flow) {
			src.Flows = append(src.Flows, f)
			lintFlows(src, t)
		})
		fuzzRecord(tt, data, "bots/x.json", func(src *source, b *catalog.Bot) {
			src.Bots = append(src.Bots, b)
			lintBots(src, t)
		})
		fuzzRecord(tt, data, supportFile, func(src *source, r *catalog.SupportRecord) {
			src.Support = *r
			lintSupport(src, t)
		})
		fuzzRecord(tt, data, trustFile, func(src *source, r *catalog.TrustRecord) {
			src.lintFile(trustFile, r)
		})
		fuzzRecord(tt, data, LinkReportFile, func(src *source, r *catalog.LinkReport) {
			src.Links = r
			lintLinkReport(src, t)
		})
		fuzzRecord(tt, data, categoriesFile, func(src *source, list *[]catalog.CategoryRecord) {
			src.Categories = *list
			lintCategories(src, t)
		})
		fuzzRecord(tt, data, tagsFile, func(src *source, list *[]catalog.TagRecord) {
			src.Tags = *list
			lintTags(src, t)
		})
	})
}

func fuzzRecord[T any](t *testing.T, data []byte, path string, lint func(*source, *T)) {
	v, faults, ok := decodeStrict[T](path, data)
	if !ok && len(faults) == 0 {
		t.Fatalf("%T: refused without a fault", v)
	}
	if !ok {
		return
	}
	if len(faults) == 0 && !bytes.Equal(canonical(v), data) {
		t.Fatalf("%T: accepted, but not in canonical form", v)
	}
	lint(&source{paths: map[any]string{v: path}, faults: &faults}, v)
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
		var faults Faults
		linter{&faults, "article.md", ""}.markdown(body, newTargets(&source{}))
	})
}
