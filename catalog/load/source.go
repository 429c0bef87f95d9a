package load

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"almanac/catalog"
)

// The places of the curated files.
const (
	categoriesFile   = "categories.json"
	tagsFile         = "tags.json"
	siteFile         = "site.json"
	repositoriesFile = "repositories.json"
	supportFile      = "support.json"
	trustFile        = "trust.json"

	entryFiles     = "library/*/*.json"
	protocolFiles  = "protocols/*.json"
	profileFiles   = "profiles/*.json"
	flowFiles      = "flows/*.json"
	assetFiles     = "assets/*.json"     // of some protocols
	evidenceFiles  = "evidence/*.json"   // of some records
	statementFiles = "statements/*.json" // of some entries
	botFiles       = "bots/*.json"
	articleFiles   = "articles/*/article.json" // each with an article.md beside it
	datasetFiles   = "datasets/*/card.json"    // each with a README.md beside it
	questionFiles  = "questions/*/*.json"      // in a folder for each kind of record
)

// LinkReportFile is where the report of the link checker lies among the curated files, if there is one.
const LinkReportFile = "links.json"

// EntryFile returns the path of a library entry's file among the curated files.
func EntryFile(e *catalog.Entry) string { return "library/" + e.Category + "/" + e.ID + ".json" }

// A source is the records as they are in the files.
type source struct {
	categories   []catalog.CategoryRecord
	tags         []catalog.TagRecord
	entries      []located[*catalog.Entry]
	protocols    []located[*catalog.Protocol]
	profiles     []located[*catalog.Profile]
	flows        []located[*catalog.Flow]
	assets       []located[*catalog.AssetRecord]
	evidence     []located[*catalog.EvidenceRecord]
	statements   []located[*catalog.StatementRecord]
	repositories catalog.RepositoryRecord
	articles     []located[*catalog.Article]
	datasets     []located[*catalog.Dataset]
	questions    []located[*catalog.QuestionRecord]
	bots         []located[*catalog.Bot]
	identity     catalog.Identity
	support      catalog.SupportRecord
	trust        catalog.TrustRecord
	links        *catalog.LinkReport // nil without a report
	history      []catalog.HistoryRecords
	broken       map[string]bool // files that could not be decoded; what depends on them is not judged
}

// readSource reads every file.
func readSource(r *reader) *source {
	src := &source{broken: r.broken}
	src.categories, _ = readFile[[]catalog.CategoryRecord](r, categoriesFile)
	src.tags, _ = readFile[[]catalog.TagRecord](r, tagsFile)
	src.identity, _ = readFile[catalog.Identity](r, siteFile)
	src.support, _ = readFile[catalog.SupportRecord](r, supportFile)
	src.trust, _ = readFile[catalog.TrustRecord](r, trustFile)
	if _, err := fs.Stat(r.fsys, LinkReportFile); !errors.Is(err, fs.ErrNotExist) {
		links, _ := readFile[catalog.LinkReport](r, LinkReportFile)
		src.links = &links
	}
	src.entries = readRecordsAgain(r, entryFiles, r.knownEntry, r.keeper.entry)
	src.history = readHistory(r)
	src.protocols = readRecords[catalog.Protocol](r, protocolFiles)
	src.profiles = readRecords[catalog.Profile](r, profileFiles)
	src.flows = readRecords[catalog.Flow](r, flowFiles)
	src.evidence = readRecordsAgain(r, evidenceFiles, r.knownEvidence, func(*catalog.EvidenceRecord) {})
	src.statements = readRecords[catalog.StatementRecord](r, statementFiles)
	if _, err := fs.Stat(r.fsys, repositoriesFile); !errors.Is(err, fs.ErrNotExist) {
		src.repositories, _ = readFile[catalog.RepositoryRecord](r, repositoriesFile)
	}
	src.assets = readRecords[catalog.AssetRecord](r, assetFiles)
	src.bots = readRecords[catalog.Bot](r, botFiles)
	src.articles = readRecords[catalog.Article](r, articleFiles)
	for _, a := range src.articles {
		a.record.Body = r.readText(beside(a.path, "article.md"))
	}
	src.datasets = readRecords[catalog.Dataset](r, datasetFiles)
	for _, d := range src.datasets {
		d.record.Readme = r.readText(beside(d.path, "README.md"))
	}
	src.questions = readRecordsAgain(r, questionFiles, r.knownQuestions, func(*catalog.QuestionRecord) {})
	for p := range r.left {
		if !src.broken[beside(p, "article.json")] && !src.broken[beside(p, "card.json")] {
			r.faults.add(p, "does not belong among the curated files; remove it, or see README.md for where records go")
		}
	}
	return src
}

// knownEntry returns the entry that the catalogue before has of a file, or nil.
func (r *reader) knownEntry(p string) *catalog.Entry {
	if r.before == nil {
		return nil
	}
	e, ok := r.before.Entry(fileID(p))
	if ok {
		r.keeper.know(e)
	}
	return e
}

// knownEvidence returns the evidence that the catalogue before has of a file, or nil.
func (r *reader) knownEvidence(p string) *catalog.EvidenceRecord {
	if r.before == nil {
		return nil
	}
	e, _ := r.before.Evidence(fileID(p))
	return e
}

// knownQuestions returns the questions that the catalogue before has of a file, or nil.
func (r *reader) knownQuestions(p string) *catalog.QuestionRecord {
	if r.before == nil {
		return nil
	}
	record := fileID(p)
	if kind := path.Base(path.Dir(p)); kind != "library" {
		record = kind + ":" + record
	}
	questions := r.before.Questions(record)
	if questions == nil {
		return nil
	}
	return &catalog.QuestionRecord{Record: record, Questions: questions}
}

// beside returns the path of another file in the folder of p.
func beside(p, name string) string { return path.Join(path.Dir(p), name) }

// records returns the records without their paths.
func (src *source) records() catalog.Records {
	return catalog.Records{
		Categories: src.categories, Tags: src.tags, Entries: recordsOf(src.entries), Protocols: recordsOf(src.protocols), Assets: recordsOf(src.assets),
		Evidence: recordsOf(src.evidence), Statements: recordsOf(src.statements), Sites: src.repositories,
		Profiles: recordsOf(src.profiles), Flows: recordsOf(src.flows),
		Articles: recordsOf(src.articles), Datasets: recordsOf(src.datasets), Questions: recordsOf(src.questions), Bots: recordsOf(src.bots),
		Identity: src.identity, Support: src.support, Trust: src.trust, Links: src.links, History: src.history,
	}
}

func recordsOf[T any](list []located[T]) []T {
	records := make([]T, len(list))
	for i, l := range list {
		records[i] = l.record
	}
	return records
}

// brokenIDs returns the ids of the files that match a pattern and could not be decoded.
func (src *source) brokenIDs(pattern string) set {
	ids := make(set)
	for p, broken := range src.broken {
		if matches, _ := path.Match(pattern, p); matches && broken { // the patterns are well formed
			ids[fileID(p)] = true
		}
	}
	return ids
}

// fileID returns the id that the path of a record's file states: the name of the file, or of its folder where each record
// has one.
func fileID(p string) string {
	name := strings.TrimSuffix(path.Base(p), ".json")
	if name == "article" || name == "card" {
		return path.Base(path.Dir(p))
	}
	return name
}
