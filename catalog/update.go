package catalog

import "slices"

// CheckUpdate holds the laws of publishing: what was published stays. It compares the catalog
// about to be published with the one that is, and reports every breach at once, as Faults.
//
//   - no record disappears, and no address of one changes;
//   - verified_at never goes back: a source that was read on a day stays read on that day.
func CheckUpdate(old, new *Catalog) error {
	var l faultList
	for _, e := range old.entries {
		at := EntryFile(e)
		n, ok := new.byID[e.ID]
		if !ok {
			l.add(at, "is published and is missing in the new data; keep it, its address is promised")
			continue
		}
		if n.Category != e.Category {
			l.add(at, "category: was %q and is %q; lists that readers keep would lose it", e.Category, n.Category)
		}
		l.verified(at, e.VerifiedAt, n.VerifiedAt)
		l.verifiedField(at, "last_checked", e.LastChecked, n.LastChecked)
	}
	updateProtocols(&l, old, new)
	updateTexts(&l, old, new)
	updateBots(&l, old, new)
	for _, t := range old.tags {
		if _, ok := new.byTag[t.ID]; !ok {
			l.add(tagsFile, "the tag %q is published and no entry carries it now; its list would vanish", t.ID)
		}
	}
	for _, k := range old.categories {
		if _, ok := new.Category(k.ID); !ok {
			l.add(categoriesFile, "the category %q is published and is missing", k.ID)
		}
	}
	l.verified(trustPath, old.trust.VerifiedAt, new.trust.VerifiedAt)
	l.verifiedField(supportPath, "updated", old.support.Updated, new.support.Updated)
	return l.err()
}

func updateProtocols(l *faultList, old, new *Catalog) {
	for _, p := range old.protocols {
		at := "protocols/" + p.ID + ".json"
		n, ok := new.Protocol(p.ID)
		if !ok {
			l.add(at, "is published and is missing in the new data")
			continue
		}
		now := make(map[string]Date)
		for _, f := range n.Facts() {
			now[f.Name] = f.VerifiedAt
		}
		for _, f := range p.Facts() {
			// A fact may become null: its source may have stopped stating it.
			if d := now[f.Name]; d != "" {
				l.verifiedField(at, f.Name+".verified_at", f.VerifiedAt, d)
			}
		}
	}
}

func updateTexts(l *faultList, old, new *Catalog) {
	for _, a := range old.articles {
		at := "articles/" + a.ID + "/article.json"
		if n, ok := new.Article(a.ID); ok {
			l.verified(at, a.VerifiedAt, n.VerifiedAt)
		} else {
			l.add(at, "is published and is missing in the new data")
		}
	}
	for _, d := range old.datasets {
		at := "datasets/" + d.ID + "/card.json"
		if n, ok := new.Dataset(d.ID); ok {
			l.verified(at, d.VerifiedAt, n.VerifiedAt)
		} else {
			l.add(at, "is published and is missing in the new data")
		}
	}
}

func updateBots(l *faultList, old, new *Catalog) {
	for _, b := range old.bots {
		at := "bots/" + b.ID + ".json"
		i := slices.IndexFunc(new.bots, func(n *Bot) bool { return n.ID == b.ID })
		if i < 0 {
			l.add(at, "is published and is missing in the new data")
			continue
		}
		l.verified(at, b.VerifiedAt, new.bots[i].VerifiedAt)
	}
}

func (l *faultList) verified(path string, before, after Date) {
	l.verifiedField(path, "verified_at", before, after)
}

func (l *faultList) verifiedField(path, field string, before, after Date) {
	if after < before {
		l.add(path, "%s: goes back from %s to %s; dates of verification only go forward", field, before, after)
	}
}
