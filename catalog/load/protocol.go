package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog"
)

// lintProtocols judges the protocols, which must be those that site.json compares; nil where that file cannot be read.
func lintProtocols(l *faultList, protocols []located[*catalog.Protocol], compared []string, t *targets) {
	for _, p := range protocols {
		at := linter{l, p.path, ""}
		at.id(p.record.ID, fileID(p.path))
		at.text("name", p.record.Name, maxTitle)
		if compared != nil && !slices.Contains(compared, p.record.ID) {
			at.add("id", "%q is not a protocol of the facts document; %s names %s", p.record.ID, siteFile, strings.Join(compared, ", "))
		}
		at.facts(&p.record.FactSet)
	}
	for _, id := range compared {
		if !t.protocols[id] {
			l.add("protocols/"+id+".json", "is missing; the facts document has %d protocols", len(compared))
		}
	}
}

func (at linter) facts(p *catalog.FactSet) {
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
				at.add(fmt.Sprintf("http_status_codes.value[%d]", i), "%d is not an HTTP status; correct it", s)
			}
		}
	}
	at.headers(p.HTTPHeaders)
	at.networks(p.Networks)
	at.libraries(p)
	if f := p.PayFlow; f != nil {
		at.filled("pay_flow", len(f.Value))
		for i, step := range f.Value {
			at.text(fmt.Sprintf("pay_flow.value[%d]", i), step, maxParagraph)
		}
	}
	if f := p.PaymentRail; f != nil {
		at.text("payment_rail.value", f.Value, maxParagraph)
	}
	if f := p.Notes; f != nil {
		at.text("notes.value", f.Value, maxParagraph)
	}
	switch f := p.Example; {
	case f != nil && strings.TrimSpace(f.Value) == "":
		at.add("example.value", "is empty; write it")
	case f != nil:
		at.visibleLines("example.value", f.Value)
	}
}

// filled refuses an empty list: a fact that the cited pages do not state is null.
func (at linter) filled(name string, n int) {
	if n == 0 {
		at.add(name+".value", "is empty; make the whole fact null if the source does not state it")
	}
}

// eachItem judges each item of a fact that is a list; check gets the beginning of the names of its members.
func eachItem[T any](at linter, fact string, f *catalog.Fact[[]T], check func(name string, item T)) {
	if f == nil {
		return
	}
	at.filled(fact, len(f.Value))
	for i, item := range f.Value {
		check(fmt.Sprintf("%s.value[%d].", fact, i), item)
	}
}

func (at linter) headers(f *catalog.Fact[[]catalog.Header]) {
	eachItem(at, "http_headers", f, func(name string, h catalog.Header) {
		at.text(name+"name", h.Name, maxTitle)
		at.text(name+"role", h.Role, maxParagraph)
		at.oneOf(name+"direction", h.Direction, []string{"request", "response", "both"})
	})
}

// caip2Pattern is the form of a chain id in CAIP-2.
var caip2Pattern = regexp.MustCompile(`^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$`)

func (at linter) networks(f *catalog.Fact[[]catalog.Network]) {
	eachItem(at, "networks", f, func(name string, n catalog.Network) {
		at.text(name+"name", n.Name, maxTitle)
		at.optionalText(name+"caip2", n.CAIP2)
		at.optionalText(name+"asset", n.Asset)
		at.optionalText(name+"contract", n.Contract)
		if n.CAIP2 != nil && !caip2Pattern.MatchString(*n.CAIP2) {
			at.add(name+"caip2", "%q is not a CAIP-2 id; write namespace:reference, for example eip155:8453", *n.CAIP2)
		}
	})
}

func (at linter) libraries(p *catalog.FactSet) {
	eachItem(at, "facilitators", p.Facilitators, func(name string, x catalog.Link) {
		at.text(name+"name", x.Name, maxTitle)
		at.url(name+"url", x.URL)
	})
	eachItem(at, "client_libraries", p.ClientLibraries, func(name string, x catalog.Library) {
		at.text(name+"name", x.Name, maxTitle)
		if x.URL != nil {
			at.url(name+"url", *x.URL)
		}
	})
}

// maxDecimals is above the decimals of any token.
const maxDecimals = 30

// lintAssets judges the assets of networks: each is of a network that the facts of its protocol name, with
// the contract that they name.
func lintAssets(l *faultList, records []located[*catalog.AssetRecord], protocols []located[*catalog.Protocol]) {
	for _, r := range records {
		at := linter{l, r.path, ""}
		if r.record.Protocol != fileID(r.path) {
			at.add("protocol", "is %q and the file is named %q; make them equal", r.record.Protocol, fileID(r.path))
		}
		if len(r.record.Assets) == 0 {
			at.add("assets", "is empty; write one, or remove the file")
		}
		networks := networksOf(r.record.Protocol, protocols)
		for i, a := range r.record.Assets {
			at.prefix = fmt.Sprintf("assets[%d].", i)
			at.asset(a, networks)
			if slices.ContainsFunc(r.record.Assets[:i], func(b catalog.Asset) bool { return a.CAIP2 == b.CAIP2 && a.Contract == b.Contract }) {
				at.add("contract", "%s on %s occurs twice; remove one", a.Contract, a.CAIP2)
			}
		}
	}
}

func (at linter) asset(a catalog.Asset, networks []catalog.Network) {
	at.text("symbol", a.Symbol, maxTitle)
	at.text("transfer_method", a.TransferMethod, maxTitle)
	at.optionalText("eip712_name", a.EIP712Name)
	at.optionalText("eip712_version", a.EIP712Version)
	if (a.EIP712Name == nil) != (a.EIP712Version == nil) {
		at.add("eip712_version", "is null without eip712_name, or the other way round; a payer signs both or neither")
	}
	if a.Decimals < 0 || a.Decimals > maxDecimals {
		at.add("decimals", "%d is not from 0 to %d; correct it", a.Decimals, maxDecimals)
	}
	at.url("source", a.Source)
	at.date("verified_at", a.VerifiedAt)
	is := func(n catalog.Network) bool {
		return n.CAIP2 != nil && *n.CAIP2 == a.CAIP2 && n.Contract != nil && *n.Contract == a.Contract
	}
	switch i := slices.IndexFunc(networks, is); {
	case i < 0:
		at.add("caip2", "the facts of the protocol name no network %s with the contract %s; correct one of the two", a.CAIP2, a.Contract)
	case networks[i].Asset == nil || *networks[i].Asset != a.Symbol:
		at.add("symbol", "is %q and the facts of the protocol name the asset differently; make them agree", a.Symbol)
	}
}

// networksOf returns the networks that the facts of a protocol name.
func networksOf(protocol string, protocols []located[*catalog.Protocol]) []catalog.Network {
	for _, p := range protocols {
		if p.record.ID == protocol && p.record.Networks != nil {
			return p.record.Networks.Value
		}
	}
	return nil
}
