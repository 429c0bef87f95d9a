package file

import (
	"fmt"
	"testing"
)

// A cache that lends its room keeps a quarter of what it may, of what it has as of what it is given, and afterwards as much as before.
func TestCacheLends(t *testing.T) {
	const room = 1 << 20
	c := NewCache(room)
	v := c.View()
	ask := func() {
		t.Helper()
		for i := range 100 {
			path := fmt.Sprintf("/%d", i)
			if _, err := v.Get(path, func() (*File, error) { return New(path, Text, make([]byte, room/50)), nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	isWithin := func(when string, least, most int64) {
		t.Helper()
		if got := c.Size(); got < least || got > most {
			t.Errorf("%s: %d bytes, want %d to %d", when, got, least, most)
		}
	}
	ask()
	isWithin("at first", room*3/4, room)
	restore := c.Lend()
	isWithin("when it begins to lend", room/8, room/4)
	ask()
	isWithin("while it lends", room/8, room/4)
	restore()
	ask()
	isWithin("afterwards", room*3/4, room)
}
