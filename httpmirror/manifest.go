package httpmirror

import "almanac/catalog"

// A Manifest lists every file of the mirror but itself.
type Manifest struct {
	SchemaVersion string    `json:"schema_version"`
	GeneratedAt   string    `json:"generated_at"`
	Count         int       `json:"count"`
	Files         []listing `json:"files"`
}

// manifest adds the list of all files. It comes last.
func (b *builder) manifest() error {
	files := b.files()
	return b.addJSON(catalog.ManifestPath, &Manifest{
		SchemaVersion: catalog.SchemaVersion, GeneratedAt: b.cat.GeneratedAt(), Count: len(files), Files: files,
	})
}
