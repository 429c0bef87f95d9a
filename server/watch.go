package server

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// settleTime is how long files must be unchanged before they are read: an editor or a checkout writes many.
const settleTime = 500 * time.Millisecond

// watchFiles returns a channel that receives when files below root have changed, and were unchanged for settle since.
// It looks at all of them at that interval, so that it notices every way of replacing them, on every kind of volume:
// files written in place or renamed over, folders, and symbolic links anywhere on the path.
func watchFiles(ctx context.Context, root string, settle time.Duration) (<-chan struct{}, error) {
	if _, err := os.Stat(root); err != nil {
		return nil, fmt.Errorf("watch the curated files: %w", err)
	}
	reported, changed := fingerprint(root), make(chan struct{})
	last := reported
	go every(ctx, settle, func(ctx context.Context) {
		now := fingerprint(root)
		if now != reported && now == last {
			select {
			case changed <- struct{}{}:
				reported = now
			case <-ctx.Done():
			}
		}
		last = now
	})
	return changed, nil
}

// fingerprint returns a hash of the names, sizes, times and inodes of all files below root, through symbolic links too.
// Dot files are not among the data, and a path that cannot be followed counts as such.
func fingerprint(root string) uint64 {
	h := fnv.New64a()
	above := make(map[[2]uint64]bool) // devices and inodes of folders; a link may lead back
	var visit func(path string)
	visit = func(path string) {
		info, err := os.Stat(path)
		if err != nil {
			fmt.Fprintln(h, path, err)
			return
		}
		var inode [2]uint64
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			inode = [2]uint64{uint64(s.Dev), s.Ino}
		}
		if !info.IsDir() {
			fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano(), inode)
			return
		}
		fmt.Fprintln(h, path)
		entries, err := os.ReadDir(path)
		if err != nil || above[inode] {
			fmt.Fprintln(h, err)
			return
		}
		above[inode] = true
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") {
				visit(filepath.Join(path, e.Name()))
			}
		}
		delete(above, inode)
	}
	visit(root)
	return h.Sum64()
}
