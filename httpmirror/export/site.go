package export

import (
	"path/filepath"

	"almanac/httpmirror/file"
)

// A Site is what is exported: files with the numbers 0 … Len()-1.
type Site interface {
	// Len returns the number of the files.
	Len() int
	// Path returns the path of the file with a number.
	Path(n int) string
	// Render renders every file and hands it to put, from several goroutines. Bodies may share memory with others: put copies what it
	// keeps.
	Render(put func(n int, f *file.File) error) error
}

// DiskName returns the name of a file below the folder. A page is the index of a folder.
func DiskName(path string) string {
	if file.IsPage(path) {
		path += "index.html"
	}
	return filepath.FromSlash(path[1:])
}
