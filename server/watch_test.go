package server

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.almanac.example/server/servertest"
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

// release writes a folder of data, of another day: a change at the same moment and of the same size cannot be told.
func (p place) release(path string) {
	p.t.Helper()
	p.writeOld(path + "/library/iot/mqtt.json")
	p.writeOld(path + "/tags.json")
}

func (p place) writeOld(path string) {
	p.t.Helper()
	p.write(path)
	p.must(os.Chtimes(p.at(path), time.Time{}, time.Now().AddDate(0, 0, -1)))
}

// A change is a way in which data are changed.
type change struct {
	name   string
	root   string // data unless set
	setup  func(p place)
	change func(p place)
}

// changes are the ways in which data are changed. Each gets a folder in which r1 and r2 are releases and data is
// watched, which setup makes of r1.
var changes = []change{
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
	{name: "the root removed and copied again", change: func(p place) { p.remove("data"); p.release("data") }},
	{name: "the folder above replaced", root: "site/data", setup: func(p place) {
		p.release("site/data")
		p.release("next/data")
	}, change: func(p place) { p.rename("site", "old"); p.rename("next", "site") }},
	{name: "a link switched", setup: func(p place) { p.link("r1", "data") }, change: func(p place) { p.relink("r2", "data") }},
	{name: "a link removed and made again", setup: func(p place) { p.link("r1", "data") }, change: func(p place) { p.remove("data"); p.link("r2", "data") }},
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
		p.writeOld("shared/tags.json")
		p.remove("data/tags.json")
		p.link("../shared/tags.json", "data/tags.json")
	}, change: func(p place) { p.write("shared/tags.json") }},
}

// TestWatch: each way of changing data is noticed once, and what is changed afterwards, where the paths lead then, too.
func TestWatch(t *testing.T) {
	t.Parallel()
	for todo := changes; len(todo) > 0; {
		todo = watched(t, todo) // again, if the machine was too busy to make them
	}
}

// A watchedPlace is a place with the notices of its changes.
type watchedPlace struct {
	change
	place
	changed <-chan struct{}
}

// watched makes changes at places of their own, all at the same time because each waits for the files to rest, and
// holds them to TestWatch. It returns those that took so long that they may be noticed twice.
func watched(t *testing.T, list []change) (slow []change) {
	t.Helper()
	const settle = 300 * time.Millisecond
	var places []watchedPlace
	for _, c := range list {
		w := watchedPlace{c, place{t, t.TempDir()}, nil}
		w.start(settle)
		start := time.Now()
		c.change(w.place)
		if time.Since(start) > settle/2 {
			slow = append(slow, c)
		} else {
			places = append(places, w)
		}
	}
	for _, w := range places {
		notice(t, w.changed, w.name)
		w.write("unrelated.json")
	}
	<-time.After(3 * settle) // so that a second notice would come meanwhile
	for _, w := range places {
		select {
		case <-w.changed:
			t.Errorf("%s: noticed twice, or a file beside the data was noticed", w.name)
		default:
		}
		w.write(w.root + "/later.json")
	}
	for _, w := range places {
		t.Run(w.name, func(t *testing.T) { notice(t, w.changed, "a file written afterwards") })
	}
	return slow
}

// start makes what is changed later, and watches it until the test ends.
func (w *watchedPlace) start(settle time.Duration) {
	w.t.Helper()
	w.release("r1")
	w.release("r2")
	if w.setup != nil {
		w.setup(w.place)
	} else {
		w.release("data")
	}
	if w.root == "" {
		w.root = "data"
	}
	changed, err := watchFiles(w.t.Context(), w.at(w.root), settle)
	w.must(err)
	w.changed = changed
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
	if _, err := watchFiles(t.Context(), filepath.Join(t.TempDir(), "nowhere"), settleTime); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
