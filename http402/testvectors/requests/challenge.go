package requests

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"go.almanac.example/http402/bolt11"
)

// A challenge is one challenge of WWW-Authenticate, with the preimage of its invoice if that was paid.
type challenge struct {
	scheme   string // in lower case
	params   map[string]string
	request  map[string]any // of Payment
	invoice  bolt11.Invoice
	bad      error // why the invoice cannot be read
	preimage string
}

// element is a scheme, a scheme with its first parameter, or a parameter (RFC 9110, 11.6.1).
var element = regexp.MustCompile("^(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?: +|$|(?:[ \t]*,)))?" +
	"(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([!#$%&'*+.^_`|~0-9A-Za-z-]+)))?[ \t]*(?:,[ \t,]*|$)")

var escapes = regexp.MustCompile(`\\(.)`)

// readChallenges reads header lines by the grammar, and forgives nothing.
func readChallenges(lines []string) ([]challenge, error) {
	var all []challenge
	for _, line := range lines {
		for rest := strings.Trim(line, " \t,"); rest != ""; {
			m := element.FindStringSubmatch(rest)
			if m == nil || m[0] == "" {
				return nil, fmt.Errorf("WWW-Authenticate is not a list of challenges at %.40q", rest)
			}
			rest = rest[len(m[0]):]
			if m[1] != "" {
				all = append(all, challenge{scheme: strings.ToLower(m[1]), params: map[string]string{}})
			}
			if m[2] == "" {
				continue
			}
			if len(all) == 0 {
				return nil, fmt.Errorf("the parameter %s has no scheme", m[2])
			}
			all[len(all)-1].params[strings.ToLower(m[2])] = escapes.ReplaceAllString(m[3], "$1") + m[4]
		}
	}
	return all, nil
}

// pick returns the first challenge of a scheme among header lines. LSAT is L402.
func pick(lines []string, scheme string) (*challenge, error) {
	all, err := readChallenges(lines)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{scheme, map[string]string{"l402": "lsat"}[scheme]} {
		for _, c := range all {
			if name == "" || c.scheme != name || scheme == "payment" && (c.params["method"] != "lightning" || c.params["intent"] != "charge") {
				continue
			}
			text := c.params["invoice"]
			if scheme == "payment" {
				raw, _ := base64.RawURLEncoding.DecodeString(c.params["request"])
				json.Unmarshal(raw, &c.request)
				text, _ = member(c.request, "methodDetails.invoice").(string)
			} else if c.token() == "" {
				continue
			}
			c.invoice, c.bad = bolt11.Decode(text)
			return &c, nil
		}
	}
	return nil, fmt.Errorf("no challenge of the scheme %s", scheme)
}

func (c *challenge) token() string { return cmp.Or(c.params["token"], c.params["macaroon"]) }

func (c *challenge) hash() string { return hex.EncodeToString(c.invoice.Hash[:]) }

// expires returns when the challenge can no longer be paid.
func (c *challenge) expires() time.Time {
	if at, err := time.Parse(time.RFC3339, c.params["expires"]); err == nil && at.Before(c.invoice.ExpiresAt) {
		return at
	}
	return c.invoice.ExpiresAt
}

// member returns a member of an object by its path, nil if there is none.
func member(object map[string]any, path string) any {
	first, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return object[first]
	}
	inner, _ := object[first].(map[string]any)
	return member(inner, rest)
}

// challengeRules are the properties of a 402: each returns the fault.
var challengeRules = map[string]func(a *answer) error{
	"token":   func(a *answer) error { return given(a.challenge.params["token"], "the parameter token") },
	"version": func(a *answer) error { return equal("version", a.challenge.params["version"], "0") },
	"invoice": func(a *answer) error {
		if c := a.challenge; c.bad == nil && c.request != nil {
			return equal("amount", fmt.Sprint(c.request["amount"], "000"), fmt.Sprint(c.invoice.MilliSats))
		} else if c.bad == nil && c.invoice.MilliSats == 0 {
			return errors.New("the invoice has no amount")
		}
		return a.challenge.bad
	},
	"commits": func(a *answer) error {
		raw, err := base64.StdEncoding.DecodeString(a.challenge.token())
		if err == nil && !bytes.Contains(raw, a.challenge.invoice.Hash[:]) {
			err = errors.New("the payment hash is not in the token")
		}
		return err
	},
	"identifier": func(a *answer) error {
		m, err := readMacaroon(a.challenge.token())
		if err == nil && (len(m.ID) != 66 || !bytes.HasPrefix(m.ID, append([]byte{0, 0}, a.challenge.invoice.Hash[:]...))) {
			err = fmt.Errorf("the identifier is %x", m.ID)
		}
		return err
	},
	"new": func(a *answer) error {
		switch {
		case a.challenge.hash() == a.before.hash():
			return errors.New("the invoice was given before")
		case a.challenge.token()+a.challenge.params["id"] == a.before.token()+a.before.params["id"]:
			return errors.New("the token or id was given before")
		}
		return nil
	},
	"id": func(a *answer) error {
		return errors.Join(given(a.challenge.params["id"], "id"), given(a.challenge.params["realm"], "realm"))
	},
	"method":  func(a *answer) error { return nil }, // pick looks for it
	"request": func(a *answer) error { return canonical(a.challenge.params["request"]) },
	"amount": func(a *answer) error {
		if text, _ := a.challenge.request["amount"].(string); !regexp.MustCompile(`^[1-9][0-9]*$`).MatchString(text) {
			return fmt.Errorf("the amount is %v", a.challenge.request["amount"])
		}
		return equal("currency", a.challenge.request["currency"], "sat")
	},
	"hash": func(a *answer) error {
		if stated := member(a.challenge.request, "methodDetails.paymentHash"); stated != nil {
			return equal("paymentHash", stated, a.challenge.hash())
		}
		return nil
	},
	"network": func(a *answer) error {
		stated := member(a.challenge.request, "methodDetails.network")
		switch network := a.challenge.invoice.Network; {
		case stated == nil && (network == bolt11.Regtest || network == bolt11.Signet):
			return fmt.Errorf("the network is not named, so mainnet, and the invoice's is %s", network)
		case stated == nil:
			return nil
		default:
			return equal("network", stated, network)
		}
	},
	"expires": func(a *answer) error {
		text := a.challenge.params["expires"]
		if at, err := time.Parse(time.RFC3339, text); text != "" && (err != nil || at.After(a.challenge.invoice.ExpiresAt)) {
			return fmt.Errorf("expires is %q, the invoice's %s", text, a.challenge.invoice.ExpiresAt.UTC().Format(time.RFC3339))
		}
		return nil
	},
	"expires-given": func(a *answer) error { return given(a.challenge.params["expires"], "expires") },
	"no-store":      func(a *answer) error { return a.directive("no-store") },
	"no-receipt": func(a *answer) error {
		if a.header.Get("Payment-Receipt") != "" {
			return errors.New("the refusal has a Payment-Receipt")
		}
		return nil
	},
	"problem": func(a *answer) error {
		var doc struct{ Type string }
		json.Unmarshal(a.body, &doc)
		if !strings.HasPrefix(a.header.Get("Content-Type"), "application/problem+json") || !strings.HasPrefix(doc.Type, "https://paymentauth.org/problems/") {
			return fmt.Errorf("the body is %s with the type %q", a.header.Get("Content-Type"), doc.Type)
		}
		return nil
	},
	"private": func(a *answer) error { return a.directive("private") },
	"receipt": func(a *answer) error {
		raw, err := base64.RawURLEncoding.DecodeString(a.header.Get("Payment-Receipt"))
		var r map[string]any
		if err == nil {
			err = json.Unmarshal(raw, &r)
		}
		if err != nil {
			return fmt.Errorf("Payment-Receipt: %w", err)
		}
		_, err = time.Parse(time.RFC3339, fmt.Sprint(r["timestamp"]))
		return errors.Join(err, equal("method", r["method"], "lightning"), equal("status", r["status"], "success"),
			equal("reference", r["reference"], a.before.hash()), equal("challengeId", r["challengeId"], a.before.params["id"]))
	},
}

func given(value, name string) error {
	if value == "" {
		return fmt.Errorf("%s is missing", name)
	}
	return nil
}

func equal(name string, got any, want string) error {
	if got != any(want) {
		return fmt.Errorf("%s is %v, want %s", name, got, want)
	}
	return nil
}

// canonical reports whether text is base64url without padding of canonical JSON, as far as one can tell without numbers.
func canonical(text string) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return fmt.Errorf("request is not base64url without padding: %w", err)
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return fmt.Errorf("request is not a JSON object: %w", err)
	}
	if again := marshal(object); !bytes.Equal(raw, again) {
		return fmt.Errorf("request is not canonical: %s, want %s", raw, again)
	}
	return nil
}

// marshal writes an object with sorted members, without escapes for HTML.
func marshal(object any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(object); err != nil {
		panic(err) // only for values that JSON does not have
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
