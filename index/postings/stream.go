package postings

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The form in which documents are streamed: a line that says what follows, the number of documents and their hash, and then the texts of
// the fields of each. A text follows its length; numbers and lengths are varints (package encoding/binary).
const (
	streamHeader   = "almanac documents 1\n"
	mostDocuments  = 1 << 24
	longestText    = 64 << 20 // bytes
	streamedBuffer = 64 << 10
)

// writeDocuments writes documents for BuildStreamed.
func writeDocuments(to io.Writer, docs Documents) error {
	w := bufio.NewWriterSize(to, streamedBuffer) // each write has the error of any before it
	var room []byte
	number := func(n int) {
		room = binary.AppendUvarint(room[:0], uint64(n))
		w.Write(room)
	}
	text := func(s string) error {
		number(len(s))
		_, err := w.WriteString(s)
		return err
	}
	w.WriteString(streamHeader)
	number(docs.Len())
	text(docs.Hash())
	for i := range docs.Len() {
		for _, s := range docs.Texts(i) {
			if err := text(s); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// A stream is documents that are read when they are asked for.
type stream struct {
	r    *bufio.Reader
	docs int
	hash string
	room []byte
}

// newStream reads what precedes the documents.
func newStream(documents io.Reader) (*stream, error) {
	s := &stream{r: bufio.NewReaderSize(documents, streamedBuffer)}
	header := make([]byte, len(streamHeader))
	if _, err := io.ReadFull(s.r, header); err != nil || string(header) != streamHeader {
		return nil, errors.New("the input is not a stream of documents: let almanac serve start this command")
	}
	var err error
	if s.docs, err = s.number(mostDocuments); err != nil {
		return nil, err
	}
	if s.hash, err = s.text(); err != nil {
		return nil, err
	}
	return s, nil
}

// Len implements batches.
func (s *stream) Len() int { return s.docs }

// Hash implements batches.
func (s *stream) Hash() string { return s.hash }

// streamed implements batches.
func (s *stream) streamed() bool { return true }

// batch implements batches.
func (s *stream) batch(from, to int) (func(i int) [Fields]string, error) {
	texts := make([][Fields]string, to-from)
	for i := range texts {
		for f := range texts[i] {
			var err error
			if texts[i][f], err = s.text(); err != nil {
				return nil, fmt.Errorf("read document %d of %d: %w", from+i+1, s.docs, err)
			}
		}
	}
	if to == s.docs {
		if _, err := s.r.ReadByte(); err != io.EOF {
			return nil, errors.New("read documents: something follows the last")
		}
	}
	return func(i int) [Fields]string { return texts[i-from] }, nil
}

// text reads a text.
func (s *stream) text() (string, error) {
	n, err := s.number(longestText)
	if err != nil {
		return "", err
	}
	if cap(s.room) < n {
		s.room = make([]byte, n)
	}
	if _, err := io.ReadFull(s.r, s.room[:n]); err != nil {
		return "", unexpectedEnd(err)
	}
	return string(s.room[:n]), nil
}

// number reads a number.
func (s *stream) number(most uint64) (int, error) {
	n, err := binary.ReadUvarint(s.r)
	if err != nil {
		return 0, unexpectedEnd(err)
	}
	if n > most {
		return 0, fmt.Errorf("%d is more than %d, the most that is allowed", n, most)
	}
	return int(n), nil
}

// unexpectedEnd returns the error of a read where a stream must not end.
func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
