package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
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
	kinds := s.kinds(index.Kinds)
	return &tool{
		signature: signature{name: "search_passages", params: []param{
			{name: "query", min: 1, max: maxQuery, example: quoted(s.examples.Question),
				about: "Words, \"a phrase\", -word. Without one: the credits left, free."},
			{name: "category", kind: kindList, allowed: s.catalog.CategoryIDs(), brief: true, max: index.MaxValues,
				example: "[" + quoted(s.examples.category) + "]", about: "Any of these."},
			{name: "tag", kind: kindList, pattern: tagPattern, form: slugForm(40), near: s.tags,
				max: index.MaxValues, brief: true, example: "[" + quoted(s.examples.tag) + "]", about: "Any of these."},
			{name: "type", kind: kindList, allowed: s.catalog.Identity().EntryTypes(), brief: true, max: index.MaxValues,
				example: "[" + quoted(s.examples.typ) + "]", about: "Any of these."},
			{name: "kind", kind: kindList, allowed: kinds, max: len(kinds), example: `["library"]`,
				about: "Any of these."},
			{name: "published_from", kind: kindDate, example: `"2026-01-01"`, about: "First day."},
			{name: "published_to", kind: kindDate, example: `"2026-12-31"`, about: "Last day."},
			{name: "verified_since", kind: kindDate, example: `"2026-01-01"`, about: "First day read."},
			{name: "sort", allowed: index.Sorts, standard: index.SortRelevance, example: `"newest"`, about: "Order."},
			limitParam(), cursorParam(),
			{name: "l402", min: 1, max: 8_192, secret: true, example: `"<macaroon>:<preimage hex>"`,
				about: "The credential, if not in _meta[\"almanac/l402\"]."},
		}},
		title: "Search passages (paid)",
		view:  payView,
		about: fmt.Sprintf("Paid: searches all texts and returns the passages that answer, with sources. %d sats buy %d searches for %d days, over Lightning (L402). ", terms.PriceSats, terms.Credits, terms.ValidDays) + strings.TrimPrefix(terms.DemoNote()+" ", " ") +
			"Use it only if someone agreed to pay and search is not enough. " +
			`Example: {"query":` + quoted(s.examples.Words) + `,"limit":5}. ` +
			"Without a credential it returns an invoice. Searches that fail or find nothing are free.",
		price: terms,
		run:   s.run,
	}
}

// credentialOf returns the credential of a call, or "".
func credentialOf(in arguments, from Caller) string {
	return cmp.Or(from.Credential, in.text("l402"), from.Authorization)
}

// query reads a query, and refuses one that cannot be answered before it asks for money.
func (s *librarySearch) query(in arguments) (index.Query, error) {
	q := index.Query{
		Text: in.text("query"), Category: in.list("category"), Tag: in.list("tag"), Type: in.list("type"),
		Kind: in.list("kind"),
		From: catalog.Date(in.text("published_from")), To: catalog.Date(in.text("published_to")),
		VerifiedSince: catalog.Date(in.text("verified_since")),
		Sort:          in.text("sort"), Limit: in.number("limit", standardLimit), Cursor: in.text("cursor"),
	}
	for _, tag := range q.Tag {
		if s.catalog.WithTag(tag) == nil {
			return q, s.unknownTag(tag)
		}
	}
	if strings.TrimSpace(q.Text) == "" {
		return q, inputError(`query has no words. Say what to search for, for example {"query":` + quoted(s.examples.Words) + "}")
	}
	return q, problemSentence(s.index.Check(q))
}

func (s *librarySearch) run(ctx context.Context, in arguments, from Caller) (*mcp.CallToolResult, error) {
	if _, ok := in["query"]; !ok {
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
	charge, err := s.paid.Spend(ctx, l402.Request{Credential: credential, Method: "search_passages", Content: encode(q),
		Key: from.Key})
	var refused *problem.Problem
	switch {
	case errors.As(err, &refused) && refused.Correctable():
		return nil, correctCredential(refused)
	case errors.As(err, &refused) && refused.Status() == http.StatusPaymentRequired:
		return s.paid.challenge(ctx, s.catalog.Site(), q.Text, from, refused)
	case err != nil:
		return nil, problemSentence(err)
	}
	answered := false
	defer func() { // after a panic too
		if !answered {
			charge.Waive(context.WithoutCancel(ctx))
		}
	}()
	a, missing, err := s.search(ctx, q, accountOf(charge))
	if err == nil {
		err = ctx.Err() // nobody is waiting for the answer any more
	}
	switch {
	case err != nil:
		return nil, problemSentence(err)
	case a == nil:
		answered = true
		charge.Waive(context.WithoutCancel(ctx))
		return nothingFound(q.Text, missing, accountOf(charge)), nil
	}
	answered = true
	return a, nil
}

// search returns the answer of a paid search, or nil and the missing words when nothing was found.
func (s *librarySearch) search(
	ctx context.Context, q index.Query, left account,
) (a *mcp.CallToolResult, missing []string, err error) {
	found, err := s.index.Search(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if found.Total == 0 {
		return nil, found.Missing, nil
	}
	hits, text := s.hits(found.Entries)
	out := paidAnswer{Hits: hits, Truncated: len(hits) < len(found.Entries), Credits: left.credits()}
	if out.Truncated { // the same search for as many as fit knows where the rest begins
		q.Limit = len(hits)
		if found, err = s.index.Search(ctx, q); err != nil {
			return nil, nil, err
		}
	}
	out.Total, out.Count, out.Suggestion, out.Undated = found.Total, len(hits), found.Suggestion, found.Undated
	out.Facets, out.NextCursor = found.Facets, found.NextCursor
	head := searchHead(found, out.Truncated) + " " + left.String() + "\n\n"
	a = newAnswer(head+text, encode(out))
	a.Meta = left.receipt()
	return a, nil, nil
}

// A paidAnswer is the answer of a paid search as programs read it.
type paidAnswer struct {
	Total      int       `json:"total"`
	Count      int       `json:"count"`
	Hits       []paidHit `json:"hits"`
	Suggestion string    `json:"suggestion,omitempty"`
	Undated    int       `json:"undated,omitempty"`
	Missing    []string  `json:"missing,omitempty"` // without hits: words that nothing has
	Facets     any       `json:"facets,omitempty"`
	NextCursor string    `json:"next_cursor,omitempty"`
	Truncated  bool      `json:"truncated,omitempty"`
	Credits    credits   `json:"credits"`
}

// A paidHit is a record with the reason why it was found and the passages that answer best.
type paidHit struct {
	Entry      json.RawMessage `json:"entry"`
	Kind       string          `json:"kind"`
	Score      float64         `json:"score"`
	Matched    any             `json:"matched"`
	Highlights any             `json:"highlights"`
	Missing    []string        `json:"missing,omitempty"`
	Passages   any             `json:"passages"`
}

// hits returns as many hits as fit in an answer: as JSON and as lines of text.
func (s *librarySearch) hits(found []index.Hit) (hits []paidHit, text string) {
	size := pageHead
	for i := range found {
		hit, line := newPaidHit(&found[i])
		if size += (piece{encode(hit), line}).size(); size > maxAnswer && i > 0 {
			break
		}
		hits, text = append(hits, hit), text+line
	}
	return hits, text
}

// newPaidHit returns a hit and its lines, which repeat only the passages of other kinds than library, whose summaries
// are in the record.
func newPaidHit(h *index.Hit) (paidHit, string) {
	out := paidHit{Kind: h.Kind, Score: h.Score, Matched: h.Matched, Highlights: h.Highlights, Missing: h.Missing,
		Passages: h.Passages}
	var text string
	if h.Entry != nil {
		p := concise(h.Entry)
		out.Entry, text = p.json, p.text
	} else {
		ch := h.Change
		out.Entry, text = encode(ch), fmt.Sprintf("- id: %s; kind: %s; **%s**; %s; verified_at: %s\n",
			ch.ID, ch.Kind, ch.Title, ch.URL, ch.VerifiedAt)
	}
	if len(h.Missing) > 0 {
		text += "  - without: " + strings.Join(h.Missing, ", ") + "\n"
	}
	for i := range h.Passages {
		if p := &h.Passages[i]; h.Entry == nil {
			text += fmt.Sprintf("  - %s: %s (%s; verified_at: %s)\n",
				p.Title, strings.Join(strings.Fields(p.Text), " "), p.URL, p.VerifiedAt)
		}
	}
	return out, text
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

func nothingFound(query string, missing []string, left account) *mcp.CallToolResult {
	without := ""
	if len(missing) > 0 {
		without = " (no answer has " + strings.Join(missing, ", ") + ")"
	}
	text := fmt.Sprintf("Nothing was found for %s%s, and no credit was taken. Try fewer or other words, or search, which is free. %s",
		quote(query), without, left)
	a := newAnswer(text, encode(paidAnswer{Hits: []paidHit{}, Missing: missing, Credits: left.credits()}))
	a.Meta = left.receipt()
	return a
}
