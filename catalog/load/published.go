package load

import (
	"io/fs"
	"path"

	"almanac/catalog"
)

// Published returns the catalogue of curated files that were published, for comparing it with what is about to be. They were judged when
// they were published, by the rules of that day, and are not judged again: members that are unknown now, files that were not asked for then,
// and what later rules refuse are no reason to fail. A file that cannot be read as a record is, because nobody could say whether it was lost.
func Published(fsys fs.FS, o catalog.Options) (*catalog.Catalog, error) {
	src, err := readPublished(fsys)
	if err != nil {
		return nil, err
	}
	return catalog.New(src.records(), o), nil
}

// PublishedVersion returns what CheckHistory and Record compare of curated files that were published; see Published.
func PublishedVersion(fsys fs.FS) (*Version, error) {
	src, err := readPublished(fsys)
	if err != nil {
		return nil, err
	}
	return &Version{flatten(src), src.history}, nil
}

func readPublished(fsys fs.FS) (*source, error) {
	r := newReader(fsys)
	src := readSource(r)
	var l faultList
	for _, f := range r.faults.list {
		_, err := fs.Stat(fsys, f.Path)
		if isHistory, _ := path.Match(historyFiles, f.Path); isHistory || src.broken[f.Path] && err == nil {
			l.add(f.Path, "%s", f.Message)
		}
	}
	if len(src.entries)+len(src.protocols) == 0 {
		l.add(".", "has neither entries nor protocols; name a folder of curated files")
	}
	return src, l.err()
}
