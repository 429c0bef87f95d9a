package catalog

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"almanac/nearest"
)

const maxFactText = 2000

func lintProtocols(l *faultList, protocols []located[*Protocol]) {
	seen := make(map[string]bool)
	for _, p := range protocols {
		at := linter{l, p.path, ""}
		at.id(p.record.ID, strings.TrimSuffix(path.Base(p.path), ".json"))
		at.text("name", p.record.Name, maxTitle)
		if !slices.Contains(ProtocolIDs, p.record.ID) {
			at.add("id", "%q is no protocol of the facts document; they are %s", p.record.ID, strings.Join(ProtocolIDs, ", "))
		}
		seen[p.record.ID] = true
		at.facts(p.record)
	}
	for _, id := range ProtocolIDs {
		if !seen[id] {
			l.add("protocols/"+id+".json", "is missing; the facts document has %d protocols", len(ProtocolIDs))
		}
	}
}

func (at linter) facts(p *Protocol) {
	for _, f := range p.Facts() {
		if f.Value == nil {
			continue
		}
		at.url(f.Name+".source", f.Source)
		at.date(f.Name+".verified_at", f.VerifiedAt)
	}
	if f := p.SpecURL; f != nil {
		at.url("spec_url.value", f.Value)
	}
	if f := p.HTTPStatusCodes; f != nil {
		at.filled("http_status_codes", len(f.Value))
		for i, s := range f.Value {
			if s < 100 || s > 599 {
				at.add(fmt.Sprintf("http_status_codes.value[%d]", i), "%d is no HTTP status", s)
			}
		}
	}
	at.headers(p.HTTPHeaders)
	at.networks(p.Networks)
	at.libraries(p)
	if f := p.PayFlow; f != nil {
		at.filled("pay_flow", len(f.Value))
		for i, step := range f.Value {
			at.text(fmt.Sprintf("pay_flow.value[%d]", i), step, maxFactText)
		}
	}
	if f := p.PaymentRail; f != nil {
		at.text("payment_rail.value", f.Value, maxFactText)
	}
	if f := p.Notes; f != nil {
		at.text("notes.value", f.Value, maxFactText)
	}
	switch f := p.Example; {
	case f == nil && p.ID == exampleID:
		at.add("example", "is missing; this protocol has one")
	case f != nil && p.ID != exampleID:
		at.add("example", "is for %q only; remove it", exampleID)
	case f != nil && strings.TrimSpace(f.Value) == "":
		at.add("example.value", "is empty; write it")
	case f != nil:
		at.visibleLines("example.value", f.Value)
	}
}

// exampleID is the one protocol whose facts have an example (SPEC.md, "Protocol facts document").
const exampleID = "l402"

// filled refuses an empty list: what the cited pages do not state is a null fact.
func (at linter) filled(name string, n int) {
	if n == 0 {
		at.add(name+".value", "is empty; make the whole fact null if the source does not state it")
	}
}

func (at linter) headers(f *Fact[[]Header]) {
	if f == nil {
		return
	}
	at.filled("http_headers", len(f.Value))
	for i, h := range f.Value {
		name := fmt.Sprintf("http_headers.value[%d].", i)
		at.text(name+"name", h.Name, maxTitle)
		at.text(name+"role", h.Role, maxFactText)
		if h.Direction != "request" && h.Direction != "response" && h.Direction != "both" {
			at.add(name+"direction", "%q is unknown; use request, response or both", h.Direction)
		}
	}
}

func (at linter) networks(f *Fact[[]Network]) {
	if f == nil {
		return
	}
	at.filled("networks", len(f.Value))
	for i, n := range f.Value {
		name := fmt.Sprintf("networks.value[%d].", i)
		at.text(name+"name", n.Name, maxTitle)
		at.optionalText(name+"caip2", n.CAIP2)
		at.optionalText(name+"asset", n.Asset)
		at.optionalText(name+"contract", n.Contract)
		if n.CAIP2 != nil && !caip2Pattern.MatchString(*n.CAIP2) {
			at.add(name+"caip2", "%q is no CAIP-2 id; write namespace:reference, for example eip155:8453", *n.CAIP2)
		}
	}
}

func (at linter) optionalText(field string, s *string) {
	if s != nil {
		at.text(field, *s, maxTitle)
	}
}

// caip2Pattern is the form of a chain id in CAIP-2.
var caip2Pattern = regexp.MustCompile(`^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$`)

func (at linter) libraries(p *Protocol) {
	if f := p.Facilitators; f != nil {
		at.filled("facilitators", len(f.Value))
		for i, x := range f.Value {
			at.text(fmt.Sprintf("facilitators.value[%d].name", i), x.Name, maxTitle)
			at.url(fmt.Sprintf("facilitators.value[%d].url", i), x.URL)
		}
	}
	if f := p.ClientLibraries; f != nil {
		at.filled("client_libraries", len(f.Value))
		for i, x := range f.Value {
			at.text(fmt.Sprintf("client_libraries.value[%d].name", i), x.Name, maxTitle)
			if x.URL != nil {
				at.url(fmt.Sprintf("client_libraries.value[%d].url", i), *x.URL)
			}
		}
	}
}

func (c *Catalog) lintArticles(l *faultList, articles []located[*Article], vocabulary map[string]bool) {
	for _, a := range articles {
		at := linter{l, a.path, ""}
		at.id(a.record.ID, path.Base(path.Dir(a.path)))
		at.text("title", a.record.Title, maxTitle)
		at.text("summary", a.record.Summary, maxSummary)
		at.optionalDate("date_published", a.record.DatePublished)
		at.date("verified_at", a.record.VerifiedAt)
		at.list("tags", a.record.Tags)
		at.tags(a.record.Tags, vocabulary)
		at.list("protocols", a.record.Protocols)
		at.list("entries", a.record.Entries)
		for i, id := range a.record.Protocols {
			if _, ok := c.Protocol(id); !ok {
				at.add(fmt.Sprintf("protocols[%d]", i), "%q is no protocol of the catalogue%s", id, nearest.DidYouMean(id, ProtocolIDs, 1))
			}
		}
		for i, id := range a.record.Entries {
			if _, ok := c.byID[id]; !ok {
				at.add(fmt.Sprintf("entries[%d]", i), "%q is no entry of the library%s", id, nearest.DidYouMean(id, sortedKeys(c.byID), 1))
			}
		}
		c.lintText(linter{l, path.Join(path.Dir(a.path), "article.md"), ""}, a.record.Body)
		for _, id := range c.grounds(a.record.Body, entryLink) {
			if !slices.Contains(a.record.Entries, id) {
				at.add("entries", "the text links to %q; list it", id)
			}
		}
		for _, id := range c.grounds(a.record.Body, protocolLink) {
			if !slices.Contains(a.record.Protocols, id) {
				at.add("protocols", "the text links to %q; list it", id)
			}
		}
	}
}

func (c *Catalog) lintDatasets(l *faultList, datasets []located[*Dataset]) {
	seen := make(map[string]bool)
	for _, d := range datasets {
		at := linter{l, d.path, ""}
		at.id(d.record.ID, path.Base(path.Dir(d.path)))
		at.text("title", d.record.Title, maxTitle)
		at.text("summary", d.record.Summary, maxSummary)
		at.text("note", d.record.Note, maxSummary)
		at.url("license", d.record.License)
		at.optionalDate("date_published", d.record.DatePublished)
		at.date("verified_at", d.record.VerifiedAt)
		at.list("keywords", d.record.Keywords)
		for i, col := range d.record.Columns {
			at.text(fmt.Sprintf("columns[%d].description", i), col.Description, maxSummary)
			if !slices.Contains(columnTypes, col.Type) {
				at.add(fmt.Sprintf("columns[%d].type", i), "%q is unknown; use one of %s", col.Type, strings.Join(columnTypes, ", "))
			}
		}
		c.lintText(linter{l, path.Join(path.Dir(d.path), "README.md"), ""}, d.record.Readme)
		if err := c.derive(d.record); err != nil {
			at.add("columns", "%v", err)
		}
		seen[d.record.ID] = true
	}
	for _, id := range sortedKeys(derivations) {
		if !seen[id] {
			l.add("datasets/"+id+"/card.json", "is missing; write a card for the derived dataset %q", id)
		}
	}
}

var columnTypes = []string{"string", "integer", "boolean", "date", "url", "list"}

func (c *Catalog) lintBots(l *faultList, bots []located[*Bot]) {
	for _, b := range bots {
		at := linter{l, b.path, ""}
		at.id(b.record.ID, strings.TrimSuffix(path.Base(b.path), ".json"))
		at.text("title", b.record.Title, maxTitle)
		if !productPattern.MatchString(b.record.Product) {
			at.add("product", "%q is no product token, which robots.txt can name; use letters, hyphens and underscores", b.record.Product)
		}
		at.text("purpose", b.record.Purpose, maxFactText)
		at.text("note", b.record.Note, maxSummary)
		at.paragraphs("behaviour", b.record.Behaviour)
		at.paragraphs("leave_alone", b.record.LeaveAlone)
		at.optionalDate("date_published", b.record.DatePublished)
		at.date("verified_at", b.record.VerifiedAt)
	}
	if c.LinkChecker() == nil {
		l.add("bots/"+linkCheckerID+".json", "is missing; the link checker must say who it is")
	}
}

// productPattern is the form of a product token (RFC 9309, section 2.2.1).
var productPattern = regexp.MustCompile(`^[A-Za-z_-]+$`)

func (at linter) paragraphs(field string, list []string) {
	if len(list) == 0 {
		at.add(field, "is empty; write it")
	}
	for i, s := range list {
		at.text(fmt.Sprintf("%s[%d]", field, i), s, maxFactText)
	}
}

// minMethods is SPEC.md's least number of ways to tip.
const minMethods = 6

func lintSupport(l *faultList, f supportFile, s Site) {
	at := linter{l, supportPath, ""}
	at.text("purpose", f.Purpose, maxFactText)
	at.text("note", f.Note, maxFactText)
	at.date("updated", f.Updated)
	if len(f.Methods) < minMethods {
		at.add("methods", "has %d; the document needs at least %d", len(f.Methods), minMethods)
	}
	names := make(map[string]bool)
	for i, m := range f.Methods {
		field := fmt.Sprintf("methods[%d]", i)
		method, err := m.derive(s)
		if err != nil {
			at.add(field, "%v", err)
			continue
		}
		if names[method.Name()] {
			at.add(field, "is a second %s; keep one", method.Name())
		}
		names[method.Name()] = true
	}
	if f.SuggestedAmountsSats == nil {
		at.add("suggested_amounts_sats", "is missing; write [] for none")
	}
	for i, n := range f.SuggestedAmountsSats {
		if n < 1 {
			at.add(fmt.Sprintf("suggested_amounts_sats[%d]", i), "%d is less than 1 satoshi", n)
		}
	}
}

func lintTrust(l *faultList, f trustFile) {
	at := linter{l, trustPath, ""}
	at.text("title", f.Title, maxTitle)
	at.text("summary", f.Summary, maxFactText)
	at.text("note", f.Note, maxSummary)
	at.text("credit_note", f.CreditNote, maxFactText)
	at.optionalDate("date_published", f.DatePublished)
	at.date("verified_at", f.VerifiedAt)
	if len(f.Checks) == 0 {
		at.add("checks", "is empty; write what readers can hold the service to")
	}
	for i, k := range f.Checks {
		name := fmt.Sprintf("checks[%d].", i)
		at.slug(name+"id", k.ID)
		at.text(name+"title", k.Title, maxTitle)
		at.text(name+"promise", k.Promise, maxFactText)
		at.text(name+"test", k.Test, maxFactText)
	}
}
