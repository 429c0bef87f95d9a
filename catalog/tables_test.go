package catalog_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// specTables are the fields that were promised first, in their order, by the place of the object in a
// schema: the name of the schema, then of the definition if it is one.
var specTables = map[string]string{
	"library":                    "schema_version generated_at $schema license category count categories entries",
	"library/entry":              "id title publisher authors date_published url type category summary tags verified_at last_checked http_status archive_url featured",
	"library/category":           "id label featured count json_url markdown_url html_url",
	"tag-list":                   "schema_version generated_at tag count entries",
	"tag-list/entry":             "id title publisher authors date_published url type category summary tags verified_at last_checked http_status archive_url featured",
	"protocol-facts":             "schema_version generated_at description markdown_url count protocols",
	"protocol-facts/protocol":    "id name featured spec_url http_status_codes http_headers payment_rail networks facilitators client_libraries pay_flow notes example",
	"protocol-facts/fact":        "value source verified_at",
	"protocol-facts/header":      "name direction role",
	"protocol-facts/network":     "name caip2 asset contract",
	"protocol-facts/facilitator": "name url",
	"change-list":                "schema_version generated_at date field count entries",
	"change-list/change":         "id kind title url md_url category date_published verified_at note",
	"support":                    "$schema voluntary purpose data_is_free access_conditional_on_payment methods suggested_amounts_sats suggested_amounts_optional note updated warning usdc_contracts_source paid_api",
	"support/bitcoin_onchain":    "type address address_type format network bip21_uri qr_svg qr_text qr_error_correction",
	"support/lightning_bolt12":   "type offer uri bip21_uri qr_svg qr_text qr_error_correction",
	"support/evm_stablecoin":     "type asset network chain_id address token_contract eip681_uri primary qr_svg qr_text qr_error_correction",
	"support/solana_stablecoin":  "type asset network address mint uri qr_svg qr_text qr_error_correction",
}

// The optional fields of those tables.
var specOptional = map[string]string{
	"library/entry":           "featured",
	"tag-list/entry":          "featured",
	"protocol-facts/protocol": "example",
	"change-list/change":      "md_url category note",
	"support":                 "$schema paid_api",
	"support/evm_stablecoin":  "primary qr_svg qr_text qr_error_correction",
}

func TestSchemasFollowTheSpecification(t *testing.T) {
	c := realCatalog(t)
	for place, table := range specTables {
		name, def, _ := strings.Cut(place, "/")
		data, _ := c.Schema(name)
		type object struct {
			Required   []string
			Properties json.RawMessage
			Defs       map[string]json.RawMessage `json:"$defs"`
		}
		var s object
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		if def != "" {
			raw := s.Defs[def]
			s = object{}
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatalf("%s: %v", place, err)
			}
		}
		if diff := cmp.Diff(strings.Fields(table), keysInOrder(t, s.Properties)); diff != "" {
			t.Errorf("%s: fields (-promised +schema):\n%s", place, diff)
		}
		optional := strings.Fields(specOptional[place])
		var required []string
		for _, f := range strings.Fields(table) {
			if !slices.Contains(optional, f) {
				required = append(required, f)
			}
		}
		if diff := cmp.Diff(required, s.Required); diff != "" {
			t.Errorf("%s: required fields (-promised +schema):\n%s", place, diff)
		}
	}
}

// The categories and protocols of the contract, in its order.
func TestFixedListsOfTheSpecification(t *testing.T) {
	c := realCatalog(t)
	var categories []string
	for _, k := range c.Categories() {
		categories = append(categories, k.ID+"|"+k.Label)
		if k.Featured != (k.ID == "bitcoin-lightning") {
			t.Errorf("category %s: featured is %v", k.ID, k.Featured)
		}
	}
	want := []string{
		"bitcoin-lightning|Bitcoin and Lightning", "payments|Payments", "agent-protocols|Agent protocols",
		"robotics-autonomy|Robotics and autonomy", "iot|IoT", "datasets-benchmarks|Datasets and benchmarks",
		"safety-security|Safety and security", "regulation|Regulation",
	}
	if diff := cmp.Diff(want, categories); diff != "" {
		t.Errorf("categories (-promised +fixtures):\n%s", diff)
	}
	var protocols []string
	featured := map[string]bool{"l402": true, "bolt12": true, "bip21": true, "nwc": true}
	for _, p := range c.Protocols().Protocols {
		protocols = append(protocols, p.ID)
		if p.Featured != featured[p.ID] {
			t.Errorf("protocol %s: featured is %v", p.ID, p.Featured)
		}
		if (p.Example != nil) != (p.ID == "l402") {
			t.Errorf("protocol %s: an example is for l402 only", p.ID)
		}
	}
	if diff := cmp.Diff([]string{"l402", "bolt12", "bip21", "nwc", "x402", "mpp", "ap2", "acp", "ucp"}, protocols); diff != "" {
		t.Errorf("protocols (-promised +fixtures):\n%s", diff)
	}
}
