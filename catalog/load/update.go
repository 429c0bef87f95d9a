package load

import (
	"slices"

	"almanac/catalog"
)

// CheckUpdate checks the laws of publishing: published records stay (docs/contract.md, "Addresses"). It compares the
// catalog about to be published with the one that is, and returns every breach at once, as Faults:
//
//   - no record disappears without a withdrawal, and no address of one changes;
//   - verified_at never goes back: a source that was read on a day stays read on that day.
func CheckUpdate(old, new *catalog.Catalog) error {
	u := update{old: old, new: new}
	u.entries()
	u.vocabulary()
	u.protocols()
	u.profiles()
	u.texts()
	u.bots()
	u.withdrawals()
	u.dates(trustFile, "verified_at", old.Trust().VerifiedAt, new.Trust().VerifiedAt)
	u.dates(supportFile, "updated", old.Support().Updated, new.Support().Updated)
	return u.faults.err()
}

// An update collects the breaches between two catalogs.
type update struct {
	old, new *catalog.Catalog
	faults   faultList
}

func (u *update) entries() {
	for _, e := range u.old.Entries() {
		at := EntryFile(e)
		n, ok := u.new.Entry(e.ID)
		if !ok {
			u.missing(at, e.ID)
			continue
		}
		if n.Category != e.Category {
			u.faults.add(at, "category: was %q and is %q; keep it, because lists that are promised would lose the entry", e.Category, n.Category)
		}
		u.verified(at, e.VerifiedAt, n.VerifiedAt)
		u.dates(at, "last_checked", e.LastChecked, n.LastChecked)
	}
}

func (u *update) vocabulary() {
	for _, t := range u.old.Tags() {
		if _, ok := u.new.TagList(t.ID); !ok {
			u.faults.add(tagsFile, "the tag %q is published but no entry carries it now; keep it on one, because its list would disappear", t.ID)
		}
	}
	for _, k := range u.old.Categories() {
		if _, ok := u.new.Category(k.ID); !ok {
			u.faults.add(categoriesFile, "the category %q is published but missing in the new data; keep it", k.ID)
		}
	}
}

func (u *update) protocols() {
	for _, p := range u.old.Protocols().Protocols {
		at := "protocols/" + p.ID + ".json"
		n, ok := u.new.Protocol(p.ID)
		if !ok {
			u.missing(at, "protocol:"+p.ID)
			continue
		}
		now := make(map[string]catalog.Date)
		for _, f := range n.Facts() {
			now[f.Name] = f.VerifiedAt
		}
		for _, f := range p.Facts() {
			if d := now[f.Name]; d != "" { // a fact may become null: its source may have stopped stating it
				u.dates(at, f.Name+".verified_at", f.VerifiedAt, d)
			}
		}
	}
}

func (u *update) profiles() {
	for _, id := range u.old.VersionedIDs() {
		for _, v := range u.old.Versions(id) {
			if !slices.ContainsFunc(u.new.Versions(id), func(n catalog.ProtocolVersion) bool { return n.Version == v.Version }) {
				u.faults.add(VersionsFile(id), "the version %s is published but missing in the new data; keep it", v.Version)
			}
		}
	}
	for _, p := range u.old.Profiles() {
		at := "profiles/" + p.ID + ".json"
		n, ok := u.new.Profile(p.ID)
		if !ok {
			u.missing(at, "profile:"+p.ID)
			continue
		}
		for i, f := range n.Fields() {
			if f.Value != nil { // a reading may become null: its source may have stopped stating it
				u.dates(at, f.Name+".verified_at", p.Fields()[i].VerifiedAt, f.VerifiedAt)
			}
		}
		if f, ok := u.old.Flow(p.ID); ok {
			if n, ok := u.new.Flow(p.ID); ok {
				u.verified("flows/"+p.ID+".json", f.VerifiedAt(), n.VerifiedAt())
			} else {
				u.missing("flows/"+p.ID+".json", "flow:"+p.ID)
			}
		}
	}
}

func (u *update) texts() {
	kept(u, "article", u.old.Articles(), u.new.Article, func(a *catalog.Article) (id, at string, verified catalog.Date) {
		return a.ID, "articles/" + a.ID + "/article.json", a.VerifiedAt
	})
	kept(u, "dataset", u.old.Datasets(), u.new.Dataset, func(d *catalog.Dataset) (id, at string, verified catalog.Date) {
		return d.ID, "datasets/" + d.ID + "/card.json", d.VerifiedAt
	})
}

func (u *update) bots() {
	now := make(map[string]*catalog.Bot)
	for _, b := range u.new.Bots() {
		now[b.ID] = b
	}
	find := func(id string) (*catalog.Bot, bool) { b, ok := now[id]; return b, ok }
	kept(u, "bot", u.old.Bots(), find, func(b *catalog.Bot) (id, at string, verified catalog.Date) {
		return b.ID, "bots/" + b.ID + ".json", b.VerifiedAt
	})
}

// kept checks that each record of a list is still there and that its verified_at has not gone back.
func kept[T any](u *update, kind string, old []T, find func(id string) (T, bool), describe func(T) (id, at string, verified catalog.Date)) {
	for _, o := range old {
		id, at, before := describe(o)
		n, ok := find(id)
		if !ok {
			u.missing(at, kind+":"+id)
			continue
		}
		_, _, after := describe(n)
		u.verified(at, before, after)
	}
}

// missing adds a record that is gone without a reason.
func (u *update) missing(path, record string) {
	if _, ok := u.new.Withdrawn(record); !ok {
		u.faults.add(path, "is published but missing in the new data; keep it, or say in %s why it is withdrawn", withdrawnFile)
	}
}

// withdrawals checks that each record that was withdrawn still is, or is published again.
func (u *update) withdrawals() {
	for _, w := range u.old.Withdrawals() {
		if now, ok := u.new.Withdrawn(w.Record); ok {
			u.dates(withdrawnFile, w.Record+".day", w.Day, now.Day)
		} else if u.new.Record(w.Record).HTMLURL == "" {
			u.faults.add(withdrawnFile, "%s is missing; keep it, because its addresses state the reason", w.Record)
		}
	}
}

func (u *update) verified(path string, before, after catalog.Date) {
	u.dates(path, "verified_at", before, after)
}

func (u *update) dates(path, member string, before, after catalog.Date) {
	if after < before {
		u.faults.add(path, "%s: goes back from %s to %s; such dates only go forward", member, before, after)
	}
}
