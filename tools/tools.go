// Package tools holds what agents are offered over MCP: the tools, resources, prompts and
// completions, each a small function over an immutable catalog.
//
// An answer is made once, as bytes, and given out in two ways: as a result of the SDK, which is
// the engine and the judge, and by Append for the fast path of package mcpserver. Whatever both
// say is therefore equal. Nothing here changes anything; the one tool that costs, search_library,
// spends a credit of the caller's.
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/netip"
	"time"

	"almanac/catalog"
	"almanac/index"
)

// Prefix stands before the names this service adds to the protocol: the keys of _meta and the
// extensions. The rules for _meta keys want a prefix of labels ending in a slash, and reserve
// those whose second label is mcp or modelcontextprotocol; reverse DNS is recommended, which a
// program that anyone may run under any name cannot follow. So the prefix is fixed. The names are
// almanac/payments (an extension among the capabilities: what is paid for, and the offer),
// almanac/price (_meta of the tool), almanac/l402 (_meta of a call: the credential) and
// almanac/l402-receipt (_meta of its result: what is left).
const Prefix = "almanac/"

// Options are what the tools depend on besides the data.
type Options struct {
	Paid *Paid            // nil: search_library is not offered
	Now  func() time.Time // nil: time.Now
	Log  *slog.Logger     // nil: nothing is logged
}

// Tools are the offers to agents over one catalog. They are safe for concurrent use.
type Tools struct {
	c     *catalog.Catalog
	x     *index.Index
	o     Options
	lib   *library
	facts *facts
	feed  *feed
	books *books
	tools []*tool
	named map[string]*tool

	replays replays
}

// A tool is one offer: its words, its arguments, and the function behind them.
type tool struct {
	name, title, about string
	params             []param
	output             *schema // nil: the structured answer has no promised form
	noSearch           string  // a sentence for callers who would have it search for words
	paid               bool
	run                func(context.Context, args, Caller) (*Answer, error)
}

// A Caller is who asks, as far as search_library needs to know.
type Caller struct {
	Credential string     // from the Authorization header or from _meta; "" for none
	Source     netip.Addr // the address that is asking
}

// New makes the offers over a catalog. Everything that depends on the data alone is encoded here.
func New(c *catalog.Catalog, x *index.Index, o Options) *Tools {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	t := &Tools{c: c, x: x, o: o, named: make(map[string]*tool)}
	t.lib = newLibrary(c)
	t.facts = newFacts(c)
	t.feed = newFeed(c)
	t.books = newBooks(t)
	t.tools = []*tool{
		t.listCategories(), t.listTags(), t.listEntries(), t.getEntry(),
		t.getProtocolFacts(), t.listChanges(), t.getSupportMethods(),
	}
	if o.Paid != nil {
		t.tools = append(t.tools, t.searchLibrary())
	}
	for _, d := range t.tools {
		t.named[d.name] = d
	}
	return t
}

// Has tells whether a tool is offered.
func (t *Tools) Has(name string) bool {
	_, ok := t.named[name]
	return ok
}

// FreeName gives the name of a tool that costs nothing, and so answers from memory alone, or "".
func (t *Tools) FreeName(name []byte) string {
	if d, ok := t.named[string(name)]; ok && !d.paid {
		return d.name
	}
	return ""
}

// Call runs a tool on its arguments, which are the raw JSON of the request or empty. What the
// caller did wrong is an answer too, marked as a failure, because a model can read and mend it.
// An error is either a fault of this service or an unknown tool.
func (t *Tools) Call(ctx context.Context, name string, arguments json.RawMessage, from Caller) (*Answer, error) {
	d, ok := t.named[name]
	if !ok {
		return nil, ErrUnknownTool
	}
	in, err := d.read(arguments)
	if err != nil {
		return refused(err)
	}
	a, err := d.run(ctx, in, from)
	if err != nil {
		return refused(err)
	}
	return a, nil
}

// ErrUnknownTool is the error of Call for a name that is not offered.
var ErrUnknownTool = errors.New("no such tool")

// A refusal is a sentence or three for the model: what was wrong, what is allowed, an example.
type refusal string

func (r refusal) Error() string { return string(r) }

func refused(err error) (*Answer, error) {
	var r refusal
	if errors.As(err, &r) {
		return failure(string(r)), nil
	}
	return nil, err
}
