package challenge

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// maxRequest bounds the request of a Payment challenge, in characters.
const maxRequest = 16 << 10

// The parameters of a charge.
var (
	requiredParams = []string{"id", "realm", "method", "intent", "request"}
	chargeParams   = slices.Concat(requiredParams, []string{"digest", "opaque", "header", "expires", "description"})
)

func parsePayment(raw Raw) (Challenge, error) {
	for _, name := range chargeParams {
		switch value, count := raw.Get(name); {
		case count > 1:
			return Challenge{}, fmt.Errorf("repeats the parameter %s, so that it can be read in two ways", name)
		case value == "" && slices.Contains(requiredParams, name):
			return Challenge{}, fmt.Errorf("has no %s", name)
		}
	}
	p := &ChargeRequest{ID: raw.value("id"), Realm: raw.value("realm"), Method: raw.value("method"),
		Intent: raw.value("intent"), Request: raw.value("request"), Digest: raw.value("digest"), Opaque: raw.value("opaque"),
		Header: raw.value("header"), Expires: raw.value("expires"), Description: raw.value("description")}
	switch {
	case p.Method != "lightning":
		return Challenge{}, fmt.Errorf("asks for a payment by the method %.20q; only lightning is known", p.Method)
	case p.Intent != "charge":
		return Challenge{}, fmt.Errorf("has the intent %.20q; only charge is known", p.Intent)
	case p.Header != "" && p.Header != "Payment-Authorization":
		return Challenge{}, fmt.Errorf(
			"wants its credential in the header %.40q; only Payment-Authorization may be named", p.Header)
	case len(p.Request) > maxRequest:
		return Challenge{}, fmt.Errorf("has a request of %d characters; at most %d are read", len(p.Request), maxRequest)
	}
	if p.Expires != "" {
		t, err := parseTime(p.Expires)
		if err != nil {
			return Challenge{}, fmt.Errorf("expires at %.40q, which is not a date of RFC 3339", p.Expires)
		}
		p.ExpiresAt = t
	}
	c := Challenge{Scheme: Payment, Charge: p, Raw: raw}
	return c, c.readRequest()
}

// parseTime reads a time of RFC 3339, whose letters have no case.
func parseTime(text string) (time.Time, error) {
	return time.Parse(time.RFC3339, strings.ToUpper(text))
}

// readRequest reads the request of a charge into the challenge.
func (c *Challenge) readRequest() error {
	body, err := Decode(c.Charge.Request)
	if err != nil {
		return errors.New("has a request that is not base64url")
	}
	var request struct {
		Amount        string `json:"amount"`
		Currency      string `json:"currency"`
		Description   string `json:"description"`
		MethodDetails struct {
			Invoice     string `json:"invoice"`
			PaymentHash string `json:"paymentHash"`
			Network     string `json:"network"`
		} `json:"methodDetails"`
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		return errors.New("has a request that is not the JSON object of a Lightning charge")
	}
	if !strings.EqualFold(request.Currency, "sat") {
		return fmt.Errorf("is in the currency %.20q; only sat is known", request.Currency)
	}
	amount, err := strconv.ParseInt(request.Amount, 10, 64)
	if err != nil || amount < 1 || strconv.FormatInt(amount, 10) != request.Amount {
		return fmt.Errorf("states the amount %.40q, which is not a positive whole number of satoshis", request.Amount)
	}
	if request.MethodDetails.Invoice == "" {
		return errors.New("has no invoice")
	}
	c.Charge.AmountSats = amount
	c.Charge.Network = request.MethodDetails.Network
	c.Charge.Description = cmp.Or(c.Charge.Description, request.Description)
	c.Invoice = request.MethodDetails.Invoice
	if text := request.MethodDetails.PaymentHash; text != "" {
		hash, err := hex.DecodeString(text)
		if err != nil || len(hash) != len(c.Hash) {
			return errors.New("states a payment hash that is not 64 hexadecimal digits")
		}
		c.Hash, c.HasHash = [32]byte(hash), true
	}
	return nil
}

// credential repeats the members that the challenge has.
func (p *ChargeRequest) credential(preimage string) Credential {
	echo := CanonicalObject{"id": p.ID, "realm": p.Realm, "method": p.Method, "intent": p.Intent, "request": p.Request,
		"expires": p.Expires, "digest": p.Digest, "opaque": p.Opaque, "header": p.Header}
	maps.DeleteFunc(echo, func(_ string, value any) bool { return value == "" })
	credential := CanonicalObject{"challenge": echo, "payload": CanonicalObject{"preimage": preimage}}
	return Credential{Header: cmp.Or(p.Header, "Authorization"), Value: Payment + " " + Encode(credential.Canonical())}
}

// A CanonicalObject is a JSON object. Its values are those that encoding/json decodes into an any, and
// CanonicalObjects.
type CanonicalObject map[string]any

// Canonical returns o as RFC 8785 (JCS) writes it. It panics if a value has another type.
func (o CanonicalObject) Canonical() string {
	text, err := json.Marshal(o)
	canonical := jsontext.Value(text)
	if err = errors.Join(err, canonical.Canonicalize()); err != nil {
		panic(fmt.Sprintf("challenge: %v", err))
	}
	return string(canonical)
}

// Encode returns the base64url form of text, without padding (RFC 4648, section 5).
func Encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// IsCanonical reports whether text is JSON as RFC 8785 writes it.
func IsCanonical(text string) bool {
	canonical := jsontext.Value(text)
	return canonical.Canonicalize() == nil && string(canonical) == text
}

// Decode is the inverse of Encode. It accepts correct padding, and refuses line ends, the standard alphabet and
// trailing bits that are not zero.
func Decode(text string) (string, error) {
	b, err := decode(text, base64.URLEncoding)
	return string(b), err
}

// DecodeMacaroon decodes the base64 of a macaroon: the standard or the URL alphabet, padded or not. Line ends, which
// Go's decoders skip, are an error, as are trailing bits that are not zero.
func DecodeMacaroon(text string) ([]byte, error) {
	if strings.ContainsAny(text, "-_") {
		return decode(text, base64.URLEncoding)
	}
	return decode(text, base64.StdEncoding)
}

// DecodeLoose decodes base64 of either alphabet, however it is padded.
func DecodeLoose(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(text), "="))
}

func decode(text string, enc *base64.Encoding) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("the value contains line breaks")
	}
	if !strings.HasSuffix(text, "=") {
		enc = enc.WithPadding(base64.NoPadding)
	}
	return enc.Strict().DecodeString(text)
}
