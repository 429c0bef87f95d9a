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

// maxQuery is the most characters of a query. What is searched for may be less, and cutNote says so.
const (
	maxQuery = maxArguments
	cutNote  = "The query is long: only its beginning was searched for, 256 characters at most. "
)

// A librarySearch is the paid tool.
type librarySearch struct {
	*data
	index *index.Index
	paid  *Paid
}

func searchPassages(s *librarySearch) *tool {
	terms := s.paid.Terms
	kinds := s.kinds(catalog.Convert(index.Kinds, searchKindOf))
	return &tool{
		signature: signature{name: "search_passages", params: []param{
			{name: "query", min: 1, max: maxQuery, example: quoted(s.examples.Question),
				aliases: queryAliases,
				about:   "Words, \"a phrase\", -word. Without one: the credits left, free."},
			brief(s.kindParam(kinds)), brief(s.tagParam()), brief(s.typeParam()),
			{name: "category", kind: kindList, allowed: s.catalog.CategoryIDs(), brief: true, max: index.MaxValues,
				example: "[" + quoted(s.examples.category) + "]"}, // a tag is finer
			dayParam("since", "2026-01-01", "Published from this day; not of unknown date."), dayParam("until", "2026-12-31", "Up to it."),
			{name: "sort", allowed: index.Sorts, example: `"newest"`, about: "Order."},
			limitParam(maxLimit, standardHits, "Most records."), cursorParam(),
			{name: "l402", aliases: []string{"credential"}, min: 1, max: 8_192, secret: true, example: `"<macaroon>:<preimage hex>"`,
				about: "The credential, or its handle."},
		}},
		title: "Search passages (paid)",
		about: fmt.Sprintf("Paid: %d sats buy %d searches for %d days, over Lightning (L402). ", terms.PriceSats, terms.Credits,
			terms.ValidDays) + strings.TrimPrefix(terms.DemoNote()+" ", " ") +
			"Only if search is not enough and someone agreed to pay: it reads all texts. " +
			`Example: {"query":` + quoted(s.examples.Words) + `}. ` +
			"Without a credential it returns an invoice. What fails or finds nothing is free.",
		price: terms,
		run:   s.run,
	}
}

// query reads a query, and refuses one that cannot be answered before it asks for money.
func (s *librarySearch) query(in arguments) (index.Query, error) {
	q := index.Query{
		Text: in.text("query"), Category: in.list("category"), Tag: in.list("tag"), EveryTag: true, Type: in.list("type"),
		From: catalog.Date(in.text("since")), To: catalog.Date(in.text("until")),
		Sort: in.text("sort"), Limit: in.number("limit", standardHits), Cursor: in.text("cursor"),
	}
	for _, kind := range in.list("kind") {
		if kind == kindEntry {
			kind = index.KindLibrary
		}
		q.Kind = append(q.Kind, kind)
	}
	if err := checkDays(q.From, q.To); err != nil {
		return q, err
	}
	return q, problemSentence(s.index.Check(q), noCredit)
}

func (s *librarySearch) run(ctx context.Context, in arguments, from Caller) (*mcp.CallToolResult, error) {
	argument, err := s.paid.Handles.credential(in.text("l402"))
	if err != nil {
		return nil, err
	}
	credential := cmp.Or(from.Credential, argument, from.Authorization)
	if _, ok := in["query"]; !ok {
		return s.paid.check(ctx, credential)
	}
	q, err := s.query(in)
	if err != nil {
		return nil, err
	}
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
		return nil, problemSentence(err, noCredit)
	}
	answered := false
	defer func() { // after a panic too
		if !answered {
			charge.Waive(context.WithoutCancel(ctx))
		}
	}()
	left := accountOf(charge)
	if from.Credential == "" && in.text("l402") != "" { // the model has it, and repeats it with each call
		left.handle = s.paid.Handles.handle(credential)
	}
	a, missing, err := s.search(ctx, q, left)
	if err == nil {
		err = ctx.Err() // nobody is waiting for the answer any more
	}
	switch {
	case err != nil:
		return nil, problemSentence(err, noCredit)
	case a == nil:
		answered = true
		charge.Waive(context.WithoutCancel(ctx))
		after := accountOf(charge)
		after.handle = left.handle
		return nothingFound(q.Text, missing, after), nil
	}
	answered = true
	return a, nil
}

// search returns the answer of a paid search, or nil and the missing words when nothing was found.
func (s *librarySearch) search(ctx context.Context, q index.Query, left account) (a *mcp.CallToolResult, missing []string, err error) {
	found, err := s.index.Search(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if found.Total == 0 {
		return nil, found.Missing, nil
	}
	hits := fitting(len(found.Entries), func(i int) json.RawMessage { return encode(newPaidHit(&found.Entries[i])) })
	out := paidAnswer{Hits: hits, Truncated: len(hits) < len(found.Entries), Credits: left.credits()}
	if out.Truncated { // the same search for as many as fit knows where the rest begins
		q.Limit = len(hits)
		if found, err = s.index.Search(ctx, q); err != nil {
			return nil, nil, err
		}
	}
	out.Total, out.Count, out.Suggestion, out.NextCursor = found.Total, len(hits), found.Suggestion, found.NextCursor
	_, wasCut := index.CutText(q.Text)
	out.Note = strings.TrimSpace(textIf(wasCut, cutNote) + textIf(out.NextCursor != "", "The next page costs a credit."))
	a = newJSONAnswer(out)
	a.Meta = left.receipt()
	return a, nil, nil
}

// A paidAnswer is the answer of a paid search.
type paidAnswer struct {
	Total      int               `json:"total"`
	Count      int               `json:"count"`
	Hits       []json.RawMessage `json:"hits"`                   // each a paidHit
	Suggestion string            `json:"searched_for,omitempty"` // instead of the words of the query
	Missing    []string          `json:"missing,omitempty"`      // without hits: words that nothing has
	Note       string            `json:"note,omitempty"`
	NextCursor string            `json:"next_cursor,omitempty"`
	Truncated  bool              `json:"truncated,omitempty"`
	Credits    credits           `json:"credits"`
}

// A paidHit is a record with the passages that answer best. What counted for its place is of use to programs, and in
// the answer over HTTP.
type paidHit struct {
	ID         string         `json:"id"`
	Title      string         `json:"title"`
	URL        string         `json:"url"`
	Kind       string         `json:"kind"`
	VerifiedAt catalog.Date   `json:"verified_at"`
	Missing    []string       `json:"missing,omitempty"` // words of the query that it does not have
	Passages   []shownPassage `json:"passages"`
}

type shownPassage struct {
	Title      string       `json:"title"`
	Text       string       `json:"text"`
	URL        string       `json:"url,omitempty"` // where that is not the record's
	Source     string       `json:"source,omitempty"`
	VerifiedAt catalog.Date `json:"verified_at,omitempty"` // where that is not the record's
}

func newPaidHit(h *index.Hit) paidHit {
	out := paidHit{Kind: searchKindOf(h.Kind), Missing: h.Missing, Passages: []shownPassage{}}
	if e := h.Entry; e != nil {
		out.ID, out.Title, out.URL, out.VerifiedAt = e.ID, e.Title, e.URL, e.VerifiedAt
	} else {
		out.ID, out.Title, out.URL, out.VerifiedAt = h.Change.ID, h.Change.Title, h.Change.URL, h.Change.VerifiedAt
	}
	for _, p := range h.Passages {
		out.Passages = append(out.Passages, shownPassage{p.Title, p.Text, textIf(p.URL != out.URL, p.URL),
			textIf(p.Source != out.URL, p.Source), textIf(p.VerifiedAt != out.VerifiedAt, p.VerifiedAt)})
	}
	return out
}

func nothingFound(query string, missing []string, left account) *mcp.CallToolResult {
	a := newJSONAnswer(paidAnswer{Hits: []json.RawMessage{}, Missing: missing, Credits: left.credits(), Note: "Nothing was found for " +
		quote(query) + ", and no credit was taken. Try fewer or other words, or search, which is free."})
	a.Meta = left.receipt()
	return a
}
