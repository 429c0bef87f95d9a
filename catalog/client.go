package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ClientDataset is the dataset of the measured clients.
const ClientDataset = "client-compatibility"

// ClientResults are the results of a client with a shape.
var ClientResults = []string{"pays", "refuses", "stuck", "pays wrongly"}

// NotMeasured stands where a client never met a shape.
const NotMeasured = "not measured"

// A Client is a program that pays, as it was measured with shapes of 402 responses.
type Client struct {
	ID         string       `json:"id" form:"slug"`
	Name       string       `json:"name" form:"title"`
	Version    string       `json:"version" form:"name"`
	URL        *string      `json:"url" form:"url"` // of the project; nil: it is a part of this program
	Command    string       `json:"command"`
	Day        Date         `json:"day"`
	Deviations []Deviation  `json:"deviations"`
	Cells      []ClientCell `json:"cells"`
}

// A Deviation is a behaviour that looks like a fault of the client, with the shapes that show it.
type Deviation struct {
	Text   string   `json:"text" form:"summary"`
	Shapes []string `json:"shapes" form:"list"`
}

// A ClientCell is the result of a client with a shape.
type ClientCell struct {
	Shape      string `json:"shape"`
	Result     string `json:"result" form:"result"` // one of ClientResults
	Reason     string `json:"reason" form:"visible"`
	Transcript string `json:"transcript" form:"hash"` // the SHA-256 of the log
}

// Cell returns the result with a shape, or NotMeasured.
func (c *Client) Cell(shape string) ClientCell {
	if i := slices.IndexFunc(c.Cells, func(cell ClientCell) bool { return cell.Shape == shape }); i >= 0 {
		return c.Cells[i]
	}
	return ClientCell{Shape: shape, Result: NotMeasured}
}

// Count returns how many cells have a result.
func (c *Client) Count(result string) (n int) {
	for _, cell := range c.Cells {
		if cell.Result == result {
			n++
		}
	}
	return n
}

// Reproduction returns the command that measures the client with a shape.
func (c *Client) Reproduction(s *Shape) string {
	if strings.HasSuffix(c.Command, " ") {
		return c.Command + s.Transport + "/" + s.ID
	}
	return c.Command
}

// A Shape is a test vector: a 402 response, or its kin over MCP and A2A. The members are those of the vector, and the
// protocols by which it asks.
type Shape struct {
	ID        string          `json:"id" form:"slug"`
	Title     string          `json:"title" form:"title"`
	Family    string          `json:"family"`
	Protocols []string        `json:"protocols"` // by which it asks
	Legal     bool            `json:"legal"`
	Trap      string          `json:"trap,omitempty"` // why a careful client does not pay
	HeldOut   bool            `json:"held_out,omitempty"`
	Transport string          `json:"transport" form:"transport"`
	Status    int             `json:"status,omitempty"`
	Headers   [][2]string     `json:"headers,omitempty"`
	Body      string          `json:"body,omitempty"`
	Message   json.RawMessage `json:"message,omitempty"`
	Preimage  string          `json:"preimage,omitempty"`
	Clauses   []Clause        `json:"clauses"`
	Reading   json.RawMessage `json:"reading"` // that is expected
}

// A Clause is a sentence of a specification in our words.
type Clause struct {
	Spec    string `json:"spec"`
	Section string `json:"section"`
	Says    string `json:"says"`
}

// A ClientsDocument is the document of the measured clients.
type ClientsDocument struct {
	Head
	Shapes  []ShapeItem `json:"shapes"`
	Count   int         `json:"count"` // of the clients
	Clients []*Client   `json:"clients"`
}

// A ShapeItem is a shape as the document lists it: its vector has the rest.
type ShapeItem struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Protocols []string `json:"protocols"`
	Legal     bool     `json:"legal"`
	Trap      *string  `json:"trap"`
	Transport string   `json:"transport"`
	VectorURL string   `json:"vector_url"`
	Clauses   []Clause `json:"clauses"`
}

// ClientsDocument returns the document of the measured clients.
func (c *Catalog) ClientsDocument() *ClientsDocument {
	doc := &ClientsDocument{Head: c.head("clients", c.ClientsDay()), Count: len(c.records.Clients), Clients: c.records.Clients}
	for _, s := range c.records.Shapes {
		doc.Shapes = append(doc.Shapes, ShapeItem{s.ID, s.Title, s.Protocols, s.Legal, OrNull(s.Trap), s.Transport,
			c.Site().URL(VectorPath(s.ID)), s.Clauses})
	}
	return doc
}

// A Vector is the document of a shape.
type Vector struct {
	Head
	*Shape
}

// Vector returns the document of the shape with an id.
func (c *Catalog) Vector(id string) *Vector {
	s, _ := c.Shape(id)
	return &Vector{c.head("vector", c.ClientsDay()), s}
}

// Clients returns the measured clients, sorted by id.
func (c *Catalog) Clients() []*Client { return c.records.Clients }

// Shapes returns the shapes with which they were measured, sorted by id.
func (c *Catalog) Shapes() []*Shape { return c.records.Shapes }

// Shape returns the shape with an id.
func (c *Catalog) Shape(id string) (*Shape, bool) {
	return find(c.records.Shapes, func(s *Shape) bool { return s.ID == id })
}

// ResultsWith returns the results with a shape in words, each with the clients that have it.
func (c *Catalog) ResultsWith(shape string) (lines []string) {
	for _, result := range append(slices.Clone(ClientResults), NotMeasured) {
		var ids []string
		for _, k := range c.records.Clients {
			if k.Cell(shape).Result == result {
				ids = append(ids, k.ID)
			}
		}
		if len(ids) > 0 {
			lines = append(lines, result+": "+strings.Join(ids, ", "))
		}
	}
	return lines
}

// ClientsDay returns the newest day of the measurements.
func (c *Catalog) ClientsDay() Date {
	d, ok := c.Dataset(ClientDataset)
	if !ok {
		return ""
	}
	return c.DatasetDay(d)
}

// ClientSentence returns the measured results of a client as a sentence.
func (c *Catalog) ClientSentence(k *Client) string {
	var counts, ways []string
	for _, result := range ClientResults {
		if n := k.Count(result); n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", result, n))
		}
	}
	for _, w := range c.PayWays() {
		if paid, met := w.Count(k); paid > 0 {
			ways = append(ways, fmt.Sprintf("%s %d of %d", w.Label, paid, met))
		}
	}
	text := fmt.Sprintf("%s %s was run with %d shapes of 402 on %s: it %s.", k.Name, k.Version, len(k.Cells), k.Day,
		strings.Join(counts, ", "))
	if len(ways) > 0 {
		text += " Of the well-formed responses that ask in one way alone it pays: " + strings.Join(ways, ", ") + "."
	}
	return text
}

func clientRows(c *Catalog) (rows [][]any) {
	for _, k := range c.records.Clients {
		for _, cell := range k.Cells {
			s, _ := c.Shape(cell.Shape) // the loader has checked it
			rows = append(rows, []any{k.ID, k.Name, k.Version, s.ID, s.Title, s.Protocols, s.Transport, cell.Result,
				orNil(OrNull(cell.Reason)), k.Reproduction(s), cell.Transcript, string(k.Day)})
		}
	}
	return rows
}
