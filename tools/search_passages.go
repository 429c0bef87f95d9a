package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"almanac/catalog"
	"almanac/index"
	"almanac/l402"
	"almanac/problem"
	"almanac/wirejson"
)

const maxQuery = index.MaxText // characters

// A librarySearch is the paid tool.
type librarySearch struct {
	*data
	index *index.Index
	paid  *Paid
}

func searchPassages(s *librarySearch) *tool {
	terms := s.paid.Terms
	es := s.entries
	return &tool{
		signature: signature{name: "search_passages", params: []param{
			{name: "query", min: 1, max: maxQuery, example: `"pay per request over lightning"`,
				about: "Words, phrases in quotes, -word to exclude, an id or an address. Without one: the credits left, free."},
			{name: "category", kind: kindList, allowed: es.categories, max: index.MaxValues, example: `["payments"]`, about: "Any of these."},
			{name: "tag", kind: kindList, pattern: tagPattern, form: slugForm(40), near: es.tagNames, max: index.MaxValues, example: `["lightning"]`, about: "Any of these."},
			{name: "type", kind: kindList, allowed: catalog.EntryTypes, max: index.MaxValues, example: `["spec"]`, about: "Any of these."},
			{name: "kind", kind: kindList, allowed: index.Kinds, max: len(index.Kinds), example: `["protocol"]`, about: "Any of these."},
			{name: "published_from", kind: kindDate, example: `"2026-01-01"`, about: "First day."},
			{name: "published_to", kind: kindDate, example: `"2026-12-31"`, about: "Last day."},
			{name: "verified_since", kind: kindDate, example: `"2026-01-01"`, about: "First day read."},
			{name: "sort", allowed: index.Sorts, standard: index.SortRelevance, example: `"newest"`, about: "Order."},
			limitParam(), cursorParam(),
			{name: "l402", min: 1, max: 8_192, secret: true, example: `"<macaroon>:<preimage hex>"`,
				about: "The credential, unless in _meta[\"almanac/l402\"] or Authorization."},
		}},
		title: "Search passages (paid)",
		about: fmt.Sprintf("Paid: searches all texts and returns the passages that answer, with sources. %d satoshis buy %d searches within %d days, over Lightning (L402). ", terms.PriceSats, terms.Credits, terms.ValidDays) + strings.TrimPrefix(terms.DemoNote()+" ", " ") +
			"Use it only when someone agreed to pay and search is not enough. " +
			`Example: {"query":"macaroon caveats","limit":5}. ` +
			"Without a credential it returns an invoice. A search that fails, finds nothing or repeats one of the last minute costs nothing.",
		price: terms,
		waits: true,
		run:   s.run,
	}
}

// credentialOf returns the credential of a call, or "".
func credentialOf(in arguments, from Caller) string {
	return cmp.Or(from.Credential, in.text("l402"), from.Authorization)
}

// query reads what to search for, and refuses what cannot be answered before anyone is asked for
// money.
func (s *librarySearch) query(in arguments) (index.Query, error) {
	q := index.Query{
		Text: in.text("query"), Category: in.list("category"), Tag: in.list("tag"), Type: in.list("type"), Kind: in.list("kind"),
		From: catalog.Date(in.text("published_from")), To: catalog.Date(in.text("published_to")), VerifiedSince: catalog.Date(in.text("verified_since")),
		Sort: in.text("sort"), Limit: in.number("limit", standardLimit), Cursor: in.text("cursor"),
	}
	for _, tag := range q.Tag {
		if s.catalog.WithTag(tag) == nil {
			return q, unknownTag(s.entries, tag)
		}
	}
	if strings.TrimSpace(q.Text) == "" {
		return q, inputError(`query has no words. Say what to search for, for example {"query":"macaroon"}`)
	}
	return q, explain(s.index.Check(q))
}

func (s *librarySearch) run(ctx context.Context, in arguments, from Caller) (*Answer, error) {
	if _, ok := in.find("query"); !ok {
		return s.paid.check(ctx, credentialOf(in, from))
	}
	q, err := s.query(in)
	if err != nil {
		return nil, err
	}
	credential := credentialOf(in, from)
	if credential == "" {
		return s.paid.challenge(ctx, s.catalog.Site(), q.Text, from, nil)
	}
	charge, err := s.paid.Spend(ctx, l402.Request{Credential: credential, Method: "search_passages", Content: encode(q), Key: from.Key})
	var refused *problem.Problem
	switch {
	case errors.As(err, &refused) && correctable[refused.Code]:
		return nil, correctCredential(refused)
	case errors.As(err, &refused) && refused.Status() == http.StatusPaymentRequired:
		return s.paid.challenge(ctx, s.catalog.Site(), q.Text, from, refused)
	case err != nil:
		return nil, explain(err)
	}
	answered := false
	defer func() { // after a panic too
		if !answered {
			charge.Waive(context.WithoutCancel(ctx))
		}
	}()
	a, err := s.search(ctx, q, accountOf(charge))
	if err == nil {
		err = ctx.Err() // nobody is waiting for the answer any more
	}
	switch {
	case err != nil:
		return nil, explain(err)
	case a == nil:
		answered = true
		charge.Waive(context.WithoutCancel(ctx))
		return nothingFound(q.Text, accountOf(charge)), nil
	}
	answered = true
	return a, nil
}

// search returns the answer of a paid search, or nil when nothing was found.
func (s *librarySearch) search(ctx context.Context, q index.Query, left account) (*Answer, error) {
	found, err := s.index.Search(ctx, q)
	if err != nil || found.Total == 0 {
		return nil, err
	}
	hits, text, count := s.hits(found.Entries)
	cut := count < len(found.Entries)
	if cut { // the same search for as many as fit knows where the rest begins
		q.Limit = count
		if found, err = s.index.Search(ctx, q); err != nil {
			return nil, err
		}
	}
	out := fmt.Appendf(nil, `{"total":%d,"count":%d,"hits":[%s]`, found.Total, count, hits)
	if found.Suggestion != "" {
		out = fmt.Appendf(out, `,"suggestion":%s`, encode(found.Suggestion))
	}
	if found.Undated > 0 {
		out = fmt.Appendf(out, `,"undated":%d`, found.Undated)
	}
	out = fmt.Appendf(out, `,"facets":%s`, encode(found.Facets))
	if found.NextCursor != "" {
		out = fmt.Appendf(out, `,"next_cursor":%s`, encode(found.NextCursor))
	}
	if cut {
		out = append(out, `,"truncated":true`...)
	}
	out = fmt.Appendf(out, `,%s}`, left.json())
	head := searchHead(found, cut) + " " + left.String() + "\n\n"
	return &Answer{text: segments{wirejson.AppendEscaped(nil, head), text}, structured: segments{out}, meta: left.receipt()}, nil
}

// hits returns as many hits as fit in an answer: as JSON and as lines of text.
func (s *librarySearch) hits(found []index.Hit) (hits, text []byte, count int) {
	for i := range found {
		h := &found[i]
		var p piece
		if h.Entry != nil {
			p = s.entries.item(h.Entry).concise
		} else {
			p = piece{encode(h.Change), recordLine(h.Change)}
		}
		p = withPassages(p, h)
		if len(hits)+len(text)+p.size()+pageHead > maxAnswer && count > 0 {
			break
		}
		if count > 0 {
			hits = append(hits, ',')
		}
		hits = append(hits, p.json...)
		text = append(text, p.text...)
		count++
	}
	return hits, text, count
}

// recordLine returns a record other than a library entry as a line of a list.
func recordLine(ch *catalog.Change) []byte {
	line := fmt.Sprintf("- id: %s; kind: %s; **%s**; %s; verified_at: %s\n", ch.ID, ch.Kind, ch.Title, ch.URL, ch.VerifiedAt)
	return wirejson.AppendEscaped(nil, line)
}

// withPassages returns a hit: its record with why it was found and the passages that answer best. The
// text repeats only those of other kinds than library, whose summaries are in the record.
func withPassages(record piece, h *index.Hit) piece {
	p := piece{json: fmt.Appendf(nil, `{"entry":%s,"kind":%s,"score":%g,"matched":%s,"highlights":%s`,
		record.json, encode(h.Kind), h.Score, encode(h.Matched), encode(h.Highlights))}
	p.text = append(p.text, record.text...)
	if len(h.Missing) > 0 {
		p.json = fmt.Appendf(p.json, `,"missing":%s`, encode(h.Missing))
		p.text = wirejson.AppendEscaped(p.text, "  - without: "+strings.Join(h.Missing, ", ")+"\n")
	}
	p.json = fmt.Appendf(p.json, `,"passages":%s}`, encode(h.Passages))
	for i := range h.Passages {
		if passage := &h.Passages[i]; h.Entry == nil {
			p.text = wirejson.AppendEscaped(p.text, fmt.Sprintf("  - %s: %s (%s; verified_at: %s)\n",
				passage.Title, strings.Join(strings.Fields(passage.Text), " "), passage.URL, passage.VerifiedAt))
		}
	}
	return p
}

// searchHead returns the first line of the text: how many were found, and how to read the rest.
func searchHead(found *index.Results, cut bool) string {
	head := fmt.Sprintf("%s: %d of %d found.", quote(found.Query), found.Count, found.Total)
	if found.Suggestion != "" {
		head += " Searched for " + quote(found.Suggestion) + "."
	}
	if found.Undated > 0 {
		head += fmt.Sprintf(" %d more are left out because their date of publication is unknown.", found.Undated)
	}
	if cut {
		head += " Cut to keep the answer small."
	}
	if found.NextCursor != "" {
		head += fmt.Sprintf(" Next page: call search_passages with the same arguments and cursor %q; it costs a credit.", found.NextCursor)
	}
	return head
}

func nothingFound(query string, left account) *Answer {
	a := newAnswer(fmt.Sprintf("Nothing was found for %s, and no credit was taken. Try fewer or other words, or search, which is free. %s",
		quote(query), left), []byte(`{"total":0,"count":0,"hits":[],`+left.json()+`}`))
	a.meta = left.receipt()
	return a
}
