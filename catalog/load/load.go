// Package load reads the curated files and judges them.
//
// A file is exactly the canonical form of its records, contains nothing unknown, and refers to nothing that does not
// exist. All faults are reported at once, each with its file and its remedy.
package load

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"go.almanac.example/catalog"
)

// Load reads the curated files below the root of fsys and makes a catalog of them. When files are wrong, the error is
// of type Faults.
func Load(fsys fs.FS, o catalog.Options) (*catalog.Catalog, error) {
	src, err := readJudged(fsys, o)
	if err != nil {
		return nil, err
	}
	return catalog.New(src.Records, o), nil
}

// LoadJudged is Load for files that Load accepted before they were built into a program: it does not judge them again.
func LoadJudged(fsys fs.FS, o catalog.Options) (*catalog.Catalog, error) {
	r := newReader(fsys)
	r.judged = true
	src := readSource(r)
	if err := r.faults.err(); err != nil {
		return nil, err
	}
	return catalog.New(src.Records, o), nil
}

// LoadVersion is Load, and returns the files as a version as well.
func LoadVersion(fsys fs.FS, o catalog.Options) (*catalog.Catalog, *Version, error) {
	src, err := readJudged(fsys, o)
	if err != nil {
		return nil, nil, err
	}
	v := newVersion(src) // before the catalog takes the records over
	return catalog.New(src.Records, o), v, nil
}

// readJudged reads the curated files, and refuses those that are wrong.
func readJudged(fsys fs.FS, o catalog.Options) (*source, error) {
	if err := o.Site.Check(); err != nil {
		return nil, err
	}
	r := newReader(fsys)
	src := readSource(r)
	lint(src)
	return src, r.faults.err()
}

// Rewrite returns the canonical bytes of every record file below fsys that is not in canonical form, by path. A file
// with another fault is not among them: rewriting it could lose its author's meaning. Those faults are the error, of
// type Faults; the rewrites are valid beside it.
func Rewrite(fsys fs.FS) (map[string][]byte, error) {
	r := newReader(fsys)
	readSource(r)
	files := make(map[string][]byte)
	others := slices.DeleteFunc(r.faults, func(f Fault) bool {
		if f.canonical != nil {
			files[f.Path] = f.canonical
		}
		return f.canonical != nil
	})
	return files, others.err()
}

// lint adds the faults of the records.
func lint(src *source) {
	t := newTargets(src)
	for _, lint := range []func(*source, *targets){
		lintCategories, lintTags, lintEntries, lintProtocols, lintProfiles, lintFlows, lintVersions, lintAssets, lintEvidence, lintStatements,
		lintRepositories, lintArticles, lintNews, lintDatasets, lintClients, lintQuestions, lintIdentity, lintBots, lintSupport, lintTrust,
		lintWithdrawn, lintHistory, lintLinkReport,
	} {
		lint(src, t)
	}
}

// PublishedVersion returns curated files that were published, for comparing them with the next version. They are not
// judged by rules that came later. A file that cannot be read as a record is a fault, because it may be lost.
func PublishedVersion(fsys fs.FS) (*Version, error) {
	r := newReader(fsys)
	src := readSource(r)
	faults := slices.DeleteFunc(r.faults, func(f Fault) bool {
		_, err := fs.Stat(fsys, f.Path)
		isHistory, _ := path.Match(historyFiles, f.Path)
		return !isHistory && (!src.broken[f.Path] || err != nil)
	})
	if len(src.Entries)+len(src.Protocols) == 0 {
		faults.add(".", "has neither entries nor protocols; name a folder of curated files")
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return newVersion(src), nil
}

// EvidenceFile returns the path of the evidence for a record, by its path id, among the curated files.
func EvidenceFile(pathID string) string { return "evidence/" + pathID + ".json" }

// VersionsFile returns the path of the earlier versions of a protocol among the curated files.
func VersionsFile(protocol string) string { return "versions/" + protocol + ".json" }

// ProtocolFile returns the path of a protocol among the curated files.
func ProtocolFile(id string) string { return "protocols/" + id + ".json" }

// Edit edits the record in a file below dir, which must be one that Load accepts. It writes the file if edit returns
// true.
func Edit[T any](dir, path string, edit func(*T) bool) error {
	name := filepath.Join(dir, filepath.FromSlash(path))
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("edit %s: %w", path, err)
	}
	record, faults, _ := decodeStrict[T](path, data)
	if err := faults.err(); err != nil || !edit(record) {
		return err
	}
	if err := renameio.WriteFile(name, canonical(record), 0o644, renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("edit %s: %w", path, err)
	}
	return nil
}
