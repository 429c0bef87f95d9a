package file

import (
	"sync"
	"sync/atomic"
)

// A Memo keeps what is rendered for a record while the documents that show it are rendered, for several do. It keeps at
// most a number of bytes: what does not fit is rendered each time. It is safe for concurrent use.
type Memo struct {
	max  int64
	kept sync.Map // of []byte
	size atomic.Int64
}

// NewMemo returns a memo of at most max bytes; 0 keeps nothing.
func NewMemo(max int64) *Memo { return &Memo{max: max} }

// Of returns what render makes of a record. It must not be written to.
func (m *Memo) Of(record any, render func() ([]byte, error)) ([]byte, error) {
	if b, ok := m.kept.Load(record); ok {
		return b.([]byte), nil
	}
	b, err := render()
	if err != nil || m.size.Load() >= m.max {
		return b, err
	}
	if _, had := m.kept.LoadOrStore(record, b); !had {
		m.size.Add(int64(len(b)) + memoOverhead)
	}
	return b, nil
}

// memoOverhead is about what a kept record takes besides its bytes.
const memoOverhead = 128

// Clear forgets everything.
func (m *Memo) Clear() {
	m.kept.Clear()
	m.size.Store(0)
}
