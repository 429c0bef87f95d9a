package tools

import (
	"crypto/sha256"
	"time"

	"almanac/catalog"
)

// data is a catalogue, encoded for answers.
type data struct {
	catalog   *catalog.Catalog
	entries   *entries
	protocols *protocols
	changes   *changes
	cursors   cursors
	now       func() time.Time
}

func newData(c *catalog.Catalog, now func() time.Time) *data {
	d := &data{catalog: c, entries: newEntries(c), protocols: newProtocols(c), changes: newChanges(c), now: now}
	h := sha256.New()
	for _, it := range d.entries.all {
		h.Write(it.full.json)
	}
	for _, day := range d.changes.days {
		h.Write(encode(c.Changes(day).Entries))
	}
	copy(d.cursors.version[:], h.Sum(nil))
	return d
}

// today is the current UTC day.
func (d *data) today() catalog.Date { return catalog.DateOf(d.now()) }

// latest is the newest day with changes.
func (d *data) latest() catalog.Date {
	if len(d.changes.days) == 0 {
		return d.today()
	}
	return d.changes.days[0]
}
