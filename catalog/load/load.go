// Package load reads the curated files and judges them.
//
// It is strict: a file is exactly the canonical form of its records, contains nothing unknown, and refers to nothing that does
// not exist. It reports everything that is wrong at once, each fault with its file and what to do. What passes is handed to
// catalog.New. The same strictness serves the curator's tools: Rewrite puts files into canonical form, EditEntry edits one,
// and CheckUpdate compares two loads, since what was published stays.
package load

import (
	"io/fs"

	"almanac/catalog"
)

// Load reads the curated files below the root of fsys and makes a catalog of them. When files are wrong, the error is of
// type Faults.
func Load(fsys fs.FS, o catalog.Options) (*catalog.Catalog, error) { return Reload(nil, fsys, o) }

// Reload is Load where an older catalogue of the files is in use. Entries and evidence that are as they were then are not read a second
// time: both catalogues have the same records, so that a reload of a large library takes memory for what has changed.
func Reload(before *catalog.Catalog, fsys fs.FS, o catalog.Options) (*catalog.Catalog, error) {
	if err := o.Site.Check(); err != nil {
		return nil, err
	}
	r := newReader(fsys)
	r.before = before
	src := readSource(r)
	lint(&r.faults, src)
	if err := r.faults.err(); err != nil {
		return nil, err
	}
	return catalog.New(src.records(), o), nil
}

// Rewrite returns the canonical bytes of every record file below fsys that is not in canonical form, by path. A file with
// another fault is not among them: rewriting it could lose what its author meant. Those faults are the error, of type
// Faults; the rewrites are valid beside it.
func Rewrite(fsys fs.FS) (map[string][]byte, error) {
	r := newReader(fsys)
	r.faults.rewrite = make(map[string][]byte)
	readSource(r)
	return r.faults.rewrite, r.faults.err()
}

// lint adds what is wrong with the records.
func lint(l *faultList, src *source) {
	t := newTargets(src)
	lintCategories(l, src.categories)
	lintTags(l, src.tags, t, len(src.brokenIDs(entryFiles)) == 0)
	lintEntries(l, src.entries, t)
	if !src.broken[siteFile] {
		lintIdentity(l, src.identity)
	}
	lintProtocols(l, src.protocols, src.identity.Protocols, t)
	lintProfiles(l, src.profiles)
	lintFlows(l, src.flows, t)
	lintAssets(l, src.assets, src.protocols)
	lintEvidence(l, src.evidence, t)
	lintRepositories(l, src.repositories)
	lintStatements(l, src.statements, src.entries, src.repositories, src.broken)
	lintArticles(l, src.articles, t)
	lintDatasets(l, src.datasets, t, set{"questions": len(src.questions) == 0, "protocol-choices": len(src.profiles) == 0, "evidence": len(src.evidence) == 0, "statements": true})
	lintQuestions(l, src.questions, t)
	lintBots(l, src.bots, src.brokenIDs(botFiles))
	if !src.broken[supportFile] {
		lintSupport(l, src.support)
	}
	if !src.broken[trustFile] {
		lintTrust(l, src.trust)
	}
	lintHistory(l, src.history)
	if src.links != nil && !src.broken[LinkReportFile] {
		lintLinkReport(l, src.links)
	}
}
