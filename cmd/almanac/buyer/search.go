package buyer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client"
)

// A Search asks an almanac.
type Search struct {
	Settings
	At       string // base address of the almanac, or of its paid interface
	Words    []string
	Category string
	Tag      string
	Limit    uint
	JSON     bool // the answer as it came
	Agent    string

	Stdout, Stderr io.Writer
}

// Run searches and prints the hits.
func (s *Search) Run(ctx context.Context) error {
	address, err := s.address()
	if err != nil {
		return err
	}
	var answer bytes.Buffer
	get := Get{Settings: s.Settings, URL: address, Headers: []string{"Accept: application/json"}, Follow: true,
		Agent: s.Agent, Stdout: &answer, Stderr: s.Stderr, maxAnswer: 4 << 20}
	err = get.Run(ctx)
	if refused := (*AnswerError)(nil); errors.As(err, &refused) {
		var problem struct{ Detail string }
		_ = json.Unmarshal(answer.Bytes(), &problem) // an answer of another kind has no detail
		refused.Detail = problem.Detail
	}
	if err != nil {
		return err
	}
	if s.JSON {
		_, err := s.Stdout.Write(append(answer.Bytes(), '\n'))
		return err
	}
	return s.print(answer.Bytes())
}

// address returns the address of the search.
func (s *Search) address() (string, error) {
	u, err := client.ParseAddress(s.At)
	if err != nil {
		return "", fmt.Errorf("the almanac to search: %w", err)
	}
	if !strings.HasSuffix(u.Path, "/v1/search") {
		u = u.JoinPath("v1", "search")
	}
	q := u.Query()
	q.Set("q", strings.Join(s.Words, " "))
	for name, value := range map[string]string{"category": s.Category, "tag": s.Tag} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if s.Limit > 0 {
		q.Set("limit", fmt.Sprint(s.Limit))
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// A hit is the printed part of one.
type hit struct {
	ID, Title, Kind, Summary, URL string
	DatePublished                 *string `json:"date_published"`
	Passages                      []struct{ Text, Value, Name string }
}

// print writes a table of hits, each with its matching passages, or with its summary if it has none.
func (s *Search) print(body []byte) error {
	var answer struct {
		Query          string
		Total          int
		CorrectedQuery string `json:"corrected_query"`
		Entries        []hit
		Missing        []string
		Credits        *struct{ Remaining int }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("read the answer: %w; is %s an almanac?", err, s.At)
	}
	if len(answer.Entries) == 0 {
		missing := ""
		if len(answer.Missing) > 0 {
			missing = " Words without an answer: " + strings.Join(answer.Missing, ", ")
		}
		_, err := fmt.Fprintf(s.Stdout, "Nothing was found for %q.%s\n", answer.Query, missing)
		return err
	}
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
	for i, h := range answer.Entries {
		date := ""
		if h.DatePublished != nil {
			date = *h.DatePublished
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", i+1, challenge.Plain(h.Title), h.Kind, date)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i, h := range answer.Entries {
		fmt.Fprintf(s.Stdout, "\n%d. %s\n   %s\n", i+1, challenge.Plain(h.Title), challenge.Plain(h.URL))
		for _, text := range h.texts() {
			fmt.Fprintln(s.Stdout, "   "+challenge.Plain(text))
		}
	}
	line := fmt.Sprintf("\n%d of %d for %q", len(answer.Entries), answer.Total, challenge.Plain(answer.Query))
	if answer.CorrectedQuery != "" {
		line += fmt.Sprintf(", read as %q", challenge.Plain(answer.CorrectedQuery))
	}
	if answer.Credits != nil {
		line += fmt.Sprintf("; %d requests are left", answer.Credits.Remaining)
	}
	_, err := fmt.Fprintln(s.Stdout, line)
	return err
}

func (h *hit) texts() []string {
	var texts []string
	for _, p := range h.Passages {
		text := p.Text
		if text == "" && p.Value != "" {
			text = strings.TrimPrefix(p.Name+": "+p.Value, ": ")
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 && h.Summary != "" {
		texts = []string{h.Summary}
	}
	return texts
}
