// Package shape predicts which clients pay for an answer 402: those that were measured with an answer of the same
// signature.
package shape

import (
	"cmp"
	"slices"
)

// The results of a client with a shape.
const (
	Pays        = "pays"
	Refuses     = "refuses" // with a reason
	Stuck       = "stuck"   // without one
	PaysWrongly = "pays wrongly"
	NotMeasured = "not measured" // the client never met the shape
)

// A Cell is the measured result of a client with a shape.
type Cell struct {
	Client, Version string
	Transport       string // http or mcp
	Scheme          string // of all offers of the shape; "" if they have several
	Signature       Signature
	Result          string
	Day             string
}

// A Table has the cells of all clients.
type Table []Cell

// A Prediction is the expected result of a client.
type Prediction struct {
	Client  string `json:"client"`
	Version string `json:"version"`
	Result  string `json:"result"`
	Day     string `json:"day,omitempty"`
}

// Payers returns the clients that paid some answer over HTTP with offers of one scheme alone.
func (t Table) Payers(scheme string) (clients []string) {
	for _, c := range t {
		client := c.Client + " " + c.Version
		if c.Scheme == scheme && c.Transport == "http" && c.Result == Pays && !slices.Contains(clients, client) {
			clients = append(clients, client)
		}
	}
	return clients
}

// Predict returns a prediction for each client of a transport, in the order of the table.
func (t Table) Predict(transport string, s Signature) (all []Prediction) {
	for _, c := range t {
		if c.Transport == transport && !slices.ContainsFunc(all, func(p Prediction) bool { return p.Client == c.Client }) {
			p := Prediction{Client: c.Client, Version: c.Version, Result: t.cells(c.Client).result(s)}
			if p.Result != NotMeasured {
				p.Day = c.Day
			}
			all = append(all, p)
		}
	}
	return all
}

// cells returns the cells of a client.
func (t Table) cells(client string) (own Table) {
	for i := range t {
		if t[i].Client == client {
			own = append(own, t[i])
		}
	}
	return own
}

// Results are the results of clients, the best first.
var Results = []string{Pays, Refuses, Stuck, PaysWrongly, NotMeasured}

// Clients returns the clients that a result is predicted for, each with its version.
func Clients(all []Prediction, result string) (clients []string) {
	for _, p := range all {
		if p.Result == result {
			clients = append(clients, p.Client+" "+p.Version)
		}
	}
	return clients
}

// result predicts from the cells of one client. One that pays on mainnet does on another network as it did there with other answers that it
// pays on mainnet: its wallet decides.
func (t Table) result(s Signature) string {
	result := t.onMainnet(s)
	if s[viewNetwork] == "" || result != Pays && result != PaysWrongly {
		return result
	}
	elsewhere := map[string]bool{}
	for _, c := range t {
		if c.Signature[viewNetwork] == s[viewNetwork] && t.onMainnet(c.Signature) == Pays {
			elsewhere[c.Result] = true
			result = c.Result
		}
	}
	if len(elsewhere) != 1 {
		return NotMeasured
	}
	return result
}

// onMainnet predicts from the smallest view that decides every result of the client that was measured on mainnet.
func (t Table) onMainnet(s Signature) string {
	for view := viewLightning; view < views; view++ {
		results, pure := map[string]string{}, true
		for i := range t {
			c := &t[i]
			if key := c.Signature[view]; c.Signature[viewNetwork] == "" {
				pure = pure && cmp.Or(results[key], c.Result) == c.Result
				results[key] = c.Result
			}
		}
		if pure {
			return cmp.Or(results[s[view]], NotMeasured)
		}
	}
	return NotMeasured
}
