// Package export writes the files of a site into a folder, so that any static host can serve them.
//
// A folder is replaced in one step: a reader sees the old site or the new one, also after a crash.
package export

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.almanac.example/httpmirror/file"
)

// Stats are the counts of an export.
type Stats struct {
	Files     int   // files of the site, compressed forms not counted
	Bytes     int64 // their length together
	Written   int   // files that are new or changed, compressed forms counted
	Unchanged int   // files that were there already and were left as they are
	Removed   int   // files of the last export that are no longer published
}

// Write writes the files of a site into a folder. render calls its argument with each file, from any number of
// goroutines; export retains none of them, so that a site may have any size. Write writes beside the folder and
// exchanges the two in one step. It links files whose bytes have not changed; when none has, it leaves the folder
// alone. It refuses a folder that has anything other than an export. modified is the modification time of the files, and
// codings names the compressed forms to write beside each file for hosts that serve them: "gzip" (file.gz), "br"
// (file.br).
func Write(ctx context.Context, dir string, modified time.Time, codings []string,
	render func(put func(*file.File) error) error,
) (stats Stats, err error) {
	defer func() {
		if err != nil {
			stats, err = Stats{}, fmt.Errorf("export to %s: %w", dir, err)
		}
	}()
	x := &exporter{ctx: ctx, modified: modified}
	for _, name := range codings {
		c, ok := file.CodingNamed(name)
		if !ok {
			return Stats{}, fmt.Errorf("the compressed form %q is unknown; use gzip or br", name)
		}
		x.codings = append(x.codings, c)
	}
	if err := x.prepare(dir); err != nil {
		return Stats{}, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	if err := render(x.put); err != nil {
		return Stats{}, err
	}
	if err := ctx.Err(); err != nil {
		return Stats{}, err
	}
	if err := x.publish(); err != nil {
		return Stats{}, err
	}
	x.stats.Unchanged = len(x.same)
	x.stats.Removed = len(x.last.listed) - x.known
	return x.stats, nil
}

// DiskName returns the name of a file below the folder. A page is the index of a folder.
func DiskName(path string) string {
	if file.IsPage(path) {
		path += "index.html"
	}
	return filepath.FromSlash(path[1:])
}
