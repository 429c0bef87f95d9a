package catalog_test

import (
	"testing"

	"go.almanac.example/catalog"
)

// TestClassOfReadings: a reading is of the source, of its repository at a commit, about it or of a third party, and a source is
// secondary, by addresses alone. What is about a source elsewhere stays a text of a third party.
func TestClassOfReadings(t *testing.T) {
	sites := catalog.RepositoryRecord{Sites: []catalog.SiteRepository{
		{Site: "https://eips.ethereum.org/", Repository: "https://github.com/ethereum/EIPs"},
		{Site: "https://eips.ethereum.org/", Repository: "https://github.com/ethereum/ERCs"},
		{Site: "https://eips.ethereum.org/other/", Repository: "https://github.com/ethereum/other"},
		{Site: "https://www.rfc-editor.org/rfc/rfc9449", Repository: "https://github.com/a/draft"},
	}, About: []string{"https://github.com/a/draft/", "https://www.rfc-editor.org/info/"}, Secondary: []string{"https://news.example/"}}
	const commit = "9c718c7c02372a6b7e300990511cd6fdff7f1dfa"
	for _, tt := range []struct {
		record, read string
		want         catalog.SourceClass
	}{
		{"https://a.example/spec", "https://a.example/spec", catalog.ClassSource},
		{"https://a.example/spec", "http://www.a.example/spec/#part", catalog.ClassSource},
		{"https://a.example/spec/", "https://a.example/spec/part-2.html", catalog.ClassSource},
		{"https://a.example/spec", "https://web.archive.org/web/20260822000000id_/https://a.example/spec", catalog.ClassSource},
		{"https://a.example/spec", "https://web.archive.org/web/20260822000000/https://b.example/spec", catalog.ClassThirdParty},
		{"https://a.example/spec", "https://a.example/specification", catalog.ClassThirdParty},
		{"https://a.example/spec", "https://a.example/", catalog.ClassThirdParty},
		{"https://a.example/spec", "https://a.example.org/spec", catalog.ClassThirdParty},
		{"https://a.example/spec", "https://b.example/https://a.example/spec", catalog.ClassThirdParty},
		{"https://www.rfc-editor.org/rfc/rfc9110", "https://datatracker.ietf.org/doc/html/rfc9110", catalog.ClassSource},
		{"https://www.rfc-editor.org/rfc/rfc9110", "https://datatracker.ietf.org/doc/html/rfc911", catalog.ClassThirdParty},
		{"https://datatracker.ietf.org/doc/draft-a-b/", "https://www.ietf.org/archive/id/draft-a-b-01.txt", catalog.ClassSource},
		{"https://datatracker.ietf.org/doc/draft-a-b/", "https://datatracker.ietf.org/doc/draft-a-b-c/", catalog.ClassThirdParty},
		{"https://arxiv.org/abs/2501.01234", "https://arxiv.org/pdf/2501.01234v3", catalog.ClassSource},
		{"https://eur-lex.europa.eu/eli/reg/2024/886/oj", "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=OJ%3AL_202400886", catalog.ClassSource},
		{"https://eur-lex.europa.eu/eli/reg/2024/1689/oj", "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:32024R1689", catalog.ClassSource},
		{"https://eur-lex.europa.eu/eli/reg/2016/679/oj", "https://eur-lex.europa.eu/legal-content/EN/LSU/?uri=CELEX:32016R0679", catalog.ClassThirdParty},
		{"https://docs.oasis-open.org/a/b/v5.0/os/b-v5.0-os.html", "https://www.oasis-open.org/standard/a-v5-0-os/", catalog.ClassSource},
		{"https://docs.oasis-open.org/a/b/v5.0/os/b-v5.0-os.html", "https://docs.oasis-open.org/a/b/v5.0/b-v5.0.pdf", catalog.ClassSource},
		{"https://docs.oasis-open.org/a/b/v5.0/os/b-v5.0-os.html", "https://docs.oasis-open.org/a/b/v5.0/cs01/b-v5.0-cs01.html", catalog.ClassThirdParty},
		{"https://www.eba.europa.eu/page-1_en", "https://eba.europa.eu/page-1_ro", catalog.ClassSource},
		{"https://www.eba.europa.eu/page-1_en", "https://esma.europa.eu/page-1_en", catalog.ClassThirdParty},
		{"https://html.spec.whatwg.org/multipage/a-b.html", "https://html.spec.whatwg.org/a-b.html", catalog.ClassSource},
		{"https://html.spec.whatwg.org/multipage/a-b.html", "https://html.spec.whatwg.org/a.html", catalog.ClassThirdParty},
		{"https://github.com/a/b", "https://github.com/A/B/blob/" + commit + "/c.md", catalog.ClassRepository},
		{"https://github.com/a/b/blob/main/c.md", "https://raw.githubusercontent.com/a/b/" + commit + "/c.md", catalog.ClassRepository},
		{"https://github.com/a/b/blob/main/c.md", "https://github.com/a/b/blob/main/c.md", catalog.ClassSource},
		{"https://github.com/a/b", "https://github.com/fork/b/blob/" + commit + "/c.md", catalog.ClassThirdParty},
		{"https://eips.ethereum.org/EIPS/eip-7710", "https://github.com/ethereum/ERCs/blob/" + commit + "/ERCS/erc-7710.md", catalog.ClassRepository},
		{"https://eips.ethereum.org/EIPS/eip-7710", "https://github.com/ethereum/ERCs/blob/main/ERCS/erc-7710.md", catalog.ClassThirdParty},
		{"https://eips.ethereum.org/other/1", "https://github.com/ethereum/ERCs/blob/" + commit + "/1.md", catalog.ClassThirdParty},
		{"https://eips.ethereum.org/other/1", "https://github.com/ethereum/other/blob/" + commit + "/1.md", catalog.ClassRepository},
		{"https://www.rfc-editor.org/rfc/rfc9449", "https://www.rfc-editor.org/info/rfc9449", catalog.ClassAbout},
		{"https://www.rfc-editor.org/rfc/rfc9449", "https://www.rfc-editor.org/info/rfc9450", catalog.ClassThirdParty},
		{"https://www.rfc-editor.org/rfc/rfc9449", "https://github.com/a/draft/blob/" + commit + "/main.md", catalog.ClassAbout},
		{"https://news.example/1", "https://www.news.example/1", catalog.ClassSecondary},
		{"https://a.example/spec", "https://news.example/1", catalog.ClassThirdParty},
	} {
		if got := sites.Class(tt.record, catalog.SourceReading{URL: tt.read, Copy: catalog.CopyPage}); got != tt.want {
			t.Errorf("%s, read at %s: %s, want %s", tt.record, tt.read, got, tt.want)
		}
	}
}

// TestReadingCounts: every entry, fact and statement is counted once, in the class of its best reading.
func TestReadingCounts(t *testing.T) {
	c := realCatalog(t)
	var got, want catalog.ReadingCount
	for _, n := range c.Trust().Readings {
		t.Logf("%-12s %3d entries, %3d facts, %4d statements", n.Class, n.Entries, n.Facts, n.Statements)
		got.Entries, got.Facts, got.Statements = got.Entries+n.Entries, got.Facts+n.Facts, got.Statements+n.Statements
	}
	want.Entries = len(c.Entries())
	for _, e := range c.Entries() {
		want.Statements += len(c.Statements(e.ID))
	}
	for _, p := range c.Protocols().Protocols {
		for _, f := range p.Facts() {
			if f.Value != nil {
				want.Facts++
			}
		}
	}
	if got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}
