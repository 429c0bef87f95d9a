// Package shape predicts which clients pay for an answer 402: those that were measured with an answer of the same
// signature.
package shape

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"sync"
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
	Transport string // http or mcp
	Scheme    string // of all offers of the shape; "" if they have several
	Signature Signature
	Result    string `json:",omitempty"`
}

// A Client is a program that was measured.
type Client struct {
	ID, Version, Day string
	Cells            []Cell `json:"-"`
}

// A Table has all clients.
type Table []Client

//go:embed measured.json
var measured []byte

// Measured returns the table of the clients and shapes of package testvectors, whose tests write it down.
var Measured = sync.OnceValue(func() (t Table) {
	var file struct {
		Shapes  []Cell // without results
		Clients []struct {
			Client
			Results []string // with each of the shapes; "" where it was not measured
		}
	}
	if err := json.Unmarshal(measured, &file); err != nil {
		panic(err) // of a file that is compiled in
	}
	for _, c := range file.Clients {
		for i, result := range c.Results {
			if cell := file.Shapes[i]; result != "" {
				cell.Result = result
				c.Cells = append(c.Cells, cell)
			}
		}
		t = append(t, c.Client)
	}
	return t
})

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
		if slices.ContainsFunc(c.Cells, func(c Cell) bool { return c.Scheme == scheme && c.Transport == "http" && c.Result == Pays }) {
			clients = append(clients, c.ID+" "+c.Version)
		}
	}
	return clients
}

// Predict returns a prediction for each client of a transport, in the order of the table.
func (t Table) Predict(transport string, s Signature) (all []Prediction) {
	for _, c := range t {
		if !slices.ContainsFunc(c.Cells, func(c Cell) bool { return c.Transport == transport }) {
			continue
		}
		p := Prediction{Client: c.ID, Version: c.Version, Result: c.result(s)}
		if p.Result != NotMeasured {
			p.Day = c.Day
		}
		all = append(all, p)
	}
	return all
}

// Clients returns the clients that a result is predicted for, each with its version.
func Clients(all []Prediction, result string) (clients []string) {
	for _, p := range all {
		if p.Result == result {
			clients = append(clients, p.Client+" "+p.Version)
		}
	}
	return clients
}

// result predicts what the client does. One that pays on mainnet does on another network as it did there with other answers
// that it pays on mainnet: its wallet decides.
func (c *Client) result(s Signature) string {
	result := c.onMainnet(s)
	if s[viewNetwork] == "" || result != Pays && result != PaysWrongly {
		return result
	}
	elsewhere := map[string]bool{}
	for _, cell := range c.Cells {
		if cell.Signature[viewNetwork] == s[viewNetwork] && c.onMainnet(cell.Signature) == Pays {
			elsewhere[cell.Result] = true
			result = cell.Result
		}
	}
	if len(elsewhere) != 1 {
		return NotMeasured
	}
	return result
}

// onMainnet predicts from the smallest view that decides every result that was measured on mainnet.
func (c *Client) onMainnet(s Signature) string {
	for view := viewLightning; view < views; view++ {
		results, pure := map[string]string{}, true
		for i := range c.Cells {
			cell := &c.Cells[i]
			if key := cell.Signature[view]; cell.Signature[viewNetwork] == "" {
				pure = pure && cmp.Or(results[key], cell.Result) == cell.Result
				results[key] = cell.Result
			}
		}
		if pure {
			return cmp.Or(results[s[view]], NotMeasured)
		}
	}
	return NotMeasured
}
