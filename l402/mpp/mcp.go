package mpp

import (
	"bytes"
	"encoding/json"
)

// Over MCP a challenge, a credential and a receipt are JSON objects, and so is the request within a challenge, which
// HTTP has encoded (draft-payment-transport-mcp-00). The ID of a challenge covers the encoded form in both.

// Members returns the challenge as MCP has it.
func (c *Challenge) Members() (CanonicalObject, error) {
	request, err := ReadObject(c.Request)
	if err != nil {
		return nil, err
	}
	return CanonicalObject{
		"id": c.ID, "realm": c.Realm, "method": c.Method, "intent": c.Intent, "request": request, "expires": c.Expires, "description": c.Description,
	}, nil
}

// CredentialText returns the form that HTTP has of a credential of MCP, which ParseCredential parses.
func CredentialText(object []byte) (string, error) {
	var doc struct {
		Challenge map[string]json.RawMessage `json:"challenge"`
		Payload   map[string]json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(object, &doc); err != nil || doc.Challenge == nil {
		return "", errCredential
	}
	if request := bytes.TrimSpace(doc.Challenge["request"]); bytes.HasPrefix(request, []byte("{")) {
		var o CanonicalObject
		if err := json.Unmarshal(request, &o); err != nil {
			return "", errCredential
		}
		text, err := json.Marshal(Encode(o.Canonical()))
		if err != nil {
			return "", err
		}
		doc.Challenge["request"] = text
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return "", err
	}
	return Encode(string(text)), nil
}
