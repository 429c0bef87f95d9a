// Package mpp has the formats of the HTTP authentication scheme Payment, also called MPP, for charges over Lightning:
// challenges, credentials and receipts (draft-httpauth-payment-01, draft-lightning-charge-00). It knows nothing of
// accounts.
package mpp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"go.almanac.example/http402/challenge"
)

// Method and Intent are the only ones here.
const (
	Method = "lightning"
	Intent = "charge"
)

// A Challenge asks for one charge over Lightning. Request is the encoded form of an object.
type Challenge struct {
	ID      string `json:"id"`
	Realm   string `json:"realm"`
	Method  string `json:"method"`
	Intent  string `json:"intent"`
	Request string `json:"request"`
	Expires string `json:"expires"`
	Digest  string `json:"digest"` // of the body of the request; challenges made here have none
	Opaque  string `json:"opaque"` // the server's own data; challenges made here have none

	Description string `json:"description"` // for people; the ID does not cover it
}

// NewChallenge returns a challenge with its ID. The realm contains no '|'.
func NewChallenge(
	secret []byte, realm, description string, request challenge.CanonicalObject, expires time.Time,
) *Challenge {
	c := &Challenge{
		Realm: realm, Method: Method, Intent: Intent, Description: description,
		Request: challenge.Encode(request.Canonical()), Expires: expires.UTC().Format(time.RFC3339),
	}
	c.ID = c.sign(secret)
	return c
}

// sign returns the ID that the secret gives a challenge: each of its slots has its bar, also when it is empty.
func (c *Challenge) sign(secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(strings.Join([]string{c.Realm, c.Method, c.Intent, c.Request, c.Expires, c.Digest, c.Opaque}, "|")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// IsFrom reports whether the challenge was made with the secret and is unchanged.
func (c *Challenge) IsFrom(secret []byte) bool {
	return hmac.Equal([]byte(c.ID), []byte(c.sign(secret)))
}

// quoted escapes the text of a quoted-string (RFC 9110, section 5.6.4).
var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// Header returns the value of WWW-Authenticate.
func (c *Challenge) Header() string {
	var params []string
	for _, p := range [...][2]string{
		{"id", c.ID}, {"realm", c.Realm}, {"method", c.Method}, {"intent", c.Intent}, {"request", c.Request},
		{"expires", c.Expires}, {"description", c.Description},
	} {
		params = append(params, p[0]+`="`+quoted.Replace(p[1])+`"`)
	}
	return "Payment " + strings.Join(params, ", ")
}

// A Credential is the proof of a charge.
type Credential struct {
	Challenge Challenge
	Preimage  lntypes.Preimage
}

var errCredential = errors.New("it is not a credential of the scheme Payment")

// ParseCredential parses the value after the scheme in Authorization.
func ParseCredential(text string) (*Credential, error) {
	decoded, err := challenge.Decode(text)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Challenge *Challenge `json:"challenge"`
		Payload   struct {
			Preimage string `json:"preimage"`
		} `json:"payload"`
	}
	if err := json.Unmarshal([]byte(decoded), &doc); err != nil || doc.Challenge == nil {
		return nil, errCredential
	}
	preimage, err := lntypes.MakePreimageFromStr(doc.Payload.Preimage)
	if err != nil || preimage.String() != doc.Payload.Preimage {
		return nil, errors.New("the preimage is not 64 lower-case hexadecimal digits")
	}
	return &Credential{*doc.Challenge, preimage}, nil
}

// ReadObject decodes an encoded object.
func ReadObject(encoded string) (challenge.CanonicalObject, error) {
	text, err := challenge.Decode(encoded)
	if err != nil {
		return nil, err
	}
	var o challenge.CanonicalObject
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", err)
	}
	return o, nil
}

// NewReceipt returns the receipt for a charge that a challenge asked for. Over HTTP its canonical form is encoded, as
// the value of Payment-Receipt.
func NewReceipt(challengeID string, hash lntypes.Hash, at time.Time) challenge.CanonicalObject {
	return challenge.CanonicalObject{
		"challengeId": challengeID, "method": Method, "reference": hash.String(), "status": "success",
		"timestamp": at.UTC().Format(time.RFC3339),
	}
}

// Over MCP a challenge, a credential and a receipt are JSON objects, and so is the request within a challenge, which
// HTTP has encoded (draft-payment-transport-mcp-00). The ID of a challenge covers the encoded form in both.

// Members returns the challenge as MCP has it.
func (c *Challenge) Members() challenge.CanonicalObject {
	request, _ := ReadObject(c.Request) // of a challenge that was made here
	return challenge.CanonicalObject{
		"id": c.ID, "realm": c.Realm, "method": c.Method, "intent": c.Intent, "request": request, "expires": c.Expires,
		"description": c.Description,
	}
}

// CredentialText returns the form that HTTP has of a credential of MCP, which ParseCredential parses.
func CredentialText(object []byte) (string, error) {
	var doc struct {
		Challenge map[string]any `json:"challenge"`
		Payload   map[string]any `json:"payload"`
	}
	if err := json.Unmarshal(object, &doc); err != nil || doc.Challenge == nil {
		return "", errCredential
	}
	if request, ok := doc.Challenge["request"].(map[string]any); ok {
		doc.Challenge["request"] = challenge.Encode(challenge.CanonicalObject(request).Canonical())
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return "", err
	}
	return challenge.Encode(string(text)), nil
}
