package postings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/index/text"

	bleveindex "github.com/blevesearch/bleve_index_api"
	"github.com/google/go-cmp/cmp"
)

// someTexts are documents that take several segments.
func someTexts() texts {
	docs := make(texts, 2*minSegment+100)
	for i := range docs {
		docs[i] = fmt.Sprintf("the fox number %d of BOLT %d, don't key-send", i, i%30)
	}
	docs[7] = "!" + docs[7]
	return docs
}

// streamed returns documents as they are streamed.
func streamed(t *testing.T, docs Documents) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeDocuments(&b, docs); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// filesOf returns the contents of the files below a directory by name.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(dir, path)
		files[name] = string(data)
	}
	return files
}

// postingsOf returns every term of every segment of a store with its postings.
func postingsOf(t *testing.T, s *Store) (list []string) {
	t.Helper()
	for i, seg := range s.built.segments {
		for group := range groups + 1 {
			var terms []string
			if err := seg.eachTerm(group, func(e *bleveindex.DictEntry) { terms = append(terms, e.Term) }); err != nil {
				t.Fatal(err)
			}
			for _, term := range terms {
				var c cursor
				line := fmt.Sprintf("%d %d %s:", i, group, term)
				for err := c.open(seg, term, group); c.doc != endOfPostings || err != nil; err = c.next() {
					if err != nil {
						t.Fatal(err)
					}
					line += fmt.Sprintf(" %d×%d", c.doc, c.posting.Frequency())
				}
				list = append(list, line)
			}
		}
	}
	return list
}

// TestStreamedBuild: an index that is built of streamed documents is that of the documents themselves: the files are equal, except that Bleve
// writes the sections of a segment in any order, and the segments have the same postings.
func TestStreamedBuild(t *testing.T) {
	docs, room := someTexts(), Room{Lists: 1 << 20, Placed: 1}
	files, postings := make(map[string]map[string]string), make(map[string][]string)
	for name, build := range map[string]BuildFunc{
		"here":     nil,
		"unable":   func(string, func(io.Writer) error) error { return fmt.Errorf("no process: %w", ErrBuildHere) },
		"streamed": func(dir string, write func(io.Writer) error) error { return BuildStreamed(dir, piped(write)) },
	} {
		a, err := text.NewAnalyzer()
		if err != nil {
			t.Fatal(err)
		}
		disk := Disk{Dir: t.TempDir(), Build: build}
		s, err := Open(a, docs, disk, room)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		files[name], postings[name] = filesOf(t, disk.Dir), postingsOf(t, s)
		s.Close()
	}
	if n, terms := len(files["here"]), len(postings["here"]); n != 6 || terms < len(docs) { // three segments, words, lengths, layout
		t.Errorf("%d files, want 6; %d terms", n, terms)
	}
	for _, name := range []string{"unable", "streamed"} {
		if diff := cmp.Diff(postings["here"], postings[name]); diff != "" {
			t.Errorf("%s: the postings differ: %s", name, diff)
		}
		for file, want := range files["here"] {
			got := files[name][file]
			if len(got) != len(want) || got != want && filepath.Ext(file) != ".zap" {
				t.Errorf("%s: %s differs, %d bytes of %d", name, file, len(got), len(want))
			}
		}
	}
}

// piped returns what a function writes.
func piped(write func(io.Writer) error) io.Reader {
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w)) }()
	return r
}

// TestBrokenStreams: of a stream with one thing broken no index is built, and nothing is left behind.
func TestBrokenStreams(t *testing.T) {
	whole := streamed(t, someTexts())
	header := len(streamHeader)
	tests := map[string]struct {
		stream []byte
		want   string
	}{
		"nothing":                {nil, "not a stream of documents"},
		"something else":         {[]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "not a stream of documents"},
		"another form":           {append([]byte(strings.Replace(streamHeader, "1", "2", 1)), whole[header:]...), "not a stream of documents"},
		"more than there may be": {append([]byte(streamHeader), "\xff\xff\xff\xff\x7f"...), "the most that is allowed"},
		"a number without end":   {append([]byte(streamHeader), bytes.Repeat([]byte{0xff}, 11)...), "overflow"},
		"a text without end":     {append([]byte(streamHeader), "\x01\xff\xff\xff\xff\x7f"...), "the most that is allowed"},
		"more after the last":    {append(bytes.Clone(whole), 0), "something follows the last"},
	}
	for _, n := range []int{header, header + 1, header + 2, header + 70, len(whole) / 2, len(whole) - 1} {
		tests[fmt.Sprintf("the first %d bytes", n)] = struct {
			stream []byte
			want   string
		}{whole[:n], "unexpected EOF"}
	}
	for name, tt := range tests {
		dir := t.TempDir()
		err := BuildStreamed(filepath.Join(dir, "index"), bytes.NewReader(tt.stream))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left, %v", name, left, err)
		}
	}
	if err := BuildStreamed(filepath.Join(t.TempDir(), "index"), bytes.NewReader(whole)); err != nil {
		t.Errorf("the whole stream: %v", err)
	}
}

// TestFailedBuild: when documents cannot be built elsewhere, there is no store, the reason is returned, what was begun is removed, and the
// next attempt can succeed.
func TestFailedBuild(t *testing.T) {
	a, err := text.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	docs, room := texts{"a fox"}, Room{Lists: 1 << 20, Placed: 1}
	broken, reader := errors.New("broken"), errors.New("the reader has gone")
	disk := Disk{Dir: t.TempDir(), Build: func(dir string, write func(io.Writer) error) error {
		if err := os.MkdirAll(filepath.Join(filepath.Dir(dir), "building-1"), 0o700); err != nil {
			t.Error(err)
		}
		if err := write(failing{reader}); !errors.Is(err, reader) {
			t.Errorf("a write that fails: %v", err)
		}
		return broken
	}}
	if _, err := Open(a, docs, disk, room); !errors.Is(err, broken) {
		t.Errorf("a build that fails: %v", err)
	}
	if left, err := os.ReadDir(disk.Dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	disk.Build = nil
	s, err := Open(a, docs, disk, room)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
