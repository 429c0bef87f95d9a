package tools

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/wirejson"
)

// data is a catalogue, encoded for answers.
type data struct {
	catalog   *catalog.Catalog
	entries   *entries
	protocols *protocols
	cursors   cursors
	now       func() time.Time

	allChanges func() []change
}

func newData(c *catalog.Catalog, now func() time.Time) *data {
	d := &data{catalog: c, entries: newEntries(c), protocols: newProtocols(c), now: now}
	d.allChanges = sync.OnceValue(d.readChanges)
	h := sha256.New()
	var b []byte
	for _, e := range d.entries.all {
		b = wirejson.Must(wirejson.Append(b[:0], e))
		h.Write(b)
	}
	for _, day := range c.HistoryDays() { // events are only ever added
		fmt.Fprintln(h, day, len(c.HistoryEvents(day)))
	}
	copy(d.cursors.version[:], h.Sum(nil))
	return d
}

// today is the current UTC day.
func (d *data) today() catalog.Date { return catalog.DateOf(d.now()) }

// latest is the newest day with changes.
func (d *data) latest() catalog.Date {
	if days := d.catalog.HistoryDays(); len(days) > 0 {
		return days[0]
	}
	return d.today()
}
