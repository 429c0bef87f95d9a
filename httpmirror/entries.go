package httpmirror

import (
	"bytes"
	"fmt"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/markdown"
	"almanac/wirejson"
)

// An entryEncoder encodes the documents that hold entries: that of each entry, each category and each tag. They hold an
// entry half a dozen times, and encoding is most of the work of an export, so what was encoded is kept while it fits.
type entryEncoder struct {
	cat     *catalog.Catalog
	encoded *file.Memo            // without indentation before them or a newline behind them
	alone   func() (frame, error) // of the document of one entry; the documents differ in the entry and the timestamp
}

func newEntryEncoder(c *catalog.Catalog, encoded *file.Memo) *entryEncoder {
	return &entryEncoder{cat: c, encoded: encoded, alone: sync.OnceValues(func() (frame, error) {
		doc := c.EntryDocument(&catalog.Entry{})
		doc.Entry, doc.GeneratedAt = nil, timestamp
		return frameOf(doc, "null")
	})}
}

// timestamp stands for the timestamp of a document. All have one length.
const timestamp = "0000-00-00T00:00:00Z"

// encode returns an entry as it stands in documents.
func (x *entryEncoder) encode(e *catalog.Entry) ([]byte, error) {
	return x.encoded.Of(e, func() ([]byte, error) { return encodeElement(e) })
}

// one writes the document of an entry.
func (x *entryEncoder) one(w *markdown.Writer, e *catalog.Entry) error {
	encoded, err := x.encode(e)
	if err != nil {
		return err
	}
	alone, err := x.alone()
	if err != nil {
		return err
	}
	body := alone.one(w.AvailableBuffer(), encoded)
	copy(body[bytes.Index(body, []byte(timestamp)):], x.cat.Timestamp(x.cat.EntryDay(e)))
	w.Write(body)
	return nil
}

// list writes a document that ends in a list of entries. Its own list must be empty.
func (x *entryEncoder) list(w *markdown.Writer, doc any, entries []*catalog.Entry) error {
	return writeList(w, doc, len(entries), func(i int) ([]byte, error) { return x.encode(entries[i]) })
}

// encodeElement returns a value as it stands in a list of a document: without the newline at its end.
func encodeElement(v any) ([]byte, error) {
	body, err := wirejson.Indent(v)
	return bytes.TrimSuffix(body, []byte("\n")), err
}

// writeList writes a document that ends in a list of n elements. Its own list must be empty.
func writeList(w *markdown.Writer, doc any, n int, element func(i int) ([]byte, error)) error {
	f, err := frameOf(doc, "[]")
	if err != nil {
		return err
	}
	w.Write(f)
	w.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		value, err := element(i)
		if err != nil {
			return err
		}
		w.Grow(len(value)*5/4 + elementRoom) // the indentation takes about a fifth
		w.Write(appendNested(append(w.AvailableBuffer(), "\n    "...), value, "\n    "))
		w.Flush()
	}
	if n > 0 {
		w.WriteString("\n  ")
	}
	w.WriteString("]\n}\n")
	return nil
}

// elementRoom is what an element of a list takes besides its encoding.
const elementRoom = 64

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
