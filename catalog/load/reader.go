package load

import (
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"almanac/catalog"
)

// A reader reads files and remembers which it has read, so that a file left over is a fault.
type reader struct {
	fsys    fs.FS
	files   []string   // sorted; with those that are refused
	mu      sync.Mutex // guards the fields below
	faults  faultList
	left    set    // files that have not been read yet
	refused set    // files that are not read: pipes, and links out of the folder
	broken  set    // files that could not be decoded
	sum     uint64 // of the names and contents of the files that were read, in any order
}

// located is a record with the path of its file.
type located[T any] struct {
	path   string
	record T
}

// newReader returns a reader of the files below the root of fsys. Dot files are passed over: the curator's repository,
// an editor's copy, a file that is being written.
func newReader(fsys fs.FS) *reader {
	r := &reader{fsys: fsys, left: make(set), refused: make(set), broken: make(set)}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			r.faults.add(p, "cannot be read: %v", err)
			return nil
		}
		switch {
		case p != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir() || isBesideTheData(p):
		default:
			r.files = append(r.files, p)
			if fault := irregular(fsys, p, d); fault != "" {
				r.faults.add(p, "%s", fault)
				r.broken[p], r.refused[p] = true, true
				return nil
			}
			r.left[p] = true
		}
		return nil
	})
	if err != nil {
		r.faults.add(".", "cannot be listed: %v", err)
	}
	slices.Sort(r.files)
	return r
}

// irregular returns the fault of a path that is neither a file nor a link to one in the folder, or "". To read it could
// block for ever, or publish a file from elsewhere.
func irregular(fsys fs.FS, p string, d fs.DirEntry) string {
	if d.Type()&fs.ModeSymlink != 0 {
		target, err := fs.ReadLink(fsys, p)
		if err != nil || path.IsAbs(target) || !fs.ValidPath(path.Join(path.Dir(p), target)) {
			return "is a link to " + target + ", outside of the folder; put the file itself here"
		}
	}
	if info, err := fs.Stat(fsys, p); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return "is not a regular file; put a file here, or remove it"
	}
	return ""
}

// isBesideTheData reports whether a file may lie among the data: the manual and the Go file that embeds them.
func isBesideTheData(p string) bool {
	return p == "README.md" || (!strings.Contains(p, "/") && strings.HasSuffix(p, ".go"))
}

// matches returns the files that match a pattern, sorted.
func (r *reader) matches(pattern string) (paths []string) {
	for _, p := range r.files {
		if ok, _ := path.Match(pattern, p); ok { // the patterns are well formed
			paths = append(paths, p)
		}
	}
	return paths
}

// readRecords reads every file that matches pattern, each one record, in the order of their paths, several at once.
func readRecords[T any](r *reader, pattern string) []located[*T] {
	paths := r.matches(pattern)
	list := make([]located[*T], len(paths))
	var readers sync.WaitGroup
	step := runtime.GOMAXPROCS(0)
	for first := range step {
		readers.Go(func() {
			for i := first; i < len(paths); i += step {
				if v, ok := decodeFile[T](r, paths[i]); ok {
					list[i] = located[*T]{paths[i], v}
				}
			}
		})
	}
	readers.Wait()
	return slices.DeleteFunc(list, func(l located[*T]) bool { return l.record == nil })
}

// readValue reads a file of one value, which is zero if nothing of it could be decoded.
func readValue[T any](r *reader, p string) (v T) {
	if read, _ := decodeFile[T](r, p); read != nil {
		v = *read
	}
	return v
}

// decodeFile decodes a file of one value: nil if it could not be read. ok is false if the value cannot be judged
// further.
func decodeFile[T any](r *reader, p string) (v *T, ok bool) {
	data, ok := r.read(p)
	faults := r.faults.fresh()
	if ok {
		v, ok = decodeStrict[T](faults, p, data)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults.merge(faults)
	if !ok {
		r.broken[p] = true
	}
	return v, ok
}

// read returns the content of a file; ok is false if it has none that can be read, which is then a known fault.
func (r *reader) read(p string) (data []byte, ok bool) {
	if r.refused[p] {
		return nil, false
	}
	data, err := fs.ReadFile(r.fsys, p)
	sum := sha256.Sum256(slices.Concat([]byte(p), data))
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.left, p)
	r.sum += binary.BigEndian.Uint64(sum[:])
	if err != nil {
		r.faults.add(p, "cannot be read: %v", err)
	}
	return data, err == nil
}

// readText reads a Markdown file.
func (r *reader) readText(p string) string {
	data, ok := r.read(p)
	switch at := invalidUTF8(data); {
	case !ok:
	case at >= 0:
		r.faults.add(p, "line %d is not valid UTF-8; save the file as UTF-8", lineOf(data, at+1))
	case strings.Contains(string(data), "\r"):
		r.faults.add(p, "has carriage returns; save it with line feeds only")
	case !strings.HasSuffix(string(data), "\n"):
		r.faults.add(p, "does not end with a newline; add one")
	}
	return string(data)
}

// The places of the curated files.
const (
	categoriesFile   = "categories.json"
	tagsFile         = "tags.json"
	siteFile         = "site.json"
	repositoriesFile = "repositories.json"
	withdrawnFile    = "withdrawn.json"
	supportFile      = "support.json"
	logoFile         = "logo.svg" // optional
	trustFile        = "trust.json"
	lexiconFile      = "search/lexicon.txt" // in some libraries

	clientFile = "datasets/" + catalog.ClientDataset + "/clients.json" // in some libraries
	shapeFile  = "datasets/" + catalog.ClientDataset + "/shapes.json"  // beside it

	entryFiles     = "library/*/*.json"
	protocolFiles  = "protocols/*.json"
	profileFiles   = "profiles/*.json"
	flowFiles      = "flows/*.json"
	assetFiles     = "assets/*.json"     // of some protocols
	evidenceFiles  = "evidence/*.json"   // of some records
	statementFiles = "statements/*.json" // of some entries
	versionFiles   = "versions/*.json"   // of some protocols
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
	versions     []located[*catalog.VersionRecord]
	repositories catalog.RepositoryRecord
	articles     []located[*catalog.Article]
	datasets     []located[*catalog.Dataset]
	clients      []*catalog.Client
	shapes       []*catalog.Shape
	questions    []located[*catalog.QuestionRecord]
	lexicon      string
	bots         []located[*catalog.Bot]
	identity     catalog.Identity
	support      catalog.SupportRecord
	trust        catalog.TrustRecord
	links        *catalog.LinkReport // nil without a report
	withdrawn    []catalog.Withdrawal
	history      []catalog.HistoryRecords
	sum          uint64 // as reader.sum
	broken       set    // files that could not be decoded; records that depend on them are not judged
}

// readSource reads every file.
func readSource(r *reader) *source {
	src := &source{broken: r.broken}
	src.categories = readValue[[]catalog.CategoryRecord](r, categoriesFile)
	src.tags = readValue[[]catalog.TagRecord](r, tagsFile)
	src.identity = readValue[catalog.Identity](r, siteFile)
	if r.left[logoFile] {
		src.identity.Logo = r.readText(logoFile)
	}
	src.support = readValue[catalog.SupportRecord](r, supportFile)
	src.trust = readValue[catalog.TrustRecord](r, trustFile)
	if r.left[LinkReportFile] {
		src.links, _ = decodeFile[catalog.LinkReport](r, LinkReportFile)
	}
	src.entries = readRecords[catalog.Entry](r, entryFiles)
	src.history = readHistory(r)
	src.protocols = readRecords[catalog.Protocol](r, protocolFiles)
	src.profiles = readRecords[catalog.Profile](r, profileFiles)
	src.flows = readRecords[catalog.Flow](r, flowFiles)
	src.evidence = readRecords[catalog.EvidenceRecord](r, evidenceFiles)
	src.statements = readRecords[catalog.StatementRecord](r, statementFiles)
	src.versions = readRecords[catalog.VersionRecord](r, versionFiles)
	if r.left[repositoriesFile] {
		src.repositories = readValue[catalog.RepositoryRecord](r, repositoriesFile)
	}
	if r.left[withdrawnFile] {
		src.withdrawn = readValue[[]catalog.Withdrawal](r, withdrawnFile)
	}
	src.assets = readRecords[catalog.AssetRecord](r, assetFiles)
	src.bots = readRecords[catalog.Bot](r, botFiles)
	src.articles = readRecords[catalog.Article](r, articleFiles)
	for _, a := range src.articles {
		a.record.Body = r.readText(siblingFile(a.path, "article.md"))
	}
	src.datasets = readRecords[catalog.Dataset](r, datasetFiles)
	for _, d := range src.datasets {
		d.record.Readme = r.readText(siblingFile(d.path, "README.md"))
	}
	if r.left[clientFile] {
		src.clients = readValue[[]*catalog.Client](r, clientFile)
		src.shapes = readValue[[]*catalog.Shape](r, shapeFile)
	}
	src.questions = readRecords[catalog.QuestionRecord](r, questionFiles)
	if r.left[lexiconFile] {
		src.lexicon = r.readText(lexiconFile)
	}
	for p := range r.left {
		if !src.broken[siblingFile(p, "article.json")] && !src.broken[siblingFile(p, "card.json")] {
			r.faults.add(p, "does not belong among the curated files; remove it, or see README.md for where records go")
		}
	}
	src.sum = r.sum
	return src
}

// siblingFile returns the path of another file in the folder of p.
func siblingFile(p, name string) string { return path.Join(path.Dir(p), name) }

// records returns the records without their paths.
func (src *source) records() catalog.Records {
	return catalog.Records{
		Categories: src.categories, Tags: src.tags, Entries: recordsOf(src.entries), Protocols: recordsOf(src.protocols), Assets: recordsOf(src.assets),
		Evidence: recordsOf(src.evidence), Statements: recordsOf(src.statements), Versions: recordsOf(src.versions), Sites: src.repositories,
		Profiles: recordsOf(src.profiles), Flows: recordsOf(src.flows),
		Articles: recordsOf(src.articles), Datasets: recordsOf(src.datasets), Clients: src.clients, Shapes: src.shapes, Questions: recordsOf(src.questions), Bots: recordsOf(src.bots), Lexicon: src.lexicon,
		Identity: src.identity, Support: src.support, Trust: src.trust, Links: src.links, History: src.history, Withdrawn: src.withdrawn, Sum: src.sum,
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

// fileID returns the id that the path of a record's file states: the name of the file, or of its folder where each
// record has one.
func fileID(p string) string {
	name := strings.TrimSuffix(path.Base(p), ".json")
	if name == "article" || name == "card" {
		return path.Base(path.Dir(p))
	}
	return name
}
