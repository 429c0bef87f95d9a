package tools

import (
	"context"
	"slices"
	"strconv"
)

// overviewFields are returned when neither protocols nor fields are named: those in which the
// protocols differ. Everything about every protocol would not fit in an answer.
var overviewFields = []string{"spec_url", "http_status_codes", "payment_rail", "pay_flow"}

func getProtocolFacts(d *data) *tool {
	ids := d.protocols.ids
	return &tool{
		signature: signature{
			name: "get_protocol_facts",
			params: []param{
				{name: "protocols", kind: kindList, allowed: ids, max: len(ids), example: `["l402"]`, about: "Only these."},
				{name: "fields", kind: kindList, allowed: factFields, max: len(factFields), example: `["http_headers"]`, about: "Only these facts."},
				{name: "evidence", kind: kindBool, example: `true`, about: "Also quotes, copies and conflicting readings."},
			},
		},
		title: "Get protocol facts",
		about: "Returns checked facts about payment protocols to cite: {value, source, verified_at}, or null when the cited pages do not state it. " +
			"Use it to explain, compare or implement one. " +
			"Without arguments: an overview; without fields: everything. " +
			`Example: {"protocols":["l402","x402"],"fields":["http_headers","pay_flow"]}.`,
		output: object(prop("count", integerSchema), prop("protocols", listOf(protocolSchema()))),
		run: func(_ context.Context, in arguments, _ Caller) (*Answer, error) {
			return d.getProtocolFacts(in.list("protocols"), in.list("fields"), in.set("evidence")), nil
		},
	}
}

// protocolSchema is the schema of a protocol: every member besides these three is a fact or null.
func protocolSchema() *schema {
	s := object(prop("id", textSchema), prop("name", textSchema), prop("featured", boolSchema))
	s.AdditionalProperties = orNull(object(prop("value", &schema{}), prop("source", textSchema), prop("verified_at", textSchema)))
	return s
}

func (d *data) getProtocolFacts(ids, fields []string, evidence bool) *Answer {
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
		ids = d.protocols.ids
	}
	body, count, omitted := d.protocolPieces(ids, fields)
	a := newJSONAnswer(len(body.json) + 8)
	a.raw(`{"count":` + strconv.Itoa(count) + `,"protocols":[`)
	a.add(body)
	a.raw("]")
	if evidence {
		d.addEvidence(a, slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(omitted, id) }), fields)
	}
	if leftOut != nil {
		a.raw(`,"fields_left_out":`)
		a.value(leftOut)
	}
	a.omitted(omitted)
	a.raw("}")
	return a.answer()
}

// addEvidence adds what was read for facts, as much as fits in an answer, and names the facts of the rest.
func (d *data) addEvidence(a *jsonAnswer, ids, fields []string) {
	var leftOut []string
	a.raw(`,"evidence":[`)
	separator := ""
	for _, id := range ids {
		for _, name := range factFields {
			e := d.protocols.byID[id].evidence[name]
			switch {
			case e.json == nil || !slices.Contains(fields, name):
			case a.size+e.size() > maxAnswer-pageHead:
				leftOut = append(leftOut, id+"."+name)
			default:
				a.raw(separator)
				a.piece(e)
				separator = ","
			}
		}
	}
	a.raw("]")
	if leftOut != nil {
		a.raw(`,"evidence_left_out":`)
		a.value(leftOut)
	}
}

// protocolPieces returns as many of the protocols as fit in an answer, and the ids of the others.
func (d *data) protocolPieces(ids, fields []string) (body *jsonAnswer, count int, omitted []string) {
	body = newJSONAnswer(16)
	for _, id := range ids {
		ps, size := d.protocols.byID[id].pieces(fields), pageHead
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
	return body, count, omitted
}
