package explain

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/shape"
)

// object reads a JSON message, or the body of a response.
func (r *reader) object(text string) bool {
	var doc map[string]any
	if text[0] != '{' || json.Unmarshal([]byte(text), &doc) != nil {
		return false
	}
	if doc["error"] == nil && doc["code"] != nil { // the object of an error alone
		text = `{"error":` + text + `}`
		doc = map[string]any{"error": doc}
	}
	if offers := challenge.ReadMessage([]byte(text)); r.offers(offers) {
		if offers[0].Place != "metadata" { // of A2A, over which no client was measured
			r.PayableBy = r.table.Predict("mcp", shape.MCP([]byte(text)))
		}
		return true
	}
	return r.login(doc) || r.members(doc) || r.macaroonText(text)
}

// body reads the body of a response, one way to pay of x402 or one challenge of Payment alone, or a request of Cashu in plain JSON
// (NUT-18).
func (r *reader) body(doc map[string]any) bool {
	if _, ok := doc["m"].([]any); ok && doc["u"] != nil {
		return r.offers([]challenge.Offer{challenge.CashuOffer(doc)})
	}
	if doc["payTo"] != nil {
		doc = map[string]any{"accepts": []any{doc}}
	} else if doc["intent"] != nil && doc["request"] != nil {
		doc = map[string]any{"challenges": []any{doc}}
	}
	if doc["challenges"] != nil {
		text, err := json.Marshal(map[string]any{"error": map[string]any{"code": "-32042", "data": doc}})
		return err == nil && r.offers(challenge.ReadMessage(text))
	}
	text, err := json.Marshal(doc)
	if err != nil || doc["payload"] != nil || doc["scheme"] != nil || !r.offers(challenge.ReadHTTP(nil, text)) { // a payload is a credential's
		return false
	}
	r.HeadersNotSeen = doc["x402Version"] != 1.0 // whose offer is the body
	return true
}

// login reads an error -32042 of MCP that asks for a step of a person on a page, not for a payment by a program.
func (r *reader) login(doc map[string]any) bool {
	list, _ := challenge.Member(doc, "error", "data", "elicitations").([]any)
	if code := fmt.Sprint(challenge.Member(doc, "error", "code")); code != "-32042" || len(list) == 0 {
		return false
	}
	first := child(list[0])
	u, _ := url.Parse(member(first, "url")) // whose path and query may be a secret
	r.Kind, r.Login = Login, &LoginReading{Host: shown(cmp.Or(u, new(url.URL)).Host), Message: mask(member(first, "message"))}
	return true
}

// members reads the first body, credential or receipt among a value and the values in it.
func (r *reader) members(v any) bool {
	switch v := v.(type) {
	case string:
		var doc map[string]any // of a gateway that writes the answer into a member
		return json.Unmarshal([]byte(v), &doc) == nil && r.members(doc)
	case []any:
		for _, element := range slices.Backward(v) { // of several receipts, the last counts
			if r.members(element) {
				return true
			}
		}
	case map[string]any:
		text, _ := v["almanac/l402"].(string)
		if r.body(v) || r.l402Credential(text) || r.credentialObject(v) || r.receiptObject(v) {
			return true
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if r.members(v[name]) {
				return true
			}
		}
	}
	return false
}

// child returns an object below another, or nil.
func child(v any, path ...string) map[string]any {
	object, _ := challenge.Member(v, path...).(map[string]any)
	return object
}

// credentialObject reads the object of a credential of Payment or x402.
func (r *reader) credentialObject(o map[string]any) bool {
	payload, ok := o["payload"].(map[string]any)
	if !ok {
		return false
	}
	c := &CredentialReading{Scheme: challenge.OfferX402, Parts: strings.Fields(mask(strings.Join(slices.Sorted(maps.Keys(payload)), " ")))}
	switch echo := child(o, "challenge"); {
	case echo != nil:
		c.Scheme, c.Method, c.Intent = challenge.OfferPayment, mask(member(echo, "method")), mask(member(echo, "intent"))
	case o["x402Version"] != nil:
		accepted := child(o, "accepted") // of version 2
		c.Method = mask(cmp.Or(member(accepted, "scheme"), member(o, "scheme")))
		c.Network = cmp.Or(member(accepted, "network"), member(o, "network"))
	default:
		return false
	}
	r.Kind, r.Credential = Credential, c
	return true
}

// receiptObject reads the object of a receipt of Payment or x402.
func (r *reader) receiptObject(o map[string]any) bool {
	if success, ok := o["success"].(bool); ok && (o["transaction"] != nil || o["network"] != nil || o["errorReason"] != nil) {
		r.Kind, r.Receipt = Receipt, &ReceiptReading{Scheme: challenge.OfferX402, Reason: mask(member(o, "errorReason")),
			Status: map[bool]string{true: "success", false: "failed"}[success], Network: member(o, "network"),
			Payer: member(o, "payer"), Reference: member(o, "transaction")}
		return true
	}
	if o["status"] == nil || o["method"] == nil || o["timestamp"] == nil {
		return false
	}
	r.Kind, r.Receipt = Receipt, &ReceiptReading{Scheme: challenge.OfferPayment, Status: member(o, "status"),
		Method: member(o, "method"), Reference: member(o, "reference"), Timestamp: member(o, "timestamp")}
	return true
}

func member(o map[string]any, name string) string {
	s, _ := o[name].(string)
	return shown(s)
}

var (
	firstLine = regexp.MustCompile(`^(HTTP/[0-9.]+ [0-9]{3}|[A-Z]+ \S+ HTTP/[0-9.]+)`)
	curlMarks = regexp.MustCompile(`(?m)^(\* .*\n|[<>]( |$))`) // of curl -v
	emptyLine = regexp.MustCompile(`(?m)^[ \t]*\n|\z`)
)

// message reads an HTTP request or response, or some of its header lines, as they are written or as curl -v shows them.
func (r *reader) message(text string) bool {
	rest, all, whole := curlMarks.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n")+"\n", ""), http.Header{}, false
	for {
		if first, after, _ := strings.Cut(rest, "\n"); firstLine.MatchString(first) {
			whole, rest = true, after
		}
		end := emptyLine.FindStringIndex(rest)
		lines := rest[:end[0]]
		if whole {
			lines = wrapped.ReplaceAllString(lines, "$1")
		}
		header, err := textproto.NewReader(bufio.NewReader(strings.NewReader(lines + "\n"))).ReadMIMEHeader()
		if err != nil || header["Lightning"] != nil || !whole && len(header) == 0 {
			return false
		}
		maps.Copy(all, http.Header(header))
		if rest = rest[end[1]:]; all["Www-Authenticate"] != nil || !firstLine.MatchString(rest) {
			return r.fields(all, strings.TrimSpace(rest), whole)
		} // else the response to the request before it follows
	}
}

// wrapped matches a line that belongs to the one before it, as a terminal cuts them.
var wrapped = regexp.MustCompile(`(?m)\n([^:\n]+)$`)

// fields reads the header and the body of a message, which is whole if it has its first line.
func (r *reader) fields(header http.Header, body string, whole bool) bool {
	asking := maps.Clone(header)
	if strings.HasPrefix(header.Get("X-Cashu"), "cashu") {
		delete(asking, "X-Cashu") // which in a request is the payment
	}
	offers := challenge.ReadHTTP(asking, []byte(body))
	if answer := header.Get("Payment-Response"); len(offers) == 1 && offers[0].Title() == "x402" && answer != "" && r.encoded(answer) {
		return true // a payment failed, and the answer has no other offer
	}
	if r.offers(offers) {
		if whole {
			r.PayableBy = r.table.Predict("http", shape.HTTP(header, []byte(body), r.now))
		}
		return true
	}
	if body != "" && body[0] == '{' && r.object(body) {
		r.HeadersNotSeen = false
		return true
	}
	return slices.ContainsFunc([]string{"Authorization", "Payment-Authorization", "X-Cashu", "Payment-Signature", "X-Payment",
		"Payment-Receipt", "Payment-Response", "X-Payment-Response"}, func(name string) bool {
		return slices.ContainsFunc(header[name], func(v string) bool { return r.value(v) || r.encoded(v) })
	})
}

// bearer matches a credential, and begin the beginning of a challenge.
var bearer, begin = regexp.MustCompile(`(?i)^(l402|lsat|payment)[ \t]+([^\s"]+)$`), regexp.MustCompile(`(?i)^(l402|lsat|payment)[\s,]+[\w-]+\s*=`)

// value reads the value of WWW-Authenticate or Authorization.
func (r *reader) value(text string) bool {
	if m := bearer.FindStringSubmatch(text); m != nil && strings.EqualFold(m[1], challenge.Payment) {
		return r.encoded(m[2])
	} else if m != nil {
		return r.l402Credential(m[2])
	} else if token, _, ok := strings.Cut(text, ":"); ok && macaroonOf(token) != nil {
		return r.l402Credential(text)
	}
	if begin.MatchString(text) {
		return r.offers(challenge.ReadHTTP(http.Header{"Www-Authenticate": {strings.ReplaceAll(text, "\n", " ")}}, nil))
	}
	if token := text[strings.LastIndexAny(text, " :/")+1:]; strings.HasPrefix(token, "cashuA") || strings.HasPrefix(token, "cashuB") {
		r.Kind, r.Credential = Credential, &CredentialReading{Scheme: challenge.OfferCashu, Parts: []string{"token of version " + string(token[5]-'A'+'3')}}
		r.Credential.readCashu(token)
		return true
	}
	return false
}

// readCashu adds the worth and the mints of a token (NUT-00), and no other part of its proofs. The members of version 4 have names
// of one letter, in CBOR.
func (c *CredentialReading) readCashu(token string) {
	var doc struct {
		Unit, U, M string
		Token, T   []struct {
			Mint      string
			Proofs, P []struct{ Amount, A uint64 }
		}
	}
	b, err := challenge.DecodeLoose(token[len("cashuA"):])
	if object, cborErr := challenge.ReadCBOR(b); cborErr == nil {
		b, _ = json.Marshal(object) // which has texts, numbers and lists of them
	}
	if err != nil || json.Unmarshal(b, &doc) != nil || doc.Token == nil && doc.T == nil {
		return
	}
	sum := new(big.Int)
	for _, part := range append(doc.Token, doc.T...) {
		if mint := maskAddress(cmp.Or(part.Mint, doc.M)); !slices.Contains(c.Mints, mint) {
			c.Mints = append(c.Mints, mint)
		}
		for _, p := range append(part.Proofs, part.P...) {
			sum.Add(sum, new(big.Int).SetUint64(cmp.Or(p.Amount, p.A)))
			c.Proofs++
		}
	}
	if locked := strings.Count(string(b), `"[\"`); locked > 0 { // whose secret is a list
		c.Parts = append(c.Parts, fmt.Sprintf("%d proofs locked by a condition (NUT-10), such as a key", locked))
	}
	c.Worth = sum.String() + " " + cmp.Or(mask(doc.Unit), mask(doc.U), "of a unit that is not stated")
}

// l402Credential reads macaroons and preimage of an L402 credential.
func (r *reader) l402Credential(text string) bool {
	tokens, preimage, ok := strings.Cut(text, ":")
	first, _, _ := strings.Cut(tokens, ",")
	token, err := challenge.FromL402(first, "none")
	if !ok || err != nil || token.Opaque && len(preimage) != 64 {
		return false
	}
	c := &CredentialReading{Scheme: challenge.OfferL402, Parts: []string{"macaroon", "preimage"}}
	if token.Opaque {
		c.Parts[0] = "token"
	}
	if token.HasHash {
		c.Hash = hex.EncodeToString(token.Hash[:])
	}
	if proof, err := hex.DecodeString(preimage); err == nil && c.Hash != "" {
		c.Proof = "differs"
		if sha256.Sum256(proof) == token.Hash {
			c.Proof = "matches"
		}
	}
	r.Kind, r.Credential = Credential, c
	return true
}

// encoded reads a macaroon, or an object in base64 of either alphabet.
func (r *reader) encoded(text string) bool {
	text = strings.Join(strings.Fields(text), "") // base64 cuts its lines
	if r.macaroonText(text) {
		return true
	}
	b, err := challenge.DecodeLoose(text)
	var doc map[string]any
	if err != nil || json.Unmarshal(b, &doc) != nil {
		return false
	}
	if doc["accepts"] != nil {
		return r.offers(challenge.ReadHTTP(http.Header{"Payment-Required": {text}}, nil))
	}
	return r.members(doc)
}

// macaroonText reads a macaroon.
func (r *reader) macaroonText(text string) bool {
	m := macaroonOf(text)
	if m == nil {
		return false
	}
	r.Kind, r.Macaroon = Macaroon, &MacaroonReading{Location: shown(m.Location()), Caveats: caveats(m)}
	if hash, ok := challenge.MacaroonHash(m); ok { // of L402
		r.Macaroon.Hash = hex.EncodeToString(hash[:])
	}
	return true
}

// macaroonOf returns the macaroon that a text is in base64, in hexadecimal or as JSON, nil if it is none.
func macaroonOf(text string) *macaroon.Macaroon {
	m := new(macaroon.Macaroon)
	if b, err := hex.DecodeString(strings.TrimPrefix(text, "0x")); err == nil && m.UnmarshalBinary(b) == nil ||
		strings.HasPrefix(text, "{") && m.UnmarshalJSON([]byte(text)) == nil && len(m.Id()) > 0 {
		return m
	}
	m, _ = challenge.ReadMacaroon(text)
	return m
}

// unixTime finds a time of this century in seconds.
var unixTime = regexp.MustCompile(`\b[12][0-9]{9}\b`)

var jwt, pair = regexp.MustCompile(`\b(ey[\w-]+)\.(ey[\w-]+)\.[\w-]*`), regexp.MustCompile(`(?is)\b([0-9a-f]{64})\b.*\b([0-9a-f]{64})\b`)

// withTimes adds to the times of a text those that people read.
func withTimes(text string) string {
	return unixTime.ReplaceAllStringFunc(text, func(digits string) string {
		n, _ := strconv.ParseInt(digits, 10, 64) // ten digits
		return digits + " (" + time.Unix(n, 0).UTC().Format(time.RFC3339) + ")"
	})
}

// told returns a text, of a signed token (JWT) its head and its claims, and of two values of 32 bytes whether one is the
// hash of the other.
func told(text string) string {
	if parts := jwt.FindStringSubmatch(text); parts != nil {
		head, _ := challenge.DecodeLoose(parts[1])
		claims, _ := challenge.DecodeLoose(parts[2])
		return "JWT " + string(head) + string(claims)
	}
	if m := pair.FindStringSubmatch(text); m != nil && len(text) < 500 && !strings.Contains(text, "walletconnect") {
		a, _ := hex.DecodeString(m[1])
		b, _ := hex.DecodeString(m[2])
		return fmt.Sprintf("pair %t %t", sha256.Sum256(b) == [32]byte(a), sha256.Sum256(a) == [32]byte(b))
	}
	return text
}

// caveats returns the caveats of a macaroon, without secrets.
func caveats(m *macaroon.Macaroon) (list []string) {
	for i, c := range m.Caveats() {
		text := shown(string(c.Id))
		if name, value, ok := strings.Cut(text, "="); ok { // gRPC clients add the preimage, and it grants access
			text = name + "=" + withTimes(mask(value))
		}
		if c.VerificationId != nil {
			text = "of a third party"
		}
		if list = append(list, text); i == 31 && len(m.Caveats()) > 32 {
			list = append(list, fmt.Sprintf("%d more", len(m.Caveats())-32))
			break
		}
	}
	return list
}
