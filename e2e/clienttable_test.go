package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/testvectors"
	"go.almanac.example/internal/wirejson"
)

var update = flag.Bool("update", false, "rewrite the measured clients in the curated files")

// protocolOf is the protocol of a scheme, as the catalogue names it.
var protocolOf = map[string]string{challenge.OfferL402: "l402", challenge.OfferPayment: "mpp", challenge.OfferX402: "x402",
	challenge.OfferCashu: "cashu-nut-24"}

// familyProtocol is the protocol of a family of shapes, for shapes so broken that no offer can be read from them.
var familyProtocol = map[string]string{"l402": "l402", "lsat": "l402", "payment": "mpp", "x402-v1": "x402", "x402-v2": "x402", "cashu": "cashu-nut-24"}

// protocolsOf returns the protocols by which a shape asks for payment.
func protocolsOf(s *testvectors.Shape) []string {
	if s.Transport == "a2a" {
		return []string{"a2a-x402"}
	}
	header := http.Header{}
	for _, line := range s.Headers {
		header.Add(line[0], line[1])
	}
	offers := append(challenge.ReadHTTP(header, []byte(s.Body)), challenge.ReadMessage(s.Message)...)
	list := []string{}
	for _, o := range offers {
		list = append(list, protocolOf[o.Scheme])
	}
	if family := familyProtocol[s.Family]; family != "" {
		list = append(list, family)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestClientTable: the curated files have the measured clients and the shapes as testvectors has them. Their deviations
// are written by hand. After a measurement:
//
//	go test ./e2e -run TestClientTable -update
func TestClientTable(t *testing.T) {
	folder := filepath.Join("..", "fixtures", "datasets", catalog.ClientDataset)
	shapes := testvectors.Shapes()
	var curatedShapes []*catalog.Shape
	for _, s := range shapes {
		b, err := os.ReadFile(filepath.Join("..", "http402", "testvectors", "402", s.ID+".json"))
		if err != nil {
			t.Fatal(err)
		}
		shape := &catalog.Shape{Protocols: protocolsOf(&s)}
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode(shape); err != nil {
			t.Fatalf("%s: %v: give catalog.Shape the member", s.ID, err)
		}
		curatedShapes = append(curatedShapes, shape)
	}
	deviations := map[string][]catalog.Deviation{}
	var old []*catalog.Client
	if b, err := os.ReadFile(filepath.Join(folder, "clients.json")); err == nil {
		if err := json.Unmarshal(b, &old); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range old {
		deviations[c.ID] = c.Deviations
	}
	measured, err := os.ReadFile("../http402/testvectors/clients.json")
	if err != nil {
		t.Fatal(err)
	}
	var clients []*catalog.Client
	if err := json.Unmarshal(measured, &clients); err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		if *c.URL == "" {
			c.URL = nil
		}
		if c.Deviations = deviations[c.ID]; c.Deviations == nil {
			c.Deviations = []catalog.Deviation{}
		}
	}
	for name, want := range map[string]any{"clients.json": clients, "shapes.json": curatedShapes} {
		path := filepath.Join(folder, name)
		body := wirejson.Must(wirejson.Indent(want))
		if *update {
			if err := os.WriteFile(path, body, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s differs from testvectors (%v): go test ./e2e -run TestClientTable -update, and then record the change (fixtures/README.md)", path, err)
		}
	}
}
