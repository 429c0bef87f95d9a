package postings

import (
	"fmt"
	"math"

	"github.com/RoaringBitmap/roaring/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"
	segmentapi "github.com/blevesearch/scorch_segment_api/v2"
	zapx "github.com/blevesearch/zapx/v17"
)

// zap is the format of Bleve's segments. Of Bleve, this package uses the segments: dictionaries as
// finite-state transducers, and compressed postings with frequencies, lengths and positions, in memory
// or mapped from a file. It does not use the index above them (Scorch), because documents never change
// here and are numbered in the order in which they are ranked.
var zap zapx.ZapPlugin

func init() {
	// A segment gets the memory that the one before took, and a little more, so that its buffer need
	// not double for the last few documents.
	zapx.NewSegmentBufferAvgBytesPerDocFactor = 1.1
}

// None is the number of a document that there is not.
const None = math.MaxUint32

// A segment is some of the documents of a store, in the order of their numbers.
type segment struct {
	segmentapi.Segment
	base    uint32          // number of its first document
	numbers []uint32        // of each document, None if the store does not have it; nil: consecutive numbers
	gone    *roaring.Bitmap // the documents without a number; nil: none
}

// number returns the number of a document of the segment, or None.
func (s *segment) number(doc uint32) uint32 {
	if s.numbers == nil {
		return s.base + doc
	}
	return s.numbers[doc]
}

// A cursor walks the documents that have a term in one group of fields of a segment.
type cursor struct {
	postings segmentapi.PostingsList
	iterator segmentapi.PostingsIterator
	posting  segmentapi.Posting
	doc      uint32 // within the segment; endOfPostings after the last
}

const endOfPostings = math.MaxUint32

// open moves the cursor to the first document of a term, using its memory again.
func (c *cursor) open(s *segment, term string, group int) error {
	dict, err := s.Dictionary(groupNames[group])
	if err != nil {
		return fmt.Errorf("read dictionary: %w", err)
	}
	if c.postings, err = dict.PostingsList([]byte(term), nil, c.postings); err != nil {
		return fmt.Errorf("read postings of %q: %w", term, err)
	}
	if c.postings.Count() == 0 { // a list of a group that the segment does not have has no iterator
		*c = cursor{doc: endOfPostings}
		return nil
	}
	c.iterator = c.postings.Iterator(group != groupStops, false, false, c.iterator)
	return c.next()
}

func (c *cursor) next() error {
	p, err := c.iterator.Next()
	c.posting = p
	switch {
	case err != nil:
		return fmt.Errorf("read postings: %w", err)
	case p == nil:
		c.doc = endOfPostings
	default:
		c.doc = uint32(p.Number())
	}
	return nil
}

// eachTerm calls do with every term of a group.
func (s *segment) eachTerm(group int, do func(*bleveindex.DictEntry)) error {
	dict, err := s.Dictionary(groupNames[group])
	if err != nil {
		return fmt.Errorf("read dictionary: %w", err)
	}
	for terms := dict.AutomatonIterator(nil, nil, nil); ; {
		e, err := terms.Next()
		if err != nil {
			return fmt.Errorf("read dictionary: %w", err)
		}
		if e == nil {
			return nil
		}
		do(e)
	}
}
