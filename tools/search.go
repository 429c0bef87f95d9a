package tools

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/index"
)

const maxQuery = 200 // characters

func (t *Tools) searchLibrary() *tool {
	offer := t.o.Paid.Offer
	params := []param{{name: "query", min: 1, max: maxQuery, required: true, example: `"pay per request over lightning"`,
		about: "Words, a phrase in quotes, an id or an address."}}
	for _, p := range t.filterParams() {
		p.brief = true
		params = append(params, p)
	}
	params = append(params, limitParam(), cursorParam(),
		param{name: "l402", min: 1, max: 8_192, secret: true, example: `"<macaroon>:<preimage hex>"`,
			about: "The credential, unless it is in Authorization or _meta."})
	return &tool{
		name: "search_library", title: "Search the library (paid)", paid: true,
		about: fmt.Sprintf("Paid: searches everything by words, best match first, with the filters of list_entries. %d satoshis buy %d searches within %d days, over Lightning (L402). ", offer.PriceSats, offer.Credits, offer.ValidDays) +
			"Use it only when someone agreed to pay and list_entries, which is free, is not enough. " +
			`Example: {"query":"macaroon caveats","limit":5}. ` +
			"Without a credential it answers with an invoice and how to go on. A search that fails, finds nothing or repeats one of the last minute costs nothing.",
		params: params,
		run:    t.runSearch,
	}
}

// searchQuery reads what is asked, and refuses what cannot be answered before anyone is asked for
// money.
func (t *Tools) searchQuery(in args) (index.Query, error) {
	q := index.Query{
		Text: in.text("query"), Category: in.text("category"), Tag: in.text("tag"), Type: in.text("type"),
		From: catalog.Date(in.text("published_from")), To: catalog.Date(in.text("published_to")),
		Limit: in.number("limit", standardLimit), Cursor: in.text("cursor"),
	}
	if _, err := t.filter(in); err != nil {
		return q, err
	}
	if strings.TrimSpace(q.Text) == "" {
		return q, refusal(`query has no words. Say what to look for, for example {"query":"macaroon"}`)
	}
	return q, worded(t.x.Check(q))
}

func (t *Tools) runSearch(ctx context.Context, in args, from Caller) (*Answer, error) {
	q, err := t.searchQuery(in)
	if err != nil {
		return nil, err
	}
	credential := in.text("l402")
	if credential == "" {
		credential = from.Credential
	}
	if credential == "" {
		return t.challenge(ctx, q, from, "")
	}
	key := replayKey(credential, q)
	if a, ok := t.replays.get(key, t.o.Now()); ok {
		return a, nil
	}
	left, until, refund, err := t.o.Paid.Spend(ctx, credential)
	var problem *catalog.Problem
	switch {
	case errors.As(err, &problem) && status(problem) == 402:
		return t.challenge(ctx, q, from, sentence(problem))
	case err != nil:
		return nil, worded(err)
	}
	served := false
	defer func() { // after a panic too
		if served {
			return
		}
		if err := refund(context.WithoutCancel(ctx)); err != nil {
			t.o.Log.ErrorContext(ctx, "a credit was not given back", "err", err)
		}
	}()
	a, err := t.search(ctx, q, left, until)
	if err == nil {
		err = ctx.Err() // nobody waits for the answer any more
	}
	switch {
	case err != nil:
		return nil, worded(err)
	case a == nil:
		return nothingFound(q.Text, left+1, until), nil
	}
	served = true
	t.replays.put(key, a, t.o.Now())
	return a, nil
}

// search makes the answer of a search that was paid for. It is nil when nothing was found.
func (t *Tools) search(ctx context.Context, q index.Query, left int, until time.Time) (*Answer, error) {
	found, err := t.x.Search(ctx, q)
	if err != nil || found.Total == 0 {
		return nil, err
	}
	var js, tx []byte
	count := 0
	for i := range found.Entries {
		h := &found.Entries[i]
		p := t.hit(h)
		if len(js)+len(tx)+p.size()+pageHead > maxAnswer && count > 0 {
			break
		}
		if count > 0 {
			js = append(js, ',')
		}
		js = fmt.Appendf(js, `{"entry":%s,"kind":%q,"score":%g}`, p.json, h.Kind, h.Score)
		tx = append(tx, p.text...)
		count++
	}
	cut := count < len(found.Entries)
	if cut { // the same search for as many as fit knows where the rest begins
		q.Limit = count
		if found, err = t.x.Search(ctx, q); err != nil {
			return nil, err
		}
	}
	out := fmt.Appendf(nil, `{"total":%d,"count":%d,"hits":[%s]`, found.Total, count, js)
	if found.Suggestion != "" {
		out = fmt.Appendf(out, `,"suggestion":%s`, encode(found.Suggestion))
	}
	if found.NextCursor != "" {
		out = fmt.Appendf(out, `,"next_cursor":%q`, found.NextCursor)
	}
	if cut {
		out = append(out, `,"truncated":true`...)
	}
	out = fmt.Appendf(out, `,"credits":{"left":%d,"valid_until":%q}}`, left, timestamp(until))
	head := searchHead(found, cut) + " " + creditsLine(left, until) + "\n\n"
	return &Answer{text: segments{appendEscaped(nil, head), tx}, structured: segments{out}, meta: receipt(left, until)}, nil
}

// searchHead says what was found, and how to get the rest.
func searchHead(found *index.Results, cut bool) string {
	head := fmt.Sprintf("%s: %d of %d found.", quote(found.Query), found.Count, found.Total)
	if found.Suggestion != "" {
		head += " Looked for " + quote(found.Suggestion) + "."
	}
	if cut {
		head += " Cut to keep the answer small."
	}
	if found.NextCursor != "" {
		head += fmt.Sprintf(" Next page: call search_library with the same arguments and cursor %q; it costs a credit.", found.NextCursor)
	}
	return head
}

// hit gives what was found in the short form of lists.
func (t *Tools) hit(h *index.Hit) piece {
	if h.Entry != nil {
		return t.lib.byID[h.Entry.ID].concise
	}
	return piece{encode(h.Change), changeLine(*h.Change)}
}

func nothingFound(text string, left int, until time.Time) *Answer {
	a := answer(fmt.Sprintf("Nothing was found for %s, and no credit was taken. Try fewer or other words, or list_entries with a tag. %s",
		quote(text), creditsLine(left, until)),
		fmt.Appendf(nil, `{"total":0,"count":0,"hits":[],"credits":{"left":%d,"valid_until":%q}}`, left, timestamp(until)))
	a.meta = receipt(left, until)
	return a
}

func receipt(left int, until time.Time) []byte {
	return fmt.Appendf(nil, `"%sl402-receipt":{"credits_left":%d,"valid_until":%q}`, Prefix, left, timestamp(until))
}

func creditsLine(left int, until time.Time) string {
	return fmt.Sprintf("%d credits are left, valid until %s.", left, timestamp(until))
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// challenge asks for payment: an answer a model can act on, since it never sees HTTP's 402. why
// says what was wrong with the credential, if there was one.
func (t *Tools) challenge(ctx context.Context, q index.Query, from Caller, why string) (*Answer, error) {
	ch, err := t.o.Paid.Challenge(ctx, from.Source)
	if err != nil {
		return nil, worded(err)
	}
	offer := t.o.Paid.Offer
	address := t.c.Site().SearchURL() + "?q=" + url.QueryEscape(q.Text)
	header := "Authorization: L402 " + ch.Macaroon + ":<preimage>"
	var b strings.Builder
	if why != "" {
		b.WriteString("The credential was not taken. " + why + "\n\n")
	}
	fmt.Fprintf(&b, "search_library is paid: %d satoshis buy %d searches within %d days. Pay only if whom you work for agrees.\n\n", offer.PriceSats, offer.Credits, offer.ValidDays)
	fmt.Fprintf(&b, "1. Pay this Lightning invoice (BOLT 11) before %s: %s\n", timestamp(ch.ExpiresAt), ch.Invoice)
	fmt.Fprintf(&b, "2. The payment reveals the preimage, 64 hex digits. Join the macaroon, a colon and the preimage: %s:<preimage>\n", ch.Macaroon)
	fmt.Fprintf(&b, "3. Call search_library again with that as the argument l402, or GET %s with the header Authorization: L402 <macaroon>:<preimage>.\n\n", address)
	fmt.Fprintf(&b, "Free instead: list_entries with category, tag, type or dates; get_protocol_facts; or the whole library at %s.", t.c.Site().URL(catalog.LibraryJSONLPath))
	type httpWay struct {
		URL    string `json:"url"`
		Header string `json:"header"`
	}
	type required struct {
		Scheme      string  `json:"scheme"`
		PriceSats   int64   `json:"price_sats"`
		Credits     int     `json:"credits"`
		ValidDays   int     `json:"valid_days"`
		Invoice     string  `json:"invoice"`
		PaymentHash string  `json:"payment_hash"`
		Macaroon    string  `json:"macaroon"`
		HTTP        httpWay `json:"http"`
		ExpiresAt   string  `json:"expires_at"`
	}
	structured := encode(struct {
		Required required `json:"payment_required"`
	}{required{"L402", offer.PriceSats, offer.Credits, offer.ValidDays, ch.Invoice, ch.PaymentHash, ch.Macaroon,
		httpWay{address, header}, timestamp(ch.ExpiresAt)}})
	a := answer(b.String(), structured)
	a.failed = true
	return a, nil
}

func status(p *catalog.Problem) int {
	code, _ := catalog.CodeOf(p.Code)
	return code.Status
}

// sentence gives the words of a problem: its own, or those of the table.
func sentence(p *catalog.Problem) string {
	if p.Detail != "" {
		return p.Detail
	}
	code, _ := catalog.CodeOf(p.Code)
	return code.Title + ". " + code.Remedy
}

// worded turns a problem into words for the model. What is ours to mend stays an error.
func worded(err error) error {
	if err == nil {
		return nil
	}
	var p *catalog.Problem
	if !errors.As(err, &p) || p.Code == catalog.CodeInternal || status(p) == 0 {
		return err
	}
	s := sentence(p)
	if p.RetryAfter > 0 {
		s += fmt.Sprintf(" Try again in %d seconds.", int((p.RetryAfter+time.Second-1)/time.Second))
	}
	return refusal(s + " No credit was taken.")
}

// replayKey tells searches apart by who pays and what is asked.
func replayKey(credential string, q index.Query) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %s", credential, encode(q)))
}
