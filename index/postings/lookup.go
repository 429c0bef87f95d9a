package postings

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"almanac/index/text"
)

// Acquire keeps the store open until Release.
func (s *Store) Acquire() error { return s.users.acquire() }

// Release ends what Acquire began.
func (s *Store) Release() { s.users.release() }

// empty is the list of terms that no document has.
var empty = &List{}

// List returns the documents that have any of several variants of a term, each with the score of
// the variant that scores highest in it. The inverse document frequency is that of all variants
// together: a rare spelling of a common term is not a rare term. The caller must have acquired the
// store.
func (s *Store) List(d *Deadline, variants ...text.Variant) (*List, error) {
	var room [128]byte
	key := s.listKey(room[:0], variants)
	if len(key) == 0 {
		return empty, nil
	}
	if l, ok := s.lists.get(key); ok {
		return l, nil
	}
	return s.await(d, string(key), variants)
}

// listKey appends the key of the list of several variants, which is empty if no document has any.
func (s *Store) listKey(key []byte, variants []text.Variant) []byte {
	for _, v := range variants { // no term has a byte below a space
		if !s.MayHave(v.Term) {
			continue
		}
		key = append(append(key, v.Term...), 1)
		if v.Weight != 1 {
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v.Weight))
		}
	}
	return key
}

// await has a list read, once for all who ask for it at the same time. A search whose time is over
// does not wait any longer; the list is then ready for the next one.
func (s *Store) await(d *Deadline, key string, variants []text.Variant) (*List, error) {
	variants = slices.Clone(variants)
	read := s.reading.DoChan(key, func() (any, error) {
		l, err := s.read(variants)
		if err == nil {
			s.lists.put([]byte(key), l)
		}
		return l, err
	})
	over := time.NewTimer(time.Until(d.Until))
	defer over.Stop()
	select {
	case r := <-read:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*List), nil
	case <-over.C:
		return nil, context.DeadlineExceeded
	case <-d.Ctx.Done():
		return nil, d.Ctx.Err()
	}
}

// read reads the list of several variants. It may outlive the search that wants it, and runs outside
// of whatever recovers from panics around that search.
func (s *Store) read(variants []text.Variant) (list *List, err error) {
	if err := s.users.join(); err != nil {
		return nil, err
	}
	defer s.users.release()
	defer func() {
		if p := recover(); p != nil {
			list, err = nil, fmt.Errorf("read postings: panic: %v", p)
		}
	}()
	return s.readVariants(variants)
}

// StopWord returns the documents that have a stop word.
func (s *Store) StopWord(d *Deadline, word string) (*List, error) {
	key := []byte("\x00" + word)
	if l, ok := s.lists.get(key); ok {
		return l, nil
	}
	l, err := s.readStopWord(d, word)
	if err != nil {
		return nil, err
	}
	s.lists.put(key, l)
	return l, nil
}
