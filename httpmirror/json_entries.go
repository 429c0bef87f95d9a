package httpmirror

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// An entryList is a document whose last member is a list of entries.
type entryList struct {
	path    string
	frame   any // the document with an empty list
	entries []*catalog.Entry
}

// entryDocuments adds the documents that hold entries: that of each entry, each category and each
// tag. They show an entry half a dozen times, so it is encoded once and set into each of them.
func (b *builder) entryDocuments() error {
	entries := b.cat.Entries()
	encoded, err := b.encodeEntries(entries)
	if err != nil {
		return err
	}
	bodies := sync.Pool{New: func() any { return new([]byte) }}
	add := func(path string, write func(body []byte) []byte) error {
		body := bodies.Get().(*[]byte)
		defer bodies.Put(body)
		*body = write((*body)[:0])
		return b.add(path, file.JSON, *body)
	}
	lists := b.entryLists()
	err = file.Parallel(len(lists), func(i int) error {
		l := lists[i]
		frame, err := frameOf(l.frame, "[]")
		if err != nil {
			return fmt.Errorf("%s: %w", l.path, err)
		}
		return add(l.path, func(body []byte) []byte { return frame.list(body, l.entries, encoded) })
	})
	if err != nil {
		return err
	}
	frame, err := frameOf(b.cat.EntryDocument(nil), "null") // documents of entries differ in the entry only
	if err != nil {
		return fmt.Errorf("the document of an entry: %w", err)
	}
	return file.Parallel(len(entries), func(i int) error {
		return add(catalog.EntryJSONPath(entries[i].ID), func(body []byte) []byte { return frame.one(body, encoded[entries[i]]) })
	})
}

// entryLists gives the list of each category and of each tag.
func (b *builder) entryLists() []entryList {
	var lists []entryList
	for _, k := range b.cat.Categories() {
		doc, _ := b.cat.CategoryList(k.ID)
		frame := *doc
		frame.Entries = []*catalog.Entry{}
		lists = append(lists, entryList{catalog.CategoryJSONPath(k.ID), &frame, doc.Entries})
	}
	for _, t := range b.cat.Tags() {
		doc, _ := b.cat.TagList(t.ID)
		frame := *doc
		frame.Entries = []*catalog.Entry{}
		lists = append(lists, entryList{catalog.TagJSONPath(t.ID), &frame, doc.Entries})
	}
	return lists
}

// encodeEntries gives the JSON of each entry, without indentation before it or newline after it.
func (b *builder) encodeEntries(entries []*catalog.Entry) (map[*catalog.Entry][]byte, error) {
	bodies := make([][]byte, len(entries))
	err := file.Parallel(len(entries), func(i int) error {
		body, err := encodeJSON(entries[i])
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

// A frame is an encoded document up to its last member's value, which is left out.
type frame []byte

// frameOf encodes a document whose last member has the value hole.
func frameOf(doc any, hole string) (frame, error) {
	body, err := encodeJSON(doc)
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

// list appends the document with a list of entries to body.
func (f frame) list(body []byte, entries []*catalog.Entry, encoded map[*catalog.Entry][]byte) []byte {
	size := len(f)
	for _, e := range entries {
		size += len(encoded[e]) * 5 / 4 // the indentation takes about a fifth
	}
	body = append(append(slices.Grow(body, size), f...), '[')
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

// appendNested appends an encoded value, each line after its first behind indent, a newline and
// spaces. JSON has no newline within a string.
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
