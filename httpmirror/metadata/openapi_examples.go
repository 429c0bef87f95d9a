package metadata

import (
	"strings"

	"almanac/catalog"
)

// published returns the examples of an answer that is a published file: the file itself, by its address. So an example is never out of
// date, and a change of a record changes no description.
func published(address string) object {
	return object{{"published", object{{"summary", "As it is published"}, {"externalValue", address}}}}
}

// The values that examples of the paid interface have in common. The macaroon and the invoice are cut short.
const (
	exampleTime     = "2026-11-21T12:00:00Z"
	exampleExpiry   = "2026-12-21T12:00:00Z"
	exampleMacaroon = "AgEHYWxtYW5hYw=="
	exampleInvoice  = "lnbc1u1p5example"
)

var exampleHash = strings.Repeat("0a", 32)

// challengeExample is the body of a 402.
func (r *Renderer) challengeExample() object {
	o := r.cat.Terms()
	return object{
		{"type", r.site.ProblemBase() + "payment_required"}, {"title", "Payment required"}, {"status", 402},
		{"detail", "Pay the invoice, then repeat the request with the header Authorization: L402 <macaroon>:<preimage>."}, {"code", "payment_required"},
		{"macaroon", exampleMacaroon}, {"invoice", exampleInvoice}, {"payment_hash", exampleHash},
		{"price_sats", o.PriceSats}, {"credits", o.Credits}, {"valid_days", o.ValidDays}, {"expires_at", "2026-11-21T12:15:00Z"},
	}
}

// searchExample is an answer with one hit.
func (r *Renderer) searchExample() object {
	page := r.site.URL(catalog.ProtocolPath("l402"))
	const source, day = "https://github.com/lightninglabs/L402/blob/master/protocol-specification.md", "2026-11-21"
	return object{
		{"schema_version", catalog.SchemaVersion}, {"generated_at", exampleTime}, {"query", "macaroon"}, {"total", 1}, {"count", 1},
		{"entries", []object{{
			{"id", "protocol:l402"}, {"kind", "protocol"}, {"title", "L402"}, {"url", page}, {"date_published", nil}, {"verified_at", day}, {"score", 7.25},
			{"matched", []object{{{"term", "macaroon"}, {"in", []string{"text"}}}}}, {"highlights", object{}},
			{"passages", []object{{
				{"kind", "fact"}, {"title", "HTTP headers"}, {"text", "Authorization: the macaroon and the preimage of the paid invoice"}, {"url", page + "#http_headers"},
				{"source", source}, {"verified_at", day}, {"highlights", [][]int{{19, 27}}},
			}}},
		}}},
		{"facets", object{
			{"category", []object{}}, {"tag", []object{}}, {"type", []object{}}, {"kind", []object{{{"value", "protocol"}, {"count", 1}}}},
		}},
		{"credits", object{{"remaining", 99}, {"valid_until", exampleExpiry}}},
	}
}

// creditsExample is a balance.
func (r *Renderer) creditsExample() object {
	return object{
		{"schema_version", catalog.SchemaVersion}, {"generated_at", exampleTime}, {"payment_hash", exampleHash},
		{"credits", r.cat.Terms().Credits}, {"remaining", 99}, {"valid_until", exampleExpiry},
	}
}

// demoOperation returns the wallet of a demonstration.
func demoOperation() object {
	invoice := object{{"type", "object"}, {"required", []string{"invoice"}}, {"properties", object{{"invoice", stringSchema()}}}}
	preimage := object{{"type", "object"}, {"required", []string{"preimage"}}, {"properties", object{
		{"preimage", object{{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}}},
	}}}
	return object{
		{"operationId", "demoPay"},
		{"summary", "Pay an invoice of this demonstration"},
		{"description", "The wallet of the demonstration. It pays the invoices that the service made, and no money moves."},
		{"tags", []string{"search"}},
		{"requestBody", object{{"required", true}, {"content", jsonContent(invoice, object{{"invoice", exampleInvoice}})}}},
		{"responses", responses(object{
			{"description", "The proof of the payment."}, {"content", jsonContent(preimage, object{{"preimage", exampleHash}})},
		}, "400", "Problem", "404", "Problem", "410", "Problem")},
	}
}
