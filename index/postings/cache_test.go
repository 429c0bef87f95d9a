package postings

import (
	"fmt"
	"testing"
)

// A cache of lists that lends its room keeps a quarter of what it may, and afterwards as much as before.
func TestListsAreLent(t *testing.T) {
	const room = 1 << 20
	c := newCache(room)
	fill := func() {
		for i := range 400 {
			c.put(fmt.Appendf(nil, "term %d", i), &List{Docs: make([]uint32, 1_000)})
		}
	}
	isWithin := func(when string, least, most int) {
		t.Helper()
		got := 0
		for _, lists := range []map[string]*List{c.younger, c.elder} {
			for key, l := range lists {
				got += l.bytes() + len(key)
			}
		}
		if got < least || got > most {
			t.Errorf("%s: %d bytes, want %d to %d", when, got, least, most)
		}
	}
	fill()
	isWithin("at first", room/2, room)
	restore := c.lend()
	isWithin("when it begins to lend", 0, room/4)
	fill()
	isWithin("while it lends", room/8, room/4)
	restore()
	fill()
	isWithin("afterwards", room/2, room)
}
