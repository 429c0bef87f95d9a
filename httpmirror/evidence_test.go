package httpmirror

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/phrase"
)

// TestFactsLeadToEvidence: each fact on the page and in the Markdown of a protocol leads to the readings on which it rests, which
// are there; and where texts differ, both forms say what the other text says.
func TestFactsLeadToEvidence(t *testing.T) {
	m := realMirror(t)
	facts, differ := 0, 0
	for _, id := range realCatalog(t).Identity().Protocols {
		p, _ := m.cat.Protocol(id)
		record := catalog.HistoryPathID("protocol:" + id)
		evidence, _ := m.cat.Evidence(record)
		page, text := textOf(t, m, catalog.ProtocolPath(id)), textOf(t, m, catalog.MarkdownPath(catalog.ProtocolPath(id)))
		readings := textOf(t, m, catalog.EvidencePath(record))
		for _, f := range p.Facts() {
			if f.Value == nil {
				continue
			}
			facts++
			place := catalog.EvidencePath(record) + "#" + f.Name
			own := catalog.FactPath(catalog.FactID(id, f.Name))
			drawn := f.Name == "pay_flow" && strings.Contains(page, `id="pay_flow"`)
			if !drawn && !strings.Contains(page, `href="`+own+`"`) || !strings.Contains(text, m.cat.Site().URL(place)) {
				t.Errorf("%s.%s does not lead to %s and %s", id, f.Name, own, place)
			}
			if !strings.Contains(readings, `id="`+f.Name+`"`) {
				t.Errorf("%s has no section %s", catalog.EvidencePath(record), f.Name)
			}
			member, _ := evidence.Member(f.Name)
			for _, r := range member.Readings {
				if !strings.Contains(html.UnescapeString(readings), phrase.Quote(r.Quote)) || !strings.Contains(readings, r.URL) || !strings.Contains(html.UnescapeString(textOf(t, m, own)), phrase.Quote(r.Quote)) {
					t.Errorf("%s.%s: the page of the evidence lacks %q of %s", id, f.Name, r.Quote, r.URL)
				}
				if r.Holds {
					continue
				}
				differ++
				if !strings.Contains(html.UnescapeString(page), phrase.Quote(r.Quote)) || !strings.Contains(text, r.Quote) || !strings.Contains(page, member.Readings[0].URL) {
					t.Errorf("%s.%s does not say what another text says: %q", id, f.Name, r.Quote)
				}
			}
		}
	}
	t.Logf("%d facts lead to their evidence; %d readings of other texts are told", facts, differ)
	if entry := textOf(t, m, catalog.EntryPath("mcap-format")); !strings.Contains(entry, `href="`+catalog.EvidencePath("mcap-format")+`"`) {
		t.Error("the page of an entry does not lead to its evidence")
	}
}

// textOf returns the text of the file at a path.
func textOf(t *testing.T, m *Mirror, path string) string {
	t.Helper()
	f, ok := m.File(path)
	if !ok {
		t.Fatalf("there is no %s", path)
	}
	return string(f.Body)
}

// TestPagesClaimWhatWasRead: the page and the Markdown of each entry state the class of its reading with the day of the copy, and one
// whose source nobody read claims no reading of it.
func TestPagesClaimWhatWasRead(t *testing.T) {
	m := realMirror(t)
	for _, e := range m.cat.Entries() {
		reading, ok := m.cat.EntryReading(e)
		var read *catalog.ClassedReading
		if ok {
			read = &reading
		}
		sentence := phrase.EntryReading(read, e.VerifiedAt)
		for _, path := range []string{catalog.EntryPath(e.ID), catalog.MarkdownPath(catalog.EntryPath(e.ID))} {
			text := html.UnescapeString(textOf(t, m, path))
			if !strings.Contains(text, sentence) {
				t.Errorf("%s does not say: %s", path, sentence)
			}
			text, _, _ = strings.Cut(text, "What it says</h2>")
			text, _, _ = strings.Cut(text, "\n## Details")
			claims := regexp.MustCompile(`\bRead \d+ [A-Z]|(Read|Sources checked) (on|between) `).MatchString(text)
			if bearsOut := ok && reading.Class.OfSource(); claims != bearsOut {
				t.Errorf("%s claims a reading of the source: %t; its evidence has one: %t", path, claims, bearsOut)
			}
		}
	}
}

// TestVersionsEverywhere: each fact of an earlier version of a protocol is in the document with its readings, on the page and in the
// Markdown of the protocol, under the same anchor, and leads to its evidence. The document of the protocol has the newest version only.
func TestVersionsEverywhere(t *testing.T) {
	m := realMirror(t)
	facts := 0
	for _, id := range m.cat.VersionedIDs() {
		page, text := textOf(t, m, catalog.ProtocolPath(id)), textOf(t, m, catalog.MarkdownPath(catalog.ProtocolPath(id)))
		evidence := textOf(t, m, catalog.EvidencePath("protocol."+id))
		var doc catalog.VersionDocument
		if err := json.Unmarshal([]byte(textOf(t, m, catalog.VersionsJSONPath(id))), &doc); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(textOf(t, m, catalog.ProtocolJSONPath(id)), `"versions"`) {
			t.Errorf("the document of %s has earlier versions", id)
		}
		for i, v := range m.cat.Versions(id) {
			anchor := catalog.VersionAnchor(v.Version)
			if got := doc.Versions[i]; got.Version != v.Version || !strings.HasSuffix(got.URL, catalog.ProtocolPath(id)+"#"+anchor) {
				t.Errorf("the document of %s has %s at %s in the place of %s", id, got.Version, got.URL, v.Version)
			}
			_, onPage, ok := strings.Cut(page, `<details class="words" id="`+anchor+`">`)
			onPage, _, closed := strings.Cut(onPage, "</details>")
			inText := sectionOf(text, anchor)
			if !ok || !closed || inText == "" || !strings.Contains(onPage, phrase.VersionSpan(v)) || !strings.Contains(inText, phrase.Sentence(v.Span())) {
				t.Errorf("page or Markdown of %s lack the version %s and its days", id, v.Version)
			}
			for _, f := range v.Facts.Facts() {
				if f.Value == nil {
					continue
				}
				facts++
				member := strings.NewReplacer("@", "-", ".", "-").Replace(f.Name + "@" + v.Version)
				at := `/evidence/protocol.` + id + `/#` + member
				if !strings.Contains(onPage, f.Source) || !strings.Contains(onPage, `href="`+at+`"`) || !strings.Contains(evidence, `id="`+member+`"`) {
					t.Errorf("on the page of %s, %s of %s leads nowhere", id, f.Name, v.Version)
				}
				if !strings.Contains(inText, "- "+f.Name+":") || !strings.Contains(inText, f.Source) {
					t.Errorf("the Markdown of %s lacks %s of %s", id, f.Name, v.Version)
				}
				quoted := slices.ContainsFunc(doc.Versions[i].Evidence, func(e catalog.ClassedMemberEvidence) bool {
					return e.Member == f.Name && e.Readings[0].Quote != "" && e.Readings[0].Class != catalog.ClassThirdParty
				})
				if !quoted {
					t.Errorf("the document of %s has no reading for %s of %s", id, f.Name, v.Version)
				}
			}
		}
	}
	if len(m.cat.VersionedIDs()) < 4 || facts < 40 {
		t.Errorf("%d facts of earlier versions of %d protocols", facts, len(m.cat.VersionedIDs()))
	}
}

// sectionOf returns a section of a Markdown document, or "".
func sectionOf(doc, name string) string {
	for _, s := range markdown.Sections(doc) {
		if s.Name == name {
			return doc[s.Start:s.End]
		}
	}
	return ""
}

// TestStatementsEverywhere: each statement is in the document of its entry, on the page with its anchor, in the Markdown and in the dataset.
func TestStatementsEverywhere(t *testing.T) {
	m := realMirror(t)
	rows := textOf(t, m, catalog.DatasetFilePath("statements", "jsonl"))
	statements := 0
	for _, id := range m.cat.StatementIDs() {
		page, text := textOf(t, m, catalog.EntryPath(id)), textOf(t, m, catalog.MarkdownPath(catalog.EntryPath(id)))
		var doc catalog.EntryDocument
		if err := json.Unmarshal([]byte(textOf(t, m, catalog.EntryJSONPath(id))), &doc); err != nil {
			t.Fatal(err)
		}
		for i, s := range m.cat.Statements(id) {
			statements++
			if !strings.Contains(html.UnescapeString(page), s.Text) || !strings.Contains(page, `id="`+s.ID+`"`) {
				t.Errorf("the page of %s lacks %s", id, s.ID)
			}
			if !strings.Contains(text, markdown.Text(s.Text)) {
				t.Errorf("the Markdown of %s lacks %s", id, s.ID)
			}
			if doc.Statements[i].Text != s.Text || !strings.HasSuffix(doc.Statements[i].URL, catalog.StatementPath(id, s.ID)) {
				t.Errorf("the document of %s has %+v in the place of %s", id, doc.Statements[i], s.ID)
			}
			if row := `{"record":"` + id + `","id":"` + s.ID + `",`; strings.Count(rows, row) != 1 {
				t.Errorf("the dataset lacks %s of %s", s.ID, id)
			}
		}
	}
	t.Logf("%d statements about %d entries", statements, len(m.cat.StatementIDs()))
}
