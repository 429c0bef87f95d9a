package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// watchedPaths are folders to watch, each with the names of interest in it. Nil names mean everything.
type watchedPaths map[string]map[string]bool

// findPaths returns everything whose change can change what is read below root: the folders of the data, and, for each name and each
// symbolic link on the way to them, the folder that holds it. The error says what is missing now; what is there is returned all the same.
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

// addLink adds what a symbolic link among the data leads to.
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
