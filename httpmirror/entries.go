package httpmirror

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/markdown"
	"almanac/wirejson"
)

// An entryEncoder encodes the documents that hold entries: that of each entry, each category and each tag. They hold an
// entry half a dozen times, and encoding is most of the work of an export, so each entry is encoded once.
type entryEncoder struct {
	cat *catalog.Catalog

	mu      sync.Mutex
	encoded map[*catalog.Entry][]byte // without indentation before them or a newline behind them
	alone   frame                     // of the document of one entry; the documents differ in the entry and the timestamp
	stamp   int                       // where the timestamp begins in it; all have one length
}

// release frees the encoded entries.
func (x *entryEncoder) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.encoded = nil
}

// one writes the document of an entry.
func (x *entryEncoder) one(w *markdown.Writer, e *catalog.Entry) error {
	encoded, err := x.entries()
	if err != nil {
		return err
	}
	body := x.alone.one(w.AvailableBuffer(), encoded[e])
	copy(body[x.stamp:], x.cat.Timestamp(x.cat.EntryDay(e)))
	w.Write(body)
	return nil
}

// list writes a document that ends in a list of entries. Its own list must be empty.
func (x *entryEncoder) list(w *markdown.Writer, doc any, entries []*catalog.Entry) error {
	encoded, err := x.entries()
	if err != nil {
		return err
	}
	f, err := frameOf(doc, "[]")
	if err != nil {
		return err
	}
	w.Grow(f.size(entries, encoded))
	w.Write(f.list(w.AvailableBuffer(), entries, encoded))
	return nil
}

// entries returns the encoded entries.
func (x *entryEncoder) entries() (map[*catalog.Entry][]byte, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.encoded != nil {
		return x.encoded, nil
	}
	encoded, err := encodeEntries(x.cat.Entries())
	if err != nil {
		return nil, err
	}
	doc := x.cat.EntryDocument(&catalog.Entry{})
	doc.Entry = nil
	if x.alone, err = frameOf(doc, "null"); err != nil {
		return nil, err
	}
	x.stamp = bytes.Index(x.alone, []byte(doc.GeneratedAt))
	x.encoded = encoded
	return encoded, nil
}

func encodeEntries(entries []*catalog.Entry) (map[*catalog.Entry][]byte, error) {
	bodies := make([][]byte, len(entries))
	err := file.Parallel(len(entries), func(i int) error {
		body, err := wirejson.Indent(entries[i])
		bodies[i] = bytes.TrimSuffix(body, []byte("\n"))
		return err
	})
	if err != nil {
		return nil, err
	}
	encoded := make(map[*catalog.Entry][]byte, len(entries))
	for i, e := range entries {
		encoded[e] = bodies[i]
	}
	return encoded, nil
}

// A frame is an encoded document up to the value of its last member.
type frame []byte

// frameOf encodes a document whose last member has the value hole.
func frameOf(doc any, hole string) (frame, error) {
	body, err := wirejson.Indent(doc)
	if err != nil {
		return nil, err
	}
	f, ok := bytes.CutSuffix(body, []byte(hole+"\n}\n"))
	if !ok {
		return nil, fmt.Errorf("the last member of %T is not %s", doc, hole)
	}
	return f, nil
}

// one appends the document with a value to body.
func (f frame) one(body, value []byte) []byte {
	body = appendNested(append(body, f...), value, "\n  ")
	return append(body, "\n}\n"...)
}

// size returns about how long the document with a list of entries is.
func (f frame) size(entries []*catalog.Entry, encoded map[*catalog.Entry][]byte) int {
	size := len(f) + len("[]\n}\n")
	for _, e := range entries {
		size += len(encoded[e]) * 5 / 4 // the indentation takes about a fifth
	}
	return size
}

// list appends the document with a list of entries to body.
func (f frame) list(body []byte, entries []*catalog.Entry, encoded map[*catalog.Entry][]byte) []byte {
	body = append(append(slices.Grow(body, f.size(entries, encoded)), f...), '[')
	for i, e := range entries {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendNested(append(body, "\n    "...), encoded[e], "\n    ")
	}
	if len(entries) > 0 {
		body = append(body, "\n  "...)
	}
	return append(body, "]\n}\n"...)
}

// appendNested appends an encoded value with indent, a newline and spaces, for each of its newlines. JSON has none within
// strings.
func appendNested(dst, value []byte, indent string) []byte {
	for {
		end := bytes.IndexByte(value, '\n')
		if end < 0 {
			return append(dst, value...)
		}
		dst = append(append(dst, value[:end]...), indent...)
		value = value[end+1:]
	}
}
