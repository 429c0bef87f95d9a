package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long files must rest before they are read: an editor or a checkout writes many.
const settleTime = 300 * time.Millisecond

// A watcher notices when the files below a folder change, however they are replaced: written in place or renamed over,
// with folders, or by switching a symbolic link anywhere on the path to them.
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
			// Paths may lead to other folders now. They are watched anew before the data are read, so that no change
			// falls between.
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

// renew resolves the paths anew and watches their targets. When it fails, the old watches stay.
func (w *watcher) renew() error {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	watched, missing := findPaths(w.root)
	for dir, names := range watched {
		if err := events.Add(dir); err != nil && names == nil {
			// A folder of the data that vanishes now has an event in the folder above it. One on the way to them may be
			// unreadable.
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

// watchedPaths are folders to watch, each with the names of interest in it. Nil names mean everything.
type watchedPaths map[string]map[string]bool

// findPaths returns every folder whose change can change the data below root: the folders of the data, and the parent
// folder of each name and each symbolic link on the path to them. The error names a missing path; all others are
// returned with it.
func findPaths(root string) (watchedPaths, error) {
	p := make(watchedPaths)
	abs, err := filepath.Abs(root)
	if err != nil {
		return p, err
	}
	dir, err := p.addWay(abs, 0)
	if err != nil {
		return p, err
	}
	return p, p.addTree(dir)
}

// maxLinks is how many symbolic links may follow one another, as on Linux (path_resolution(7)).
const maxLinks = 40

// addWay adds the folders on the way to an absolute path, and returns the path without symbolic links.
func (p watchedPaths) addWay(path string, links int) (string, error) {
	if links > maxLinks {
		return "", fmt.Errorf("%s: too many symbolic links", path)
	}
	dir := string(filepath.Separator)
	names := strings.Split(strings.Trim(path, dir), dir)
	for i, name := range names {
		p.addName(dir, name)
		full := filepath.Join(dir, name)
		info, err := os.Lstat(full)
		if err != nil {
			return "", err
		}
		if info.Mode()&os.ModeSymlink == 0 {
			dir = full
			continue
		}
		target, err := os.Readlink(full)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		return p.addWay(filepath.Join(append([]string{target}, names[i+1:]...)...), links+1)
	}
	return dir, nil
}

func (p watchedPaths) addName(dir, name string) {
	names, ok := p[dir]
	switch {
	case !ok:
		p[dir] = map[string]bool{name: true}
	case names != nil:
		names[name] = true
	}
}

// addTree adds a folder without symbolic links on its path, and the folders below it, through symbolic links too.
func (p watchedPaths) addTree(dir string) error {
	if names, ok := p[dir]; ok && names == nil {
		return nil // a link leads back
	}
	p[dir] = nil
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var missing error
	for _, e := range entries {
		full := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			missing = errors.Join(missing, p.addTree(full))
		case e.Type()&os.ModeSymlink != 0:
			missing = errors.Join(missing, p.addLink(full))
		}
	}
	return missing
}

// addLink adds the target of a symbolic link among the data.
func (p watchedPaths) addLink(path string) error {
	target, err := p.addWay(path, 0)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil || !info.IsDir() {
		return err
	}
	return p.addTree(target)
}
