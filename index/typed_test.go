package index

import (
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestQueriesAsTyped: what people type is read as they mean it.
func TestQueriesAsTyped(t *testing.T) {
	x := realIndex(t)
	for query, want := range map[string]string{
		"-32042":                            "article:paying-over-mcp-and-a2a",
		"error -32042":                      "article:paying-over-mcp-and-a2a",
		"Fielding":                          "rfc-9110-http-semantics",
		"mac\u200baroon":                    "macaroons-ndss-2014",
		"lightning AND (wallet OR invoice)": "",
	} {
		r := ask(t, x, Query{Text: query})
		if top := ids(r); r.Total == 0 || want != "" && !slices.Contains(top[:min(3, len(top))], want) {
			t.Errorf("%q gives %v, want %s", query, top[:min(3, len(top))], want)
		}
	}
	if r := ask(t, x, Query{Text: "bitcoin -lightning"}); r.Total < 10 {
		t.Errorf("bitcoin -lightning finds %d", r.Total)
	}
	if rob := ask(t, x, Query{Text: "rob"}); !slices.ContainsFunc(ids(rob), func(id string) bool { return strings.Contains(id, "robot") || strings.HasPrefix(id, "ros-") }) {
		t.Errorf("rob gives %v", ids(rob))
	}
	for query, missing := range map[string][]string{"best pizza in Naples": {"pizza", "Naples"}, "BIP 9999": {"BIP", "9999"}, "bolt 13": nil} {
		if r := ask(t, x, Query{Text: query}); r.Total != 0 || missing != nil && !slices.Equal(r.Missing, missing) {
			t.Errorf("%q finds %d, without %q", query, r.Total, r.Missing)
		}
	}
	for _, query := range []string{"What is the monthly fee of the Brindlepay wallet?", "Which port does the Zelkova Payment Relay use?",
		"parameters of borrow_channel in NWC", "value of X-Escrow-Countersign in an x402 retry", "NegotiateBounty message of OCPP", "MacaroonCaveat",
		"tools of the MCP revision 2023-08-14", "HTTP status 472 in MPP", "macaroons of L402 version 4.7",
		"x402 v4 headers", "A2A protocol 5.0 breaking changes", "EU AI Act article 214", "release notes of OCPP 3.4", "AP2 mandate for ISO 15118 over an NFC ring with dogecoin", "phone number of Lightning Labs"} {
		if r := ask(t, x, Query{Text: query}); r.Total != 0 {
			t.Errorf("%q, a name that no record has, finds %v", query, ids(r))
		}
	}
	for i, h := range ask(t, x, Query{Text: "x402 networks", Explain: true}).Entries {
		if h.Explain == nil || len(h.Explain.Terms) == 0 || h.Explain.Record+h.Explain.Passage-h.Explain.Score > 0.001 {
			t.Errorf("hit %d is explained by %+v", i, h.Explain)
		}
	}
}

// TestNamesInPassagesAreFound: a name alone finds a document, wherever it stands.
func TestNamesInPassagesAreFound(t *testing.T) {
	x := realIndex(t)
	name := regexp.MustCompile(`\b[A-Z][A-Za-z]*[A-Z][A-Za-z0-9]*\b`)
	asked := make(map[string]bool)
	for _, p := range AllPassages(realCatalog(t)) {
		for _, n := range name.FindAllString(p.Text, -1) {
			if words := x.analyzer.Words(nil, n); asked[n] || words[0].Stop {
				continue
			}
			asked[n] = true
			if r := ask(t, x, Query{Text: n}); r.Total == 0 {
				t.Errorf("%s, which is in %s, finds nothing", n, p.URL)
			}
		}
	}
}

// TestQueriesOfOtherSubjects: what the catalogue does not cover is answered with nothing, and a name that it only
// spells otherwise is not.
func TestQueriesOfOtherSubjects(t *testing.T) {
	x := realIndex(t)
	for _, query := range []string{"how do I cook rice", "restaurant reservation in Paris", "second-hand sofas for sale", "best running shoes",
		"salary of the x402 Foundation director", "phone number of the lnd support desk", "which x402 facilitator has the nicest office", "L402 with Dogecoin instead of bitcoin"} {
		if r := ask(t, x, Query{Text: query}); r.Total != 0 {
			t.Errorf("%q gives %v", query, ids(r))
		}
	}
	for _, query := range []string{"frontend for agents", "thread border router", "noise handshake"} {
		if r := ask(t, x, Query{Text: query}); r.Total == 0 {
			t.Errorf("%q gives nothing, without %q", query, r.Missing)
		}
	}
}

// TestQueriesInOtherLanguages: a question in German, French, Spanish, Portuguese or Italian finds English texts.
func TestQueriesInOtherLanguages(t *testing.T) {
	x := realIndex(t)
	for query, want := range map[string]string{
		"Haftung bei künstlicher Intelligenz": "eu-ai-act",
		"Ladesäule für Elektroautos":          "iso15118-python",
		"Sicherheit von MCP Servern":          "mcp-security-best-practices",
		"Gesetz gegen Geldwäsche":             "eu-anti-money-laundering-regulation",
		"Rechnung bezahlen mit Lightning":     "core-lightning-pay-command",

		"portefeuille d'identité européen":                "eu-eidas-2",
		"recharge de véhicules électriques":               "iso15118-python",
		"responsabilité pour l'intelligence artificielle": "eu-ai-act",
		"règlement sur les stablecoins":                   "eu-mica",
		"blanchiment d'argent":                            "eu-anti-money-laundering-regulation",

		"factura bolt11":               "bolt-11-invoices",
		"cartera de identidad europea": "eu-eidas-2",
		"seguridad de robots":          "ros-2-dds-security",
		"blanqueo de dinero":           "eu-anti-money-laundering-regulation",
		"pagos instantáneos":           "eu-instant-payments-regulation",

		"pagamentos instantâneos":                "eu-instant-payments-regulation",
		"regulamento de inteligência artificial": "eu-ai-act",
		"segurança de agentes":                   "agent-security-design-patterns",
		"carteira lightning":                     "lnbits",
		"lavagem de dinheiro":                    "eu-anti-money-laundering-regulation",

		"portafoglio di identità europeo": "eu-eidas-2",
		"bonifici istantanei":             "eu-instant-payments-regulation",
		"ricarica di veicoli elettrici":   "iso15118-python",
		"regolamento sulle criptovalute":  "eu-mica",
		"riciclaggio di denaro":           "eu-anti-money-laundering-regulation",
	} {
		if top := ids(ask(t, x, Query{Text: query})); !slices.Contains(top[:min(3, len(top))], want) {
			t.Errorf("%q gives %v, want %s", query, top[:min(3, len(top))], want)
		}
	}
}

// TestSignsAsTyped: quoted values are filters, as are those after a space and those named as the tools do, quotation marks may be mixed, and browsers leave % and ; as they are.
func TestSignsAsTyped(t *testing.T) {
	x := realIndex(t)
	for _, query := range []string{`tag:"mcp"`, `tag:“MCP"`, `category:"payments"`, `tag: mcp`, `tag:"mcp`, `since:2026-01-01`, `until: 2026-01-01`} {
		plain := strings.ToLower(strings.NewReplacer(`"`, "", "“", "", ": ", ":", "since", "from", "until", "to").Replace(query))
		if a, b := ask(t, x, Query{Text: query}), ask(t, x, Query{Text: plain}); a.Total != b.Total || a.Total == 0 {
			t.Errorf("%s finds %d, %s finds %d", query, a.Total, plain, b.Total)
		}
	}
	if a, b := ask(t, x, Query{Text: `“lightning network"`}), ask(t, x, Query{Text: `"lightning network"`}); a.Total != b.Total {
		t.Errorf("mixed marks find %d, equal ones %d", a.Total, b.Total)
	}
	for target, want := range map[string]string{"macaroon;caveat": "macaroon;caveat", "lightning%20100%": "lightning 100%", "100%%20lightning": "100% lightning"} {
		w := httptest.NewRecorder()
		newHandler(x).ServeHTTP(w, httptest.NewRequest("GET", "/v1/search?q="+target, nil))
		if !strings.Contains(w.Body.String(), `"query":"`+want+`"`) {
			t.Errorf("%s is read as %.90s", target, w.Body)
		}
	}
	for _, query := range []string{`WWW-Authenticate: L402 macaroon="AgEEbHNhdAJC...", invoice="lnbc100n1p..." paid, what do I send back`,
		"cheapest way for an agent to pay for an api", "fastest payment protocol for agents",
		`macaroon "the caveat was added by somebody" verification`, `{"isValid":false,"invalidReason":"insufficient_funds"} x402`} {
		if r := ask(t, x, Query{Text: query}); r.Total == 0 {
			t.Errorf("%q finds nothing, without %q", query, r.Missing)
		}
	}
}

// TestOneCorrection: the free search reads a misspelt word as the paid one does, also if a name has its stem by accident:
// "invoce" that of "invocation".
func TestOneCorrection(t *testing.T) {
	x := realIndex(t)
	for query, corrected := range map[string]string{
		"lighning invoce": "lightning invoice", "stablcoin": "stablecoin", "verifable credentals": "verifiable credentials", "checkot session": "checkout session",
	} {
		paid := ask(t, x, Query{Text: query})
		misspelt, err := x.Find(t.Context(), query, nil, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i, word := range strings.Fields(query) {
			if as := strings.Fields(corrected)[i]; as != word && !slices.Contains(misspelt.ReadAs, word+" as "+as) {
				t.Errorf("%s: the free search reads %v", query, misspelt.ReadAs)
			}
		}
		if paid.Suggestion != corrected || misspelt.Total == 0 {
			t.Errorf("%s: the paid search reads %s; the free one finds %d", query, paid.Suggestion, misspelt.Total)
		}
	}
}
