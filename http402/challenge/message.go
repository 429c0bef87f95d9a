package challenge

import (
	"encoding/json"
	"strings"
)

const clauseMCP = "draft-payment-transport-mcp, Challenge Structure"

// ReadMessage returns the offers of a JSON message: an answer of MCP or other JSON-RPC, or a task or message of A2A in
// versions 0.3 and 1.0, with or without the envelope of JSON-RPC.
func ReadMessage(message []byte) []Offer {
	var doc map[string]any
	if len(message) > maxHeader || json.Unmarshal(message, &doc) != nil {
		return nil
	}
	var offers []Offer
	code := text(Member(doc, "error", "code"))
	switch data, _ := Member(doc, "error", "data").(map[string]any); {
	case code == "-32042" && data["challenges"] != nil, code == "-32043": // a payment is required, which URL elicitation uses too; it failed
		offers = readChallenges(data, "error")
	case code == "402", code == "-32042": // of x402 version 1
		if nested, ok := data["x402"].(map[string]any); ok {
			data = nested
		}
		if data["x402Version"] == nil {
			break
		}
		if offers = readX402(data, "error"); data["x402Version"] == 2.0 {
			faultAll(offers, "x402, transports-v2/mcp.md, Payment Required Signaling",
				"Send a tool result with isError and the object in structuredContent.",
				"x402 version 2 is in an error of JSON-RPC, and clients read the result of the tool.")
		}
	}
	if result, ok := doc["result"].(map[string]any); ok {
		offers = append(offers, readResult(result)...)
	}
	for _, message := range agentMessages(doc) {
		if required, ok := Member(message, "metadata", "x402.payment.required").(map[string]any); ok {
			offers = append(offers, readX402(required, "metadata")...)
		}
	}
	return offers
}

// readResult reads the result of an MCP request.
func readResult(result map[string]any) []Offer {
	var offers []Offer
	if required, ok := Member(result, "_meta", "org.paymentauth/payment-required").(map[string]any); ok {
		offers = readChallenges(required, "_meta")
	}
	content, _ := result["structuredContent"].(map[string]any)
	if content == nil && result["isError"] == true {
		content = firstText(result)
	}
	if result["resultType"] == "payment_required" { // the extension org.x402/payment
		content, _ = result["paymentRequired"].(map[string]any)
	} else if result["isError"] != true {
		return offers
	}
	if content["x402Version"] != nil && content["accepts"] != nil {
		offers = append(offers, readX402(content, "result")...)
	}
	if required, ok := content["payment_required"].(map[string]any); ok { // an almanac's paid tool
		if o, ok := readL402Object(required, "result"); ok {
			offers = append(offers, o)
		}
	}
	return offers
}

// firstText reads the first text of a result as a JSON object.
func firstText(result map[string]any) (object map[string]any) {
	list, _ := result["content"].([]any)
	if len(list) > 0 {
		json.Unmarshal([]byte(text(Member(list[0], "text"))), &object) // which stays nil if the text is none
	}
	return object
}

// readChallenges reads the member challenges of an object.
func readChallenges(data map[string]any, place string) []Offer {
	list, _ := data["challenges"].([]any)
	if len(list) == 0 {
		o := Offer{Scheme: OfferPayment, Place: place}
		o.fault(clauseMCP, "Add the challenges.", "The array challenges is missing or empty.")
		return []Offer{o}
	}
	var offers []Offer
	for _, entry := range list[:min(len(list), maxOffers)] {
		members, _ := entry.(map[string]any)
		native, isObject := members["request"].(map[string]any)
		if isObject {
			members["request"] = Encode(CanonicalObject(native).Canonical())
		}
		raw := Raw{Scheme: Payment}
		for _, name := range chargeParams {
			if s, ok := members[name].(string); ok {
				raw.Params = append(raw.Params, Param{name, s})
			}
		}
		o := readPayment(raw)
		if request := members["request"]; !isObject && request != nil && request != "" {
			o.fault(clauseMCP, "Send the request as a JSON object.", "The request is not a JSON object.")
		}
		for i, f := range o.Faults {
			o.Faults[i].Clause = strings.ReplaceAll(f.Clause, clauseRequired, clauseMCP)
		}
		o.Place, o.Raw = place, nil
		offers = append(offers, o)
	}
	return offers
}

// agentMessages returns the messages of A2A in a document: of a task, of a stream's event, or by itself. Version 1.0
// puts a task or message below its name, version 0.3 tells them by the member kind. Some of what is returned is none.
func agentMessages(doc map[string]any) (found []any) {
	for _, root := range []any{doc, doc["result"], doc["params"]} {
		for _, v := range []any{root, Member(root, "task"), Member(root, "message"), Member(root, "statusUpdate")} {
			found = append(found, v, Member(v, "status", "message"))
		}
	}
	return found
}
