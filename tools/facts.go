package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
	"go.almanac.example/index"
	"go.almanac.example/index/find"
)

// protocols are the facts and the comparison of all payment protocols, field by field.
type protocols struct {
	ids     []string          // in their published order
	fields  []string          // of all protocols, the facts first
	aliases map[string]string // names of other documents for some fields
	list    []protocol        // in the order of the ids

	earlier []protocol // versions of protocols that are not the newest, oldest first
}

type protocol struct {
	id, name, about string
	version         string // its name; "" where the newest has none
	newest          bool
	values          map[string]value
}

// A value is a field of a protocol, nil where its sources do not state it.
type value struct {
	catalog.ProfileField
	readings []catalog.ClassedReading
}

// The reasons for a null.
const (
	reasonSilent  = "not_stated"    // the sources were read and do not state it
	reasonUnasked = "not_collected" // this catalogue has the field for other protocols only
	maxShortValue = 160             // bytes of a text in an overview
	maxShortItems = 3               // items of a list in an overview
	maxMatched    = 240             // bytes of a text of which only sentences with the words are shown
	maxVersion    = 32              // characters of the name of a version
	nullNote      = "not_stated: the sources read do not say, never a no."
	unaskedNote   = "not_collected: not read for this protocol."
	shortNote     = "Long values are shortened; name fields for all of them."
	overviewNote  = "Sources come with protocols or fields."
)

// overviewFields are the fields asked for most, for a query that names none.
var overviewFields = []string{"status", "steward", "payment_rail", "account_needed"}

func newProtocols(c *catalog.Catalog) *protocols {
	ps := &protocols{ids: c.ProtocolPageIDs(), aliases: make(map[string]string)}
	for _, f := range c.ProtocolFields("") {
		ps.fields = append(ps.fields, f.Name)
	}
	for _, f := range new(catalog.Profile).Fields() {
		if name := catalog.FieldAlias(f.Name); name != f.Name {
			ps.aliases[f.Name] = name
		}
	}
	for _, id := range ps.ids {
		ps.add(c, id)
	}
	return ps
}

func (ps *protocols) add(c *catalog.Catalog, id string) {
	p := protocol{id: id, name: c.ProtocolName(id), newest: true, values: make(map[string]value)}
	_, hasFacts := c.Protocol(id)
	profile, hasProfile := c.Profile(id)
	if hasProfile {
		p.about = profile.Summary
	}
	inBoth := slices.Collect(maps.Values(ps.aliases))
	for _, f := range c.ProtocolFields(id) {
		isFact := f.Group == ""
		if isFact && hasFacts || hasProfile && (!isFact || slices.Contains(inBoth, f.Name)) {
			p.values[f.Name] = value{ProfileField: f}
		}
	}
	version, _ := p.values["version"].Value.(string)
	p.version, _, _ = strings.Cut(version, " ") // the name is its first word
	if e, ok := c.Evidence(catalog.HistoryPathID("protocol:" + id)); ok {
		p.addReadings(c.ClassedEvidence(e))
	}
	ps.list = append(ps.list, p)
	ps.addVersions(c, id)
}

func (p *protocol) addReadings(evidence []catalog.ClassedMemberEvidence) {
	for _, m := range evidence {
		if v, ok := p.values[m.Member]; ok {
			v.readings = m.Readings
			p.values[m.Member] = v
		}
	}
}

// shortened returns the value as an overview has it.
func (v *value) shortened() json.RawMessage {
	switch text, isText := v.Value.(string); {
	case v.Short != "":
		return encode(v.Short)
	case isText:
		return encode(find.Cut(text, maxShortValue))
	}
	return fewItems(encode(v.Value), maxShortItems)
}

// fewItems returns a list that has more than most items cut to its first ones, and any other value as it is.
func fewItems(raw json.RawMessage, most int) json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) <= most {
		return raw
	}
	return encode(append(items[:maxShortItems:maxShortItems], encode(phrase.Count(len(items)-maxShortItems, "more", "more"))))
}

// factText returns a value as text; the parts of a list have a line each.
func factText(v any) string {
	parts := index.FactParts(v)
	switch v.(type) {
	case string, []int:
		return parts[0]
	}
	return "\n  - " + strings.Join(parts, "\n  - ")
}

// find returns a protocol by its id, or nil.
func (ps *protocols) find(id string) *protocol {
	if i := slices.Index(ps.ids, id); i >= 0 {
		return &ps.list[i]
	}
	return nil
}

// value returns a field of a protocol, and the reason if it is null.
func (p *protocol) value(field string) (v value, reason string) {
	v, ok := p.values[field]
	switch {
	case !ok:
		return v, reasonUnasked
	case v.Value == nil:
		return v, reasonSilent
	}
	return v, ""
}

// silence returns a sentence that a field is not stated, and the addresses of some of the pages that were read.
func (p *protocol) silence(field string) (text string, read []string) {
	for _, v := range p.values {
		read = append(read, v.Source)
	}
	slices.Sort(read)
	read = slices.DeleteFunc(slices.Compact(read), func(source string) bool { return source == "" })
	return fmt.Sprintf("%s, %s: not stated in the %d pages read, which is never a no; among them:", p.name, field, len(read)), read[:min(3, len(read))]
}

func getProtocolFacts(d *data) *tool {
	ps := d.protocols
	version := func(name, about string) param {
		return param{name: name, min: 1, max: maxVersion, example: `"v1"`, about: about}
	}
	return &tool{
		signature: signature{
			name: "get_protocol_facts",
			params: []param{
				{name: "protocols", aliases: []string{"protocol", "ids", "id"}, kind: kindList, prefix: "protocol:", allowed: ps.ids,
					max: len(ps.ids), brief: true, example: "[" + quoted(d.examples.Protocol) + "]", about: "Only these ids."},
				{name: "fields", aliases: []string{"field"}, kind: kindList, allowed: ps.fields, max: len(ps.fields), means: ps.aliases,
					example: `["refund","fees"]`, about: "Only these, in full."},
				{name: "match", aliases: queryAliases, min: 2, max: maxQuery, example: `"usdc base"`, about: "Only values with these."},
				version("version", "An earlier one."), version("from", "Compares this version…"),
				version("to", "…with this; default the newest."),
				{name: "evidence", kind: kindBool, example: `true`, about: "Also quotes, classes and conflicts."},
			},
		},
		title: "Protocol facts",
		about: "To compare payment protocols, or for what each says of networks, headers, fees, refunds, who governs it; with from, an upgrade guide. " +
			`Examples: {"fields":["refund","fees"]}, ` + ps.example(d.examples.Protocol, "") + ".",
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
			if in.text("from")+in.text("to") != "" {
				return d.compare(in)
			}
			q := factQuery{ids: in.list("protocols"), fields: in.list("fields"), evidence: in.set("evidence")}
			if version := in.text("version"); version != "" {
				var err error
				if q.list, err = ps.inVersion(version, q.ids); err != nil {
					return nil, err
				}
			}
			q.words = strings.Fields(strings.ToLower(in.text("match")))
			q.short, q.named = q.fields == nil && len(q.words) == 0, q.fields != nil && q.ids != nil
			if q.fields == nil {
				q.fields = ps.fields
				if q.ids == nil && len(q.words) == 0 && in.text("version") == "" {
					q.fields, q.bare = overviewFields, true
				}
			}
			return newJSONAnswer(ps.answer(q)), nil
		},
	}
}

// A factQuery selects facts.
type factQuery struct {
	list            []protocol // nil: the newest versions of all
	ids, fields     []string   // ids nil: all
	words           []string   // that a value must have, unless it was asked for by name
	named           bool       // protocols and fields were
	short, evidence bool
	bare            bool // without sources
}

// A footnote is a source of facts.
type footnote struct {
	N          int          `json:"n"`
	URL        string       `json:"url"`
	VerifiedAt catalog.Date `json:"verified_at"`
}

// A factValue is a field in an answer.
type factValue struct {
	Value    json.RawMessage          `json:"value"`
	Classes  []string                 `json:"classes,omitempty"`
	Source   int                      `json:"source,omitempty"`
	Reason   string                   `json:"reason,omitempty"` // of a null
	Quote    string                   `json:"quote,omitempty"`
	Readings []catalog.ClassedReading `json:"readings,omitempty"`
}

func (ps *protocols) answer(q factQuery) factAnswer {
	out := factAnswer{factQuery: q, Protocols: []json.RawMessage{}, Sources: []footnote{}}
	size := pageHead
	if q.list == nil {
		q.list = ps.list
	}
	for i := range q.list {
		p := &q.list[i]
		if q.ids != nil && !slices.Contains(q.ids, p.id) {
			continue
		}
		known := len(out.Sources)
		record := out.record(p)
		if record == nil {
			continue
		}
		if size += textSize(record) + 160*(len(out.Sources)-known); out.Omitted != nil || size > maxAnswer && len(out.Protocols) > 0 {
			out.Omitted = append(out.Omitted, p.id)
			out.Sources = out.Sources[:known]
			continue
		}
		out.Protocols = append(out.Protocols, record)
	}
	if len(out.Protocols) == 0 {
		out.Note = "No value has all of these words: use fewer, or search."
		return out
	}
	out.Note = strings.TrimSpace(textIf(out.silent, nullNote+" ") + textIf(out.unasked, unaskedNote+" ") + textIf(out.short, shortNote+" ") + textIf(out.bare, overviewNote))
	return out
}

// A factAnswer is the answer to a factQuery.
type factAnswer struct {
	factQuery
	silent, unasked bool // it has a null for the reason

	Protocols []json.RawMessage `json:"protocols"`
	Sources   []footnote        `json:"sources"`
	Note      string            `json:"note,omitempty"`
	Omitted   []string          `json:"omitted,omitempty"` // to keep the answer small: ask for these
}

// record returns the fields of a protocol that were asked for, nil if it has none of the words.
func (out *factAnswer) record(p *protocol) json.RawMessage {
	record := members{{"id", p.id}, {"name", p.name}}
	if out.short && p.about != "" {
		record = append(record, member{"about", factValue{Value: encode(p.about)}})
	}
	found := false
	var silent []string
	for _, name := range out.fields {
		v, reason := p.value(name)
		full, ok := v.matching(out.words)
		if !ok && out.named {
			full, ok = encode(v.Value), true
		}
		if !ok || reason == reasonUnasked && out.short {
			continue
		}
		found = true
		out.silent, out.unasked = out.silent || reason == reasonSilent, out.unasked || reason == reasonUnasked
		if reason != "" && out.short {
			silent = append(silent, name)
			continue
		}
		f := factValue{Value: full, Reason: reason}
		if v.Source != "" && !out.bare {
			f.Source = out.cite(v.Evidence)
		}
		if out.short {
			f.Value = v.shortened()
		}
		if out.evidence {
			f.Classes, f.Quote, f.Readings = v.Classes, v.Quote, v.readings
		}
		record = append(record, member{name, f})
	}
	if len(out.words) > 0 && !found {
		return nil
	}
	if silent != nil {
		record = append(record, member{reasonSilent, silent})
	}
	return encode(record)
}

// cite returns the number of the source of a value.
func (out *factAnswer) cite(e catalog.Evidence) int {
	for _, f := range out.Sources {
		if f.URL == e.Source && f.VerifiedAt == e.VerifiedAt {
			return f.N
		}
	}
	out.Sources = append(out.Sources, footnote{len(out.Sources) + 1, e.Source, e.VerifiedAt})
	return len(out.Sources)
}

// matching returns the value, of a list only the items that have all words, and whether anything has them.
func (v *value) matching(words []string) (json.RawMessage, bool) {
	full := encode(v.Value)
	if len(words) == 0 {
		return full, true
	}
	if v.Value == nil {
		return nil, false
	}
	var items []json.RawMessage
	if json.Unmarshal(full, &items) == nil {
		items = slices.DeleteFunc(items, func(item json.RawMessage) bool { return !hasWords(string(item), words) })
		return encode(items), len(items) > 0
	}
	if text, ok := v.Value.(string); ok {
		full = encode(bestPart(text, strings.Join(words, " "), maxMatched))
	}
	return full, hasWords(string(encode(v.Value))+" "+strings.Join(v.Classes, " "), words)
}

func hasWords(text string, words []string) bool { return countWords(text, words) == len(words) }

// countWords returns how many of some words, in lower case, a text has: a short one, such as Go, by itself, others also as
// parts of words.
func countWords(text string, words []string) (n int) {
	text = strings.ToLower(text)
	plain := plainWords(text)
	for _, w := range words {
		if strings.Contains(text, w) && (len(w) > 2 || strings.Contains(plain, plainWords(w))) {
			n++
		}
	}
	return n
}
