package load

import (
	"slices"
	"strings"
	"sync"

	"almanac/catalog"
)

// A keeper puts records into the form in which they are kept. A large library has few publishers, types, categories and days, and they are
// kept once; the other texts of an entry share one piece of memory.
type keeper struct {
	mu      sync.Mutex
	strings map[string]string
	dates   map[catalog.Date]*catalog.Date
	lists   map[string][]string
	members map[string][]catalog.MemberChange
}

func newKeeper() *keeper {
	return &keeper{
		strings: make(map[string]string), dates: make(map[catalog.Date]*catalog.Date),
		lists: make(map[string][]string), members: make(map[string][]catalog.MemberChange),
	}
}

// entry puts an entry into the form in which it is kept. Its id stays a text of its own, which the history and later versions of the entry share.
func (k *keeper) entry(e *catalog.Entry) {
	texts := []*string{&e.Title, &e.URL, &e.Summary}
	if e.ArchiveURL != nil {
		texts = append(texts, e.ArchiveURL)
	}
	if len(e.Authors) > 0 { // an empty and an absent list are two things
		e.Authors = slices.Clip(slices.Clone(e.Authors))
	}
	for i := range e.Authors {
		texts = append(texts, &e.Authors[i])
	}
	join(texts)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range []*string{&e.ID, &e.Publisher, &e.Type, &e.Category, (*string)(&e.VerifiedAt), (*string)(&e.LastChecked)} {
		*s = k.text(*s)
	}
	if e.DatePublished != nil {
		e.DatePublished = k.date(*e.DatePublished)
	}
	e.Tags = k.list(e.Tags)
}

// know lets other records share the texts of an entry that is kept.
func (k *keeper) know(e *catalog.Entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range []string{e.ID, e.Publisher, e.Type, e.Category, string(e.VerifiedAt), string(e.LastChecked)} {
		k.text(s)
	}
	if e.DatePublished != nil && k.dates[*e.DatePublished] == nil {
		k.dates[*e.DatePublished] = e.DatePublished
	}
}

// join lets strings share one piece of memory.
func join(texts []*string) {
	var b strings.Builder
	n := 0
	for _, s := range texts {
		n += len(*s)
	}
	b.Grow(n)
	for _, s := range texts {
		b.WriteString(*s)
	}
	all := b.String()
	for _, s := range texts {
		*s, all = all[:len(*s)], all[len(*s):]
	}
}

// events puts the events of a day into the form in which they are kept.
func (k *keeper) events(events []catalog.HistoryEvent) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range events {
		e := &events[i]
		e.Record, e.Change = k.text(e.Record), k.text(e.Change)
		if len(e.Members) != 1 { // a day on which something was read is alike in many events
			e.Members = slices.Clip(e.Members)
			continue
		}
		m := &e.Members[0]
		key := m.Name + "\x00" + string(m.Old) + "\x00" + string(m.New)
		if same, ok := k.members[key]; ok {
			e.Members = same
		} else {
			e.Members = slices.Clip(slices.Clone(e.Members))
			k.members[key] = e.Members
		}
	}
}

func (k *keeper) text(s string) string {
	if same, ok := k.strings[s]; ok {
		return same
	}
	k.strings[s] = s
	return s
}

func (k *keeper) date(d catalog.Date) *catalog.Date {
	same, ok := k.dates[d]
	if !ok {
		d = catalog.Date(k.text(string(d)))
		same = &d
		k.dates[d] = same
	}
	return same
}

func (k *keeper) list(list []string) []string {
	if len(list) == 0 {
		return list // empty and absent lists are two things
	}
	key := strings.Join(list, "\x00")
	same, ok := k.lists[key]
	if !ok {
		same = make([]string, len(list))
		for i, s := range list {
			same[i] = k.text(s)
		}
		k.lists[key] = same
	}
	return same
}
