package catalog

// MaxExplained is the longest text that the service explains, in bytes.
const MaxExplained = 64 << 10

// explainWritten is the day on which the ways to explain were last described.
const explainWritten Date = "2026-11-26"

// explained are the texts from a payment that the service knows.
var explained = written[[]string]("explained.json")

// An ExplainDocument says how to have a text from a payment explained.
type ExplainDocument struct {
	Head
	URL      string   `json:"url"`  // takes the text by POST
	Tool     string   `json:"tool"` // of the MCP server
	Command  string   `json:"command"`
	MaxBytes int      `json:"max_bytes"`
	Reads    []string `json:"reads"`
}

// ExplainDay is the newest day of the document.
func (c *Catalog) ExplainDay() Date { return explainWritten }

// Explain returns the document that describes the explain endpoints.
func (c *Catalog) Explain() *ExplainDocument {
	return &ExplainDocument{c.head("explain", explainWritten), c.Site().API + ExplainAPIPath,
		"explain_402", "almanac explain", MaxExplained, explained}
}
