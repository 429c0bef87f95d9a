package postings

// Lend leaves the lists that are kept a quarter of their memory, for as long as something else needs the rest, and returns what gives it back.
func (s *Store) Lend() (restore func()) { return s.lists.lend() }
