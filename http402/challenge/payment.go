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

// parseTime reads a time of RFC 3339, whose letters have no case.
func parseTime(text string) (time.Time, error) {
	return time.Parse(time.RFC3339, strings.ToUpper(text))
}

// charge returns the challenge of a charge over Lightning whose parameters and request have no grave fault.
func charge(raw Raw, request map[string]any) (*Challenge, error) {
	p := &ChargeRequest{ID: raw.value("id"), Realm: raw.value("realm"), Method: raw.value("method"),
		Intent: raw.value("intent"), Request: raw.value("request"), Digest: raw.value("digest"), Opaque: raw.value("opaque"),
		Header: raw.value("header"), Expires: raw.value("expires"),
		Network:     text(Member(request, "methodDetails", "network")),
		Description: cmp.Or(raw.value("description"), text(request["description"]))}
	p.ExpiresAt, _ = parseTime(p.Expires) // zero for none
	var err error
	if p.AmountSats, err = strconv.ParseInt(text(request["amount"]), 10, 64); err != nil {
		return nil, fmt.Errorf("the Payment challenge states the amount %.40q, which nobody has", text(request["amount"]))
	}
	c := &Challenge{Scheme: Payment, Charge: p, Invoice: text(Member(request, "methodDetails", "invoice"))}
	hash, _ := hex.DecodeString(text(Member(request, "methodDetails", "paymentHash"))) // none, or 64 digits
	c.HasHash = copy(c.Hash[:], hash) > 0
	return c, nil
}

// credential repeats the members that the challenge has.
func (p *ChargeRequest) credential(preimage string) string {
	echo := CanonicalObject{"id": p.ID, "realm": p.Realm, "method": p.Method, "intent": p.Intent, "request": p.Request,
		"expires": p.Expires, "digest": p.Digest, "opaque": p.Opaque, "header": p.Header}
	maps.DeleteFunc(echo, func(name string, value any) bool { return value == "" && name != "realm" })
	return Encode(CanonicalObject{"challenge": echo, "payload": CanonicalObject{"preimage": preimage}}.Canonical())
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
