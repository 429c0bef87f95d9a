package sources

import "almanac/catalog"

// A Reading is what was quoted from a source for a member of a record, and where it was read.
type Reading struct{ Member, URL, Quote string }

// Evidence returns the function that finds the readings on which a record rests, in the order of its evidence. Those that contradict
// the record are not among them.
func Evidence(cat *catalog.Catalog) func(record string) []Reading {
	return func(record string) []Reading {
		e, ok := cat.Evidence(catalog.HistoryPathID(record))
		if !ok {
			return nil
		}
		var list []Reading
		for _, m := range e.Members {
			for _, r := range m.Readings {
				if r.Holds {
					list = append(list, Reading{m.Member, r.URL, r.Quote})
				}
			}
		}
		return list
	}
}
