package testvectors_test

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/probe"
	"go.almanac.example/http402/shape"
	"go.almanac.example/http402/testvectors"
)

// now is a time at which the shapes that expire are over, and the others are not.
var now = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

// cells returns the measured results by shape and client.
func cells(t *testing.T) map[string]map[string]string {
	t.Helper()
	shapes := testvectors.Shapes()
	results := map[string]map[string]string{}
	for _, c := range testvectors.Clients() {
		for _, cell := range c.Cells {
			if !slices.ContainsFunc(shapes, func(s testvectors.Shape) bool { return s.ID == cell.Shape }) {
				t.Fatalf("clients.json: %s was measured with %q, which is no shape", c.ID, cell.Shape)
			}
			if results[cell.Shape] == nil {
				results[cell.Shape] = map[string]string{}
			}
			results[cell.Shape][c.ID] = cell.Result
		}
	}
	return results
}

var update = flag.Bool("update", false, "write shape/measured.json")

// TestMeasured: package shape has the signatures of the shapes that were measured, and the results:
//
//	go test -C http402 ./testvectors -run TestMeasured -update
func TestMeasured(t *testing.T) {
	const file = "../shape/measured.json"
	line := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	results, ids := cells(t), []string{}
	var shapes, clients []string
	for _, s := range testvectors.Shapes() {
		if results[s.ID] != nil {
			ids, shapes = append(ids, s.ID), append(shapes, line(s.Cell()))
		}
	}
	for _, c := range testvectors.Clients() {
		own := []string{}
		for _, id := range ids {
			own = append(own, results[id][c.ID])
		}
		clients = append(clients, line(struct {
			shape.Client
			Results []string
		}{shape.Client{ID: c.ID, Version: c.Version, Day: c.Day}, own}))
	}
	want := "{\"Shapes\":[\n" + strings.Join(shapes, ",\n") + "],\n\"Clients\":[\n" + strings.Join(clients, ",\n") + "]}\n"
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s is not of these shapes and clients (%v): run this test with -update", file, err)
	}
}

func unheld(s *testvectors.Shape) bool { return !s.HeldOut }

// TestPredictions: a prediction from the cells of the other shapes is the cell of a shape that was held out, or "not
// measured"; so it is of every shape alone; and with all cells every measured result is predicted.
func TestPredictions(t *testing.T) {
	shapes := testvectors.Shapes()
	measured, right, unknown := cells(t), 0, 0
	known, all := testvectors.Table(unheld), shape.Measured()
	for _, s := range shapes {
		for _, p := range known.Predict(s.Transport, s.Signature()) {
			switch want := measured[s.ID][p.Client]; {
			case p.Result == shape.NotMeasured && s.HeldOut:
				unknown++
			case p.Result == want && s.HeldOut:
				right++
			case want != "" && p.Result != want:
				t.Errorf("%s: %s is predicted for %s, which %s", s.ID, p.Result, p.Client, want)
			}
		}
		for _, p := range all.Predict(s.Transport, s.Signature()) {
			if want := measured[s.ID][p.Client]; want != "" && p.Result != want {
				t.Errorf("%s, %s: predicted %s, measured %s", s.ID, p.Client, p.Result, want)
			}
		}
		if want := alone(s.Signature(), s.Transport, all, measured[s.ID]); len(want) > 0 {
			t.Errorf("%s, predicted from the shapes with another signature: %s", s.ID, want)
		}
		if text := s.Signature(); strings.Contains(strings.Join(text[:], " "), "lnbc") {
			t.Errorf("%s: the signature has an invoice in it", s.ID)
		}
	}
	t.Logf("%d cells held out: %d predicted, %d not measured, the rest wrong", right+unknown, right, unknown)
	if right < 290 {
		t.Errorf("%d cells are predicted, want 290 or more", right)
	}
}

// alone returns the wrong predictions of a signature by a table without it.
func alone(s shape.Signature, transport string, all shape.Table, measured map[string]string) (wrong []string) {
	others := slices.Clone(all)
	for i, c := range others {
		others[i].Cells = slices.DeleteFunc(slices.Clone(c.Cells), func(c shape.Cell) bool { return c.Signature == s })
	}
	for _, p := range others.Predict(transport, s) {
		if want := measured[p.Client]; want != "" && p.Result != shape.NotMeasured && p.Result != want {
			wrong = append(wrong, p.Client+" "+p.Result+", not "+want)
		}
	}
	return wrong
}

// TestOwnAnswer: the clients of an almanac's own 402 are predicted, whatever the length of its token, and whatever it
// says besides.
func TestOwnAnswer(t *testing.T) {
	all := shape.Measured()
	header := map[string]string{}
	for _, s := range testvectors.Shapes() {
		if s.ID == "l402-both" || s.ID == "payment-charge" {
			header[s.ID] = s.Headers[0][1]
		}
	}
	own := header["l402-both"]
	token := strings.Split(own, `"`)[1]
	for _, longer := range []string{"", "search_valid_until=1", "search_valid_until=12"} { // each ends in another way in base64
		b, err := base64.StdEncoding.DecodeString(token)
		var mac macaroon.Macaroon
		if err != nil || mac.UnmarshalBinary(b) != nil {
			t.Fatal(err)
		}
		if longer != "" {
			mac.AddFirstPartyCaveat([]byte(longer))
		}
		b, _ = mac.MarshalBinary()
		line := strings.ReplaceAll(own, token, base64.StdEncoding.EncodeToString(b)) + `, realm="shop"`
		for extra, most := range map[string]int{"": 0, header["payment-charge"]: 0} {
			h := http.Header{"Www-Authenticate": {line}}
			if extra != "" {
				h.Add("Www-Authenticate", extra)
			}
			unknown := 0
			for _, p := range all.Predict("http", shape.HTTP(h, []byte("{}"), now)) {
				if p.Result == shape.NotMeasured {
					unknown++
				}
			}
			if unknown > most {
				t.Errorf("%q, %d challenges: %d clients are not measured", longer, len(h["Www-Authenticate"]), unknown)
			}
		}
	}
}

// TestProbeOfShapes: the probe calls no legal answer a fault unless there is no way to pay in it, finds one in every
// other, and predicts each client as it was measured, or not at all.
func TestProbeOfShapes(t *testing.T) {
	shapes := testvectors.Shapes()
	measured, table, right := cells(t), testvectors.Table(unheld), 0
	for _, s := range shapes {
		if s.Transport != "http" || s.Status != http.StatusPaymentRequired {
			continue
		}
		first := true
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if !first { // the shapes have one invoice each
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			first = false
			for _, h := range s.Headers {
				w.Header().Add(h[0], h[1])
			}
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(s.Status)
			io.WriteString(w, s.Body)
		}))
		p := probe.Probe{Now: func() time.Time { return now }, Table: table}
		report, err := p.Run(t.Context(), srv.URL+"/paid")
		srv.Close()
		if err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		if (report.Faults == 0) != (s.Legal && s.Family != "none") {
			t.Errorf("%s is legal: %v; the probe has %d faults: %+v", s.ID, s.Legal, report.Faults, report.Findings)
		}
		if faulty := slices.IndexFunc(report.Findings, func(f probe.Finding) bool { return f.Level == probe.Fault && f.Reference == "" }); faulty >= 0 {
			t.Errorf("%s: a fault without its clause: %+v", s.ID, report.Findings[faulty])
		}
		for _, c := range report.Clients {
			want := measured[s.ID][c.Client]
			if c.Result == want {
				right++
			} else if c.Result != shape.NotMeasured && want != "" {
				t.Errorf("%s: the probe predicts %s for %s, which %s", s.ID, c.Result, c.Client, want)
			}
		}
	}
	if right < 800 {
		t.Errorf("%d cells are predicted, want 800 or more", right)
	}
}
