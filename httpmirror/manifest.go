package httpmirror

import (
	"almanac/catalog"
	"almanac/httpmirror/file"
)

// manifest adds the list of all files. It comes last.
func (b *builder) manifest() error {
	files := b.sink.Listings()
	return b.addJSON(catalog.ManifestPath, &file.Manifest{
		SchemaVersion: catalog.SchemaVersion, GeneratedAt: b.cat.GeneratedAt(), Count: len(files), Files: files,
	})
}
