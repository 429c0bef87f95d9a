package export

import (
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
	"weak"

	"go.almanac.example/httpmirror/file"
)

// An export retains no file that it has written or found unchanged, so that it takes no more memory for more files.
func TestExportHoldsNoFiles(t *testing.T) {
	const files = 20
	retained := 0
	render := func(put func(*file.File) error) error {
		for n := range files {
			f := file.New("/files/"+strconv.Itoa(n)+".txt", file.Text, make([]byte, 1<<16))
			passed := weak.Make(f)
			if err := put(f); err != nil {
				return err
			}
			f = nil
			if runtime.GC(); passed.Value() != nil {
				retained++
			}
		}
		return nil
	}
	dir := filepath.Join(t.TempDir(), "site")
	stats, err := Write(t.Context(), dir, time.Time{}, []string{"gzip"}, render)
	if err != nil || stats.Files != files {
		t.Fatalf("%+v, %v", stats, err)
	}
	if retained > 0 {
		t.Errorf("%d of %d files were retained", retained, files)
	}
}
