package server

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long files must rest before they are read: an editor or a checkout writes many.
const settleTime = 300 * time.Millisecond

// watchFiles returns a channel that receives when files below dir have changed and are at rest.
func watchFiles(ctx context.Context, dir string, log *slog.Logger) (<-chan struct{}, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch the curated files: %w", err)
	}
	if err := addTree(w, dir); err != nil {
		w.Close()
		return nil, fmt.Errorf("watch the curated files: %w", err)
	}
	changed := make(chan struct{})
	go watchLoop(ctx, w, changed, log)
	return changed, nil
}

func watchLoop(ctx context.Context, w *fsnotify.Watcher, changed chan<- struct{}, log *slog.Logger) {
	defer w.Close()
	settled := time.NewTimer(time.Hour)
	settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-w.Events:
			if event.Has(fsnotify.Create) {
				// A new folder is watched with what it holds; a new file needs nothing, and what
				// vanished meanwhile has its own event.
				_ = addTree(w, event.Name)
			}
			settled.Reset(settleTime)
		case err := <-w.Errors:
			log.Warn("changes of the curated files were missed; reloading", "err", err)
			settled.Reset(settleTime)
		case <-settled.C:
			select {
			case changed <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}
}

// addTree watches root and every folder below it.
func addTree(w *fsnotify.Watcher, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return w.Add(path)
	})
}
