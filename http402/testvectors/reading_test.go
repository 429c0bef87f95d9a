package testvectors_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/explain"
	"go.almanac.example/http402/testvectors"
)

// text is a shape as somebody would paste it.
func text(s testvectors.Shape) string {
	if s.Transport != "http" {
		return string(s.Message)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d Payment Required\r\n", s.Status)
	for _, h := range s.Headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	return b.String() + "\r\n" + s.Body
}

// A reading is the expected one of a shape. Faults are the clauses that the offer breaks, in any order.
type reading struct {
	Kind   string  `json:"kind"`
	Offers []offer `json:"offers"`
}

type offer struct {
	Scheme    string   `json:"scheme"`
	Method    string   `json:"method"`
	Intent    string   `json:"intent"`
	Amount    string   `json:"amount"`
	Currency  string   `json:"currency"`
	Network   string   `json:"network"`
	ExpiresAt string   `json:"expires_at"`
	Expired   bool     `json:"expired"`
	Faults    []string `json:"faults"`
}

// TestReadings: each shape is read as its file says, by hand. Its clauses include those that a fault names, and it is
// legal exactly if no offer has a fault or is over.
func TestReadings(t *testing.T) {
	shapes := testvectors.Shapes()
	for _, s := range shapes {
		var want reading
		d := json.NewDecoder(bytes.NewReader(s.Reading))
		d.DisallowUnknownFields()
		if err := d.Decode(&want); err != nil {
			t.Errorf("%s: the reading: %v", s.ID, err)
			continue
		}
		r := explain.Read(text(s), now, nil, nil)
		got := reading{Kind: r.Kind}
		for _, o := range r.Offers {
			var faults []string
			for _, f := range o.Faults {
				faults = append(faults, f.Clause)
			}
			slices.Sort(faults)
			got.Offers = append(got.Offers, offer{o.Scheme, o.Method, o.Intent, o.Amount, o.Currency, o.Network, o.ExpiresAt, o.Expired, faults})
		}
		legal := true
		for _, o := range want.Offers {
			slices.Sort(o.Faults)
			legal = legal && len(o.Faults) == 0 && !o.Expired
			for _, f := range o.Faults {
				if !slices.ContainsFunc(s.Clauses, func(c testvectors.Clause) bool { return f == c.Spec || f == c.Spec+", "+c.Section }) {
					t.Errorf("%s: its clauses lack %s", s.ID, f)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.ID, diff)
		}
		if legal != s.Legal {
			t.Errorf("%s: legal is %v, but by its reading %v", s.ID, s.Legal, legal)
		}
	}
}

// TestReadingsHaveNoSecrets: the preimage of a shape is in no reading of a credential made with it.
func TestReadingsHaveNoSecrets(t *testing.T) {
	shapes := testvectors.Shapes()
	tried := 0
	for _, s := range shapes {
		var values []string
		for _, h := range s.Headers {
			if strings.EqualFold(h[0], "WWW-Authenticate") {
				values = append(values, h[1])
			}
		}
		found, _ := challenge.Parse(values)
		for _, c := range found {
			if s.Preimage == "" {
				continue
			}
			var preimage [32]byte
			if _, err := hex.Decode(preimage[:], []byte(s.Preimage)); err != nil {
				t.Fatalf("%s: %v", s.ID, err)
			}
			cred := c.Credential(preimage)
			for _, pasted := range []string{cred.Value, cred.Header + ": " + cred.Value, "GET / HTTP/1.1\r\n" + cred.Header + ": " + cred.Value + "\r\n\r\n"} {
				r := explain.Read(pasted, time.Now(), nil, nil)
				if r.Kind != explain.Credential {
					t.Errorf("%s: read as %+v", s.ID, r)
				}
				if out := fmt.Sprintf("%+v %+v %s", r, r.Credential, r.Text()); strings.Contains(out, s.Preimage) {
					t.Errorf("%s: %s", s.ID, out)
				}
				tried++
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d credentials", tried)
	}
}
