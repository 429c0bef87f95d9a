package server

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long files must rest before they are read: an editor or a checkout writes many.
const settleTime = 300 * time.Millisecond

// A watcher notices when the files below a folder change, however they are replaced: written in place or renamed over, with folders, or
// by switching a symbolic link anywhere on the path to them.
type watcher struct {
	root    string
	settle  time.Duration
	log     *slog.Logger
	changed chan struct{}

	events  *fsnotify.Watcher
	watched watchedPaths
}

// watchFiles returns a channel that receives when files below root have changed and are at rest.
func watchFiles(ctx context.Context, root string, settle time.Duration, log *slog.Logger) (<-chan struct{}, error) {
	w := &watcher{root: root, settle: settle, log: log, changed: make(chan struct{})}
	if err := w.renew(); err != nil {
		return nil, fmt.Errorf("watch the curated files: %w", err)
	}
	go w.run(ctx)
	return w.changed, nil
}

func (w *watcher) run(ctx context.Context) {
	defer func() { w.events.Close() }()
	settled := time.NewTimer(w.settle)
	settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-w.events.Events:
			if w.watched.concerns(event.Name) {
				settled.Reset(w.settle)
			}
		case err := <-w.events.Errors:
			w.log.Warn("changes of the curated files were missed; reloading", "err", err)
			settled.Reset(w.settle)
		case <-settled.C:
			// Paths may lead to other folders now. They are watched anew before the data are read, so that no change falls between.
			if err := w.renew(); err != nil {
				w.log.Warn("the curated files cannot be watched completely", "err", err)
			}
			select {
			case w.changed <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}
}

// renew watches what the paths lead to now. When it fails, the watches there are stay.
func (w *watcher) renew() error {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	watched, missing := findPaths(w.root)
	for dir, names := range watched {
		if err := events.Add(dir); err != nil && names == nil {
			// A folder of the data that vanishes now has an event in the folder above it. One on the way to them may be unreadable.
			w.log.Debug("watch a folder", "dir", dir, "err", err)
		}
	}
	if missing != nil && w.events == nil {
		events.Close()
		return missing
	}
	if w.events != nil {
		w.events.Close()
	}
	w.events, w.watched = events, watched
	return missing
}

// concerns reports whether an event at path can change the data.
func (p watchedPaths) concerns(path string) bool {
	if _, ok := p[path]; ok {
		return true // a watched folder itself was moved or removed
	}
	names, ok := p[filepath.Dir(path)]
	return ok && (names == nil || names[filepath.Base(path)])
}
