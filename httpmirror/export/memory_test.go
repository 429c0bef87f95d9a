package export

import (
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"weak"

	"almanac/httpmirror/file"
)

// passing is a site that counts the files that are held on to after they were written.
type passing struct{ held int }

func (*passing) Len() int { return 20 }

func (*passing) Path(n int) string { return "/files/" + strconv.Itoa(n) + ".txt" }

func (s *passing) Render(put func(n int, f *file.File) error) error {
	for n := range s.Len() {
		f := file.New(s.Path(n), file.Text, make([]byte, 1<<16))
		passed := weak.Make(f)
		if err := put(n, f); err != nil {
			return err
		}
		f = nil
		if runtime.GC(); passed.Value() != nil {
			s.held++
		}
	}
	return nil
}

// An export holds on to no file that it has written or found unchanged, so that it takes no more memory for more files.
func TestExportHoldsNoFiles(t *testing.T) {
	s := new(passing)
	dir := filepath.Join(t.TempDir(), "site")
	stats, err := Write(t.Context(), dir, Options{Codings: []string{"gzip"}}, s)
	if err != nil || stats.Files != s.Len() {
		t.Fatalf("%+v, %v", stats, err)
	}
	if s.held > 0 {
		t.Errorf("%d of %d files were held on to", s.held, s.Len())
	}
}
