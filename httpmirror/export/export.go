// Package export writes the files of a site into a folder, so that any static host can serve them.
//
// A folder is replaced in one step: a reader sees the old site or the new one, and so does whoever looks after a crash.
package export

import (
	"context"
	"errors"
	"fmt"
	"time"

	"almanac/httpmirror/file"
)

// Options say how the files are written.
type Options struct {
	// Codings names the compressed forms to write beside each file for hosts that serve them:
	// "gzip" (file.gz), "br" (file.br), "zstd" (file.zst).
	Codings []string
	// Modified is the modification time of the files.
	Modified time.Time
}

// Stats say what an export did.
type Stats struct {
	Files     int   // files of the site, compressed forms not counted
	Bytes     int64 // their length together
	Written   int   // files that are new or changed, compressed forms counted
	Unchanged int   // files that were there already and were left as they are
	Removed   int   // files of the last export that are no longer published
}

// Write writes the files of a site into a folder. It writes beside the folder and puts the whole in
// its place in one step. Files whose bytes have not changed are carried over and not written again; when none has, the
// folder is left alone. A folder that holds anything other than an export is refused. Only the files that are being written are in memory,
// so that a site may have any size.
func Write(ctx context.Context, dir string, o Options, site Site) (Stats, error) {
	stats, err := write(ctx, dir, o, site)
	if err != nil {
		return Stats{}, fmt.Errorf("export to %s: %w", dir, err)
	}
	return stats, nil
}

func write(ctx context.Context, dir string, o Options, site Site) (stats Stats, err error) {
	x := &exporter{ctx: ctx, modified: o.Modified, site: site, kept: make([]forms, site.Len())}
	if x.codings, err = codingsNamed(o.Codings); err != nil {
		return Stats{}, err
	}
	if err := x.prepare(dir); err != nil {
		return Stats{}, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	if err := site.Render(x.put); err != nil {
		return Stats{}, err
	}
	if err := ctx.Err(); err != nil {
		return Stats{}, err
	}
	if err := x.publish(); err != nil {
		return Stats{}, err
	}
	return Stats{
		Files: site.Len(), Bytes: x.bytes.Load(),
		Written: int(x.written.Load()), Unchanged: int(x.unchanged.Load()), Removed: x.last.files - int(x.again.Load()),
	}, nil
}

func codingsNamed(names []string) ([]file.Coding, error) {
	var list []file.Coding
	for _, name := range names {
		c, ok := file.CodingNamed(name)
		if !ok {
			return nil, fmt.Errorf("the compressed form %q is unknown; use gzip, br or zstd", name)
		}
		list = append(list, c)
	}
	return list, nil
}
