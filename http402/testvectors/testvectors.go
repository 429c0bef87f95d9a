// Package testvectors has the shapes of 402 that clients meet, and the results of measured clients with them.
package testvectors

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"go.almanac.example/http402/shape"
)

//go:embed 402/*.json
var files embed.FS

// Requests has the folder 402/requests, which package requests reads.
//
//go:embed 402/requests/*.json
var Requests embed.FS

//go:embed clients.json
var clients []byte

// A Shape is a file of the folder 402, whose README explains the members.
type Shape struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"`
	Family    string          `json:"family"`
	Legal     bool            `json:"legal"`
	Trap      string          `json:"trap,omitempty"`
	HeldOut   bool            `json:"held_out,omitempty"`
	Transport string          `json:"transport"`
	Status    int             `json:"status,omitempty"`
	Headers   [][2]string     `json:"headers,omitempty"`
	Body      string          `json:"body,omitempty"`
	Message   json.RawMessage `json:"message,omitempty"`
	Text      string          `json:"text,omitempty"`
	Preimage  string          `json:"preimage,omitempty"`
	Clauses   []Clause        `json:"clauses"`
	Reading   json.RawMessage `json:"reading,omitempty"`
}

// A Clause is a sentence of a specification in our words.
type Clause struct {
	Spec    string `json:"spec"`
	Section string `json:"section"`
	Says    string `json:"says"`
}

// Shapes returns every shape, sorted by id.
func Shapes() (all []Shape) {
	for _, e := range must(files.ReadDir("402")) {
		d := json.NewDecoder(bytes.NewReader(must(files.ReadFile("402/" + e.Name()))))
		d.DisallowUnknownFields()
		var s Shape
		if err := d.Decode(&s); err != nil {
			panic(fmt.Errorf("read %s: %w", e.Name(), err))
		}
		all = append(all, s)
	}
	return all
}

// must returns v, which was read from files that are compiled in: the tests read all of them.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A Client is a program that pays, and its results with shapes.
type Client struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"url"`
	Command string `json:"command"`
	Day     string `json:"day"`
	Cells   []Cell `json:"cells"`
}

// A Cell is the result of a client with a shape: pays, refuses, stuck or pays wrongly.
type Cell struct {
	Shape      string `json:"shape"`
	Result     string `json:"result"`
	Reason     string `json:"reason"`
	Transcript string `json:"transcript"` // its SHA-256
}

// Clients returns the measured clients, sorted by id.
func Clients() (all []Client) {
	if err := json.Unmarshal(clients, &all); err != nil {
		panic(fmt.Errorf("read clients.json: %w", err))
	}
	return all
}

// signed is the time at which the shapes that expire are over, and the others are not.
var signed = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

// Signature returns the signature by which clients meet the shape.
func (s *Shape) Signature() shape.Signature {
	if s.Transport == "mcp" {
		return shape.MCP(s.Message)
	}
	h := http.Header{}
	for _, line := range s.Headers {
		h.Add(line[0], line[1])
	}
	return shape.HTTP(h, []byte(s.Body), signed)
}

// Cell returns the cell of a client with the shape, without its result.
func (s *Shape) Cell() shape.Cell {
	family, _, _ := strings.Cut(strings.Replace(s.Family, "lsat", "l402", 1), "-") // of x402-v1
	return shape.Cell{Transport: s.Transport, Scheme: strings.Replace(family, "mixed", "", 1), Signature: s.Signature()}
}

// Table returns the cells of the shapes that pass, with which package shape predicts.
func Table(pass func(*Shape) bool) (t shape.Table) {
	byID := map[string]shape.Cell{}
	for _, s := range Shapes() {
		if pass(&s) {
			byID[s.ID] = s.Cell()
		}
	}
	for _, c := range Clients() {
		client := shape.Client{ID: c.ID, Version: c.Version, Day: c.Day}
		for _, measured := range c.Cells {
			if cell, ok := byID[measured.Shape]; ok {
				cell.Result = measured.Result
				client.Cells = append(client.Cells, cell)
			}
		}
		t = append(t, client)
	}
	return t
}
