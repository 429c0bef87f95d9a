package catalog

// A StatementRecord holds statements about a library entry, beyond its summary.
type StatementRecord struct {
	Record     string      `json:"record"` // id of the entry
	Statements []Statement `json:"statements"`
}

// A Statement is a sentence or two about the source of an entry, with the readings that show it.
type Statement struct {
	ID       string          `json:"id"`    // unique among those of the entry; the anchor on its page
	About    string          `json:"about"` // one of StatementSubjects
	Text     string          `json:"text"`
	Example  *Example        `json:"example,omitempty"` // of statements about ExampleSubject
	Readings []SourceReading `json:"readings"`          // those that hold come first
}

// An Example is literal text from a specification.
type Example struct {
	MediaType string `json:"media_type"`
	Text      string `json:"text"`
}

// ExampleSubject is the subject of the statements that have an example.
const ExampleSubject = "example"

// StatementSubjects are the subjects of statements, each with the question that it answers.
var StatementSubjects = map[string]string{
	"people":       "who wrote, owns or maintains it",
	"status":       "how far it is",
	"version":      "which version is current",
	"dates":        "when it was published, applies or ends",
	"licence":      "under which licence it is",
	"price":        "what it costs",
	"limits":       "its limits",
	"addresses":    "its endpoints, ports and paths",
	"names":        "its headers, fields, methods and commands",
	"errors":       "its errors",
	"relations":    "what it replaces, extends or is built on",
	"needs":        "what it requires",
	"function":     "how it works",
	"failure":      "what happens when something goes wrong",
	ExampleSubject: "what it looks like",
}

// MaxStatements is the most statements that an entry has.
const MaxStatements = 8
