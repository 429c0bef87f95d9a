package challenge

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// caip2 is the pattern of a network (CAIP-2).
var caip2 = regexp.MustCompile(`^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$`)

// reasonCode matches the code of a refusal, such as insufficient_funds.
var reasonCode = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)+$`)

// readX402Header reads the value of PAYMENT-REQUIRED.
func readX402Header(value string) []Offer {
	const place = "PAYMENT-REQUIRED"
	var doc map[string]any
	value = strings.TrimSpace(value)
	b, err := DecodeLoose(value)
	found := []Offer{{Scheme: OfferX402, Place: place}}
	if err == nil && json.Unmarshal(b, &doc) == nil && doc != nil {
		found = readX402(doc, place)
	}
	if doc == nil || base64.StdEncoding.EncodeToString(b) != value {
		faultAll(found, "x402, transports-v2/http.md, Payment Required Signaling", "Encode the JSON object with standard base64.",
			"The header PAYMENT-REQUIRED is not a JSON object in standard base64.")
	}
	if doc["x402Version"] == 1.0 {
		faultAll(found, "x402, transports-v1/http.md, Payment Required Signaling",
			"Send version 1 in the body, or version 2 in the header.", "The header PAYMENT-REQUIRED has version 1.")
	}
	return found
}

// readX402 reads the object of x402 that asks for payment, of version 1 or 2. There is an offer for each way to pay, or
// one with the fault of the object.
func readX402(doc map[string]any, place string) []Offer {
	version, _ := doc["x402Version"].(float64)
	clause := "x402, x402-specification-v2.md, section 5.1.2"
	amount := "amount"
	if version == 1 {
		clause, amount = "x402, x402-specification-v1.md, section 5.1.2", "maxAmountRequired"
	}
	members := []string{"scheme", "network", amount, "asset", "payTo"}
	if version == 1 && place != "metadata" { // the resource of an agent is its task
		members = append(members, "resource", "description")
	}
	whole := Offer{Scheme: OfferX402, Place: place, Resource: text(Member(doc, "resource", "url")), Version: int(version)}
	if reason := text(doc["error"]); reasonCode.MatchString(reason) && !strings.Contains(reason, "required") { // as when none was made
		whole.Reason = reason
	}
	switch {
	case version != 1 && version != 2:
		whole.fault(clause, "Send x402Version 2, or 1, as a number.", "The x402Version is %.20q.", text(doc["x402Version"]))
	case version == 2 && whole.Resource == "":
		whole.fault(clause, "Add the object resource with its url.", "The object has no resource with a url.")
	}
	accepts, _ := doc["accepts"].([]any)
	if len(accepts) == 0 {
		whole.fault(clause, "Add at least one way to pay to accepts.", "The array accepts is missing or empty.")
		return []Offer{whole}
	}
	var offers []Offer
	for _, entry := range accepts[:min(len(accepts), maxOffers)] {
		o := whole
		o.Faults = slices.Clone(whole.Faults)
		way, _ := entry.(map[string]any)
		if old := way["maxAmountRequired"]; version != 1 && old != nil && way["amount"] == nil {
			o.fault(clause, "Rename it to amount.", "A way to pay in accepts has maxAmountRequired, which version 2 calls amount.")
			way["amount"] = old
		}
		for _, name := range members {
			if s, ok := way[name].(string); !ok || s == "" && name != "description" {
				o.fault(clause, "Add the member as a string.", "A way to pay in accepts has no string %s.", name)
			}
		}
		o.Method, o.Network, o.Currency = text(way["scheme"]), text(way["network"]), text(way["asset"])
		o.Amount, o.Recipient, o.Extra = text(way[amount]), text(way["payTo"]), way["extra"]
		o.Resource = cmp.Or(o.Resource, text(way["resource"]))
		if s, ok := way[amount].(string); ok && s != "" && !baseUnits.MatchString(s) {
			o.fault(clause, "Write the amount in the smallest unit of the asset.", "The %s is %.40q, not digits.", amount, s)
		}
		if version == 2 && o.Network != "" && !caip2.MatchString(o.Network) {
			o.fault(clause, "Write the network as CAIP-2 does, such as eip155:8453.", "The network is %.40q, which is not a name of CAIP-2.", o.Network)
		}
		if o.Method == "upto" && strings.HasPrefix(o.Network, "eip155:") && Member(o.Extra, "facilitatorAddress") == nil {
			o.fault("x402, scheme_upto_evm.md, section 2", "Add it.", "The extra has no facilitatorAddress, which the signature binds.")
		}
		n, _ := way["maxTimeoutSeconds"].(float64)
		if o.Seconds = int(min(n, 1<<30)); n <= 0 {
			o.fault(clause, "Add maxTimeoutSeconds as a positive number.", "A way to pay in accepts has no positive maxTimeoutSeconds.")
		}
		offers = append(offers, o)
	}
	return offers
}
