package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"almanac/catalog"
)

// factFields are the facts of a protocol in their published order. example exists on l402 only.
var factFields = []string{
	"spec_url", "http_status_codes", "http_headers", "payment_rail", "networks",
	"facilitators", "client_libraries", "pay_flow", "notes", "example",
}

// overviewFields are given when all protocols are asked for and no fields: those that tell the
// protocols apart. Everything about everything would be more than an answer may hold.
var overviewFields = []string{"spec_url", "http_status_codes", "payment_rail", "pay_flow"}

// facts are the protocols, encoded fact by fact.
type facts struct {
	ids       []string
	protocols map[string]*protocolPieces
}

type protocolPieces struct {
	head   piece            // id, name and featured, with the opening brace
	fields map[string]piece // members, each with its leading comma
	whole  piece            // everything, closed
}

func newFacts(c *catalog.Catalog) *facts {
	f := &facts{protocols: make(map[string]*protocolPieces)}
	for _, p := range c.Protocols().Protocols {
		f.ids = append(f.ids, p.ID)
		pp := &protocolPieces{
			head:   same(fmt.Sprintf(`{"id":%s,"name":%s,"featured":%s`, encode(p.ID), encode(p.Name), encode(p.Featured))),
			fields: make(map[string]piece),
			whole:  same(string(encode(p))),
		}
		for _, ff := range p.Facts() {
			pp.fields[ff.Name] = same(fmt.Sprintf(`,%q:%s`, ff.Name, encode(factOf(ff))))
		}
		f.protocols[p.ID] = pp
	}
	return f
}

// factOf gives a fact as it is published, which is null when the cited pages do not state it.
func factOf(ff catalog.FactField) any {
	if ff.Value == nil {
		return nil
	}
	return catalog.Fact[any]{Value: ff.Value, Source: ff.Source, VerifiedAt: ff.VerifiedAt}
}

// of gives a protocol with some of its facts.
func (pp *protocolPieces) of(fields []string) []piece {
	if len(fields) == len(factFields) {
		return []piece{pp.whole}
	}
	ps := []piece{pp.head}
	for _, name := range factFields {
		if slices.Contains(fields, name) && pp.fields[name].json != nil {
			ps = append(ps, pp.fields[name])
		}
	}
	return append(ps, same("}"))
}

// protocolObject is the form of a protocol in answers: every member besides these three is a fact,
// or null.
func protocolObject() *schema {
	s := object([]string{"id", "name", "featured"}, prop("id", isText), prop("name", isText), prop("featured", isFlag))
	s.AdditionalProperties = orNull(object([]string{"value", "source", "verified_at"},
		prop("source", isText), prop("verified_at", isText)))
	return s
}

func (t *Tools) getProtocolFacts() *tool {
	return &tool{
		name: "get_protocol_facts", title: "Get checked protocol facts",
		about: "Gives checked facts about payment protocols: specification, HTTP codes and headers, networks, pay flow and more. " +
			"Use it to explain, compare or implement one; for further reading use list_entries. " +
			"Without arguments it gives an overview; name protocols for everything about them, or fields to compare. " +
			"Facts are {value, source, verified_at}, to be cited, or null when the cited pages do not state them. " +
			`Example: {"protocols":["l402","x402"],"fields":["http_headers","pay_flow"]}.`,
		params: []param{
			{name: "protocols", kind: list, allowed: t.facts.ids, max: len(t.facts.ids), example: `["l402"]`},
			{name: "fields", kind: list, allowed: factFields, max: len(factFields), example: `["http_headers"]`},
		},
		output: object([]string{"count", "protocols"},
			prop("protocols", listOf(protocolObject())),
			prop("omitted", isTexts)),
		run: t.runGetProtocolFacts,
	}
}

func (t *Tools) runGetProtocolFacts(_ context.Context, in args, _ Caller) (*Answer, error) {
	ids, fields := in.list("protocols"), in.list("fields")
	var leftOut []string
	switch {
	case ids == nil && fields == nil:
		fields = overviewFields
		for _, name := range factFields {
			if !slices.Contains(overviewFields, name) {
				leftOut = append(leftOut, name)
			}
		}
	case fields == nil:
		fields = factFields
	}
	if ids == nil {
		ids = t.facts.ids
	}
	body, omitted := newTwin(16), []string(nil)
	count := 0
	for _, id := range ids {
		ps, size := t.facts.protocols[id].of(fields), pageHead
		for _, p := range ps {
			size += p.size()
		}
		if count > 0 && body.size+size > maxAnswer {
			omitted = append(omitted, id)
			continue
		}
		if count > 0 {
			body.raw(",")
		}
		for _, p := range ps {
			body.piece(p)
		}
		count++
	}
	w := newTwin(len(body.json) + 8)
	w.raw(`{"count":` + strconv.Itoa(count) + `,"protocols":[`)
	w.twin(body)
	w.raw("]")
	if leftOut != nil {
		w.raw(`,"fields_left_out":`)
		w.value(leftOut)
	}
	w.omits(omitted)
	w.raw("}")
	return w.answer(), nil
}
