package server

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"almanac/server/servertest"
)

// A place is a temporary folder, and the path below it that is watched.
type place struct {
	t   *testing.T
	dir string
}

func (p place) at(path string) string { return filepath.Join(p.dir, path) }

func (p place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// write writes a file, with its folders, in place.
func (p place) write(path string) {
	p.t.Helper()
	p.must(os.MkdirAll(filepath.Dir(p.at(path)), 0o755))
	f, err := os.OpenFile(p.at(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	p.must(err)
	_, err = f.WriteString(time.Now().String())
	p.must(err)
	p.must(f.Close())
}

func (p place) rename(from, to string) { p.t.Helper(); p.must(os.Rename(p.at(from), p.at(to))) }
func (p place) remove(path string)     { p.t.Helper(); p.must(os.RemoveAll(p.at(path))) }
func (p place) link(target, path string) {
	p.t.Helper()
	p.must(os.Symlink(target, p.at(path)))
}

// relink switches a link in one step, as ln -sfn and deployments do.
func (p place) relink(target, path string) {
	p.t.Helper()
	p.link(target, path+".new")
	p.rename(path+".new", path)
}

// release writes a folder of data.
func (p place) release(path string) {
	p.t.Helper()
	p.write(path + "/library/iot/mqtt.json")
	p.write(path + "/tags.json")
}

// changes are the ways in which data are changed. Each gets a folder in which r1 and r2 are releases and data is watched, which setup
// makes of r1.
var changes = []struct {
	name   string
	root   string // data unless set
	setup  func(p place)
	change func(p place)
}{
	{name: "written in place", change: func(p place) { p.write("data/tags.json") }},
	{name: "renamed over", change: func(p place) { p.write("data/.tags.json.tmp"); p.rename("data/.tags.json.tmp", "data/tags.json") }},
	{name: "renamed over from elsewhere", change: func(p place) { p.write("tags.tmp"); p.rename("tags.tmp", "data/tags.json") }},
	{name: "moved to a backup, then written", change: func(p place) {
		p.rename("data/tags.json", "data/tags.json~")
		p.write("data/tags.json")
		p.remove("data/tags.json~")
	}},
	{name: "removed, then written", change: func(p place) { p.remove("data/tags.json"); p.write("data/tags.json") }},
	{name: "a file more", change: func(p place) { p.write("data/library/iot/coap.json") }},
	{name: "a file less", change: func(p place) { p.remove("data/library/iot/mqtt.json") }},
	{name: "a file renamed", change: func(p place) { p.rename("data/library/iot/mqtt.json", "data/library/iot/mqtt-5.json") }},
	{name: "a folder more", change: func(p place) { p.write("data/library/payments/bolt.json") }},
	{name: "a folder moved in", change: func(p place) { p.rename("r2/library/iot", "data/library/other") }},
	{name: "a folder less", change: func(p place) { p.remove("data/library") }},
	{name: "a folder replaced", change: func(p place) { p.rename("data/library", "old"); p.rename("r2/library", "data/library") }},
	{name: "the root replaced", change: func(p place) { p.rename("data", "old"); p.rename("r2", "data") }},
	{name: "the root removed and copied anew", change: func(p place) { p.remove("data"); p.release("data") }},
	{name: "the folder above replaced", root: "site/data", setup: func(p place) {
		p.release("site/data")
		p.release("next/data")
	}, change: func(p place) { p.rename("site", "old"); p.rename("next", "site") }},
	{name: "a link switched", setup: func(p place) { p.link("r1", "data") }, change: func(p place) { p.relink("r2", "data") }},
	{name: "a link removed and made anew", setup: func(p place) { p.link("r1", "data") }, change: func(p place) { p.remove("data"); p.link("r2", "data") }},
	{name: "a link on the way switched", root: "current/fixtures", setup: func(p place) {
		p.release("a/fixtures")
		p.release("b/fixtures")
		p.link(p.at("a"), "current")
	}, change: func(p place) { p.relink(p.at("b"), "current") }},
	{name: "a link behind a link switched", setup: func(p place) { p.link("r1", "stable"); p.link("stable", "data") },
		change: func(p place) { p.relink("r2", "stable") }},
	{name: "links of a mounted volume switched", setup: func(p place) { // as Kubernetes mounts a ConfigMap
		p.release("data/..1")
		p.link("..1", "data/..data")
		p.link("..data/tags.json", "data/tags.json")
		p.link("..data/library", "data/library")
	}, change: func(p place) { p.release("data/..2"); p.relink("..2", "data/..data"); p.remove("data/..1") }},
	{name: "the target of a file's link written", setup: func(p place) {
		p.release("data")
		p.write("shared/tags.json")
		p.remove("data/tags.json")
		p.link("../shared/tags.json", "data/tags.json")
	}, change: func(p place) { p.write("shared/tags.json") }},
}

// TestWatch: each way of changing data is noticed once, and what is changed afterwards, where the paths lead then, too.
func TestWatch(t *testing.T) {
	const settle = 150 * time.Millisecond
	for _, tt := range changes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := place{t, t.TempDir()}
			p.release("r1")
			p.release("r2")
			if tt.setup != nil {
				tt.setup(p)
			} else {
				p.release("data")
			}
			root := "data"
			if tt.root != "" {
				root = tt.root
			}
			changed, err := watchFiles(t.Context(), p.at(root), settle, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			tt.change(p)
			notice(t, changed, "the change")
			p.write("unrelated.json")
			select {
			case <-changed:
				t.Error("noticed twice, or a file beside the data was noticed")
			case <-time.After(3 * settle):
			}
			p.write(root + "/later.json")
			notice(t, changed, "a file written afterwards")
		})
	}
}

func notice(t *testing.T, changed <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(servertest.Patience):
		t.Fatalf("%s was not noticed", what)
	}
}

// A folder that is not there is refused at once.
func TestWatchNothing(t *testing.T) {
	if _, err := watchFiles(t.Context(), filepath.Join(t.TempDir(), "nowhere"), settleTime, slog.New(slog.DiscardHandler)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
