package load

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"

	"go.almanac.example/catalog"
)

// A reader reads files and remembers which it has read, so that a file left over is a fault.
type reader struct {
	fsys    fs.FS
	judged  bool       // the files are known to be in canonical form
	files   []string   // sorted; with those that are refused
	mu      sync.Mutex // guards the fields below
	faults  Faults
	left    set    // files that have not been read yet
	refused set    // files that are not read: pipes, and links out of the folder
	broken  set    // files that could not be decoded
	sum     uint64 // of the names and contents of the files that were read, in any order
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

// maxFileSize is far above the size of any file of curated data, and below what its reading would need to use up memory.
const maxFileSize = 32 << 20

// irregular returns the fault of a path that is neither a file nor a link to one in the folder, or "". To read it could
// block for ever, publish a file from elsewhere, or use up the memory.
func irregular(fsys fs.FS, p string, d fs.DirEntry) string {
	if d.Type()&fs.ModeSymlink != 0 {
		target, err := fs.ReadLink(fsys, p)
		if err != nil || path.IsAbs(target) || !fs.ValidPath(path.Join(path.Dir(p), target)) {
			return "is a link to " + target + ", which is absolute or outside of the folder; put the file itself here"
		}
	}
	info, err := fs.Stat(fsys, p)
	switch {
	case err != nil || info.IsDir():
		return ""
	case !info.Mode().IsRegular():
		return "is not a regular file; put a file here, or remove it"
	case info.Size() > maxFileSize:
		return fmt.Sprintf("has %d MiB, and a file may have %d; remove it, or divide it", info.Size()>>20, maxFileSize>>20)
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
func readRecords[T any](r *reader, src *source, pattern string) []*T {
	paths := r.matches(pattern)
	list := make([]*T, len(paths))
	var readers sync.WaitGroup
	step := runtime.GOMAXPROCS(0)
	for first := range step {
		readers.Go(func() {
			for i := first; i < len(paths); i += step {
				if v, ok := decodeFile[T](r, paths[i]); ok {
					list[i] = v
				}
			}
		})
	}
	readers.Wait()
	for i, v := range list {
		if v != nil {
			src.paths[v] = paths[i]
		}
	}
	return slices.DeleteFunc(list, func(v *T) bool { return v == nil })
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
	var faults Faults
	if ok {
		if v = new(T); !r.judged || r.decode(data, v) != nil {
			v, faults, ok = decodeStrict[T](p, data)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, faults...)
	if !ok {
		r.broken[p] = true
	}
	return v, ok
}

// decode decodes JSON. The decoder of files that were judged before takes half the time, and its errors name less.
func (r *reader) decode(data []byte, v any) error {
	if r.judged {
		return jsonv2.Unmarshal(data, v)
	}
	return json.Unmarshal(data, v)
}

// read returns the content of a file; ok is false if it has none that can be read, which is then a known fault.
func (r *reader) read(p string) (data []byte, ok bool) {
	if _, there := slices.BinarySearch(r.files, p); r.refused[p] || optionalFiles[p] && !there {
		return nil, false
	}
	data, err := fs.ReadFile(r.fsys, p)
	sum := sha256.New()
	io.WriteString(sum, p)
	sum.Write(data)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.left, p)
	r.sum += binary.BigEndian.Uint64(sum.Sum(nil))
	if err != nil {
		r.faults.add(p, "cannot be read: %v", err)
	}
	return data, err == nil
}

// readText reads a Markdown file.
func (r *reader) readText(p string) string {
	data, ok := r.read(p)
	switch text := string(data); {
	case !ok || !r.faults.addInvalid(p, data):
	case strings.Contains(text, "\r"):
		r.faults.add(p, "has carriage returns; save it with line feeds only")
	case !strings.HasSuffix(text, "\n"):
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
	newsFiles      = "news/*.json"             // in some libraries
	questionFiles  = "questions/*/*.json"      // in a folder for each kind of record
)

// optionalFiles are the single files that a library can do without.
var optionalFiles = set{logoFile: true, LinkReportFile: true, repositoriesFile: true, withdrawnFile: true, clientFile: true, shapeFile: true, lexiconFile: true}

// LinkReportFile is where the report of the link checker lies among the curated files, if there is one.
const LinkReportFile = "links.json"

// EntryFile returns the path of a library entry's file among the curated files.
func EntryFile(e *catalog.Entry) string { return "library/" + e.Category + "/" + e.ID + ".json" }

// A source is the records as they are in the files, with what is wrong with them.
type source struct {
	catalog.Records
	paths  map[any]string // of the files of records
	broken set            // files that could not be decoded; records that depend on them are not judged
	faults *Faults
}

// lintRecord checks the form of a record, and the member that is also the name of its file, and returns its linter.
func (src *source) lintRecord(record any, member, id string) linter {
	at := src.lintFile(src.paths[record], record)
	if name := fileID(at.path); id != name {
		at.add(member, "is %q and the file is named %q; make them equal", id, name)
	}
	return at
}

// lintFile checks the form of the value of a file, unless there is none, and returns its linter.
func (src *source) lintFile(path string, value any) linter {
	at := linter{src.faults, path, ""}
	if v := reflect.ValueOf(value); !src.broken[path] && !(optionalFiles[path] && v.IsZero()) {
		at.forms("", "", v)
	}
	return at
}

// readSource reads every file.
func readSource(r *reader) *source {
	src := &source{paths: make(map[any]string), broken: r.broken, faults: &r.faults}
	src.Categories = readValue[[]catalog.CategoryRecord](r, categoriesFile)
	src.Tags = readValue[[]catalog.TagRecord](r, tagsFile)
	src.Identity = readValue[catalog.Identity](r, siteFile)
	src.Identity.Logo = r.readText(logoFile)
	src.Support = readValue[catalog.SupportRecord](r, supportFile)
	src.Trust = readValue[catalog.TrustRecord](r, trustFile)
	src.Links, _ = decodeFile[catalog.LinkReport](r, LinkReportFile)
	src.Entries = readRecords[catalog.Entry](r, src, entryFiles)
	src.History = readHistory(r)
	src.Protocols = readRecords[catalog.Protocol](r, src, protocolFiles)
	src.Profiles = readRecords[catalog.Profile](r, src, profileFiles)
	src.Flows = readRecords[catalog.Flow](r, src, flowFiles)
	src.Evidence = readRecords[catalog.EvidenceRecord](r, src, evidenceFiles)
	src.Statements = readRecords[catalog.StatementRecord](r, src, statementFiles)
	src.Versions = readRecords[catalog.VersionRecord](r, src, versionFiles)
	src.Sites = readValue[catalog.RepositoryRecord](r, repositoriesFile)
	src.Withdrawn = readValue[[]catalog.Withdrawal](r, withdrawnFile)
	src.Assets = readRecords[catalog.AssetRecord](r, src, assetFiles)
	src.Bots = readRecords[catalog.Bot](r, src, botFiles)
	src.Articles = readRecords[catalog.Article](r, src, articleFiles)
	for _, a := range src.Articles {
		a.Body = r.readText(siblingFile(src.paths[a], "article.md"))
	}
	src.Datasets = readRecords[catalog.Dataset](r, src, datasetFiles)
	for _, d := range src.Datasets {
		d.Readme = r.readText(siblingFile(src.paths[d], "README.md"))
	}
	src.News = readRecords[catalog.NewsItem](r, src, newsFiles)
	src.Clients = readValue[[]*catalog.Client](r, clientFile)
	src.Shapes = readValue[[]*catalog.Shape](r, shapeFile)
	src.Questions = readRecords[catalog.QuestionRecord](r, src, questionFiles)
	src.Lexicon = r.readText(lexiconFile)
	for p := range r.left {
		if !src.broken[siblingFile(p, "article.json")] && !src.broken[siblingFile(p, "card.json")] {
			r.faults.add(p, "does not belong among the curated files; remove it, or see README.md for where records go")
		}
	}
	src.Sum = r.sum
	return src
}

// siblingFile returns the path of another file in the folder of p.
func siblingFile(p, name string) string { return path.Join(path.Dir(p), name) }

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

// ids returns the ids of the records whose files match a pattern: known ones, and those of files that could not be decoded.
func (src *source) ids(pattern string, known set) set {
	maps.Copy(known, src.brokenIDs(pattern))
	return known
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
