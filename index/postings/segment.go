package postings

import (
	"errors"
	"fmt"
	"strconv"

	"almanac/index/text"

	"github.com/blevesearch/bleve/v2/index/scorch"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A segment is an open index of Bleve.
type segment struct {
	index  bleveindex.Index
	reader bleveindex.IndexReader
	queue  *bleveindex.AnalysisQueue
}

// openSegment opens an index with a configuration of Bleve's.
func openSegment(config map[string]any) (*segment, error) {
	s := &segment{queue: bleveindex.NewAnalysisQueue(1)}
	ix, err := scorch.NewScorch(scorch.Name, config, s.queue)
	if err != nil {
		s.close()
		return nil, fmt.Errorf("start index: %w", err)
	}
	if err := ix.Open(); err != nil {
		s.close()
		return nil, fmt.Errorf("open index: %w", err)
	}
	s.index = ix
	return s, nil
}

// buildInMemory indexes documents in one batch, which makes one segment of them, and returns the
// mean lengths of their fields.
func buildInMemory(a *text.Analyzer, docs Documents) (*segment, [Fields]float64, error) {
	var sum lengths
	s, err := openSegment(map[string]any{"path": ""})
	if err != nil {
		return nil, sum.means(), err
	}
	batch := bleveindex.NewBatch()
	for doc := range analysed(a, docs, &sum) {
		batch.Update(doc)
	}
	if err := s.index.Batch(batch); err != nil {
		s.close()
		return nil, sum.means(), fmt.Errorf("index documents: %w", err)
	}
	return s, sum.means(), nil
}

// read opens the reader of everything indexed so far.
func (s *segment) read() (err error) {
	if s.reader, err = s.index.Reader(); err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	return nil
}

// ids returns the ids of n documents, which are numbers below n, by the numbers Bleve gave them.
func (s *segment) ids(n int) ([]uint32, error) {
	count, err := s.reader.DocCount()
	if err != nil {
		return nil, fmt.Errorf("count documents: %w", err)
	}
	if count != uint64(n) {
		return nil, fmt.Errorf("the index holds %d documents instead of %d", count, n)
	}
	ids := make([]uint32, n)
	for i := range ids {
		id, err := s.reader.ExternalID(bleveindex.NewIndexInternalID(nil, uint64(i)))
		if err != nil {
			return nil, fmt.Errorf("read the id of document %d: %w", i, err)
		}
		k, err := strconv.Atoi(id)
		if err != nil || k >= n {
			return nil, fmt.Errorf("document %d has the id %q, which is not a number below %d", i, id, n)
		}
		ids[i] = uint32(k)
	}
	return ids, nil
}

// bloom returns a filter of the terms of some fields.
func (s *segment) bloom(fields ...int) (*bloom, error) {
	terms := 0
	for _, f := range fields {
		n, err := s.eachTerm(f, func(string) {})
		if err != nil {
			return nil, err
		}
		terms += n
	}
	b := newBloom(terms)
	for _, f := range fields {
		if _, err := s.eachTerm(f, b.add); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// eachTerm calls do with every term of a field and returns their number.
func (s *segment) eachTerm(field int, do func(string)) (int, error) {
	dict, err := s.reader.FieldDict(fieldNames[field])
	if err != nil {
		return 0, fmt.Errorf("read dictionary: %w", err)
	}
	defer dict.Close()
	for n := 0; ; n++ {
		e, err := dict.Next()
		if err != nil {
			return 0, fmt.Errorf("read dictionary: %w", err)
		}
		if e == nil {
			return n, nil
		}
		do(e.Term)
	}
}

func (s *segment) close() error {
	var err error
	if s.reader != nil {
		err = s.reader.Close()
	}
	if s.index != nil {
		err = errors.Join(err, s.index.Close())
	}
	s.queue.Close()
	return err
}
