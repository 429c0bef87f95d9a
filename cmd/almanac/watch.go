package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long files must rest before they are read: an editor or a checkout writes many.
const settle = 300 * time.Millisecond

// watchFiles tells when files below -fixtures have changed and rest. Without -watch the channel
// stays silent.
func (s *server) watchFiles(ctx context.Context) (<-chan struct{}, error) {
	if !s.cfg.watch {
		return nil, nil
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("-watch: %w", err)
	}
	if err := addTree(w, s.cfg.fixtures); err != nil {
		w.Close()
		return nil, fmt.Errorf("-watch: %w", err)
	}
	changed := make(chan struct{})
	go s.watchLoop(ctx, w, changed)
	return changed, nil
}

func (s *server) watchLoop(ctx context.Context, w *fsnotify.Watcher, changed chan<- struct{}) {
	defer w.Close()
	rest := time.NewTimer(time.Hour)
	rest.Stop()
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
			rest.Reset(settle)
		case err := <-w.Errors:
			s.log.Warn("-watch missed changes; reloading", "err", err)
			rest.Reset(settle)
		case <-rest.C:
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
