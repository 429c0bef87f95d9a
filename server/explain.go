package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/http402/explain"
	"go.almanac.example/httpmirror"
	"go.almanac.example/internal/problem"
	"go.almanac.example/internal/wirejson"
	"go.almanac.example/l402"
)

// explains reports whether the service explains payments: a catalogue about something else does not.
func (p *publisher) explains(c *catalog.Catalog) bool {
	return p.cfg.Explain != nil && len(c.ProtocolPageIDs()) > 0
}

// explain answers a posted text with its meaning. The text may have secrets: nothing of it is stored or logged.
func (p *publisher) explain(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Access-Control-Allow-Origin", "*")
	if !l402.Allow(w, r, p.problems.Write, http.MethodPost) {
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, explain.MaxInput))
	if err != nil {
		p.problems.Write(w, r, bodyProblem(err))
		return
	}
	reading, err := p.read(r.Context(), string(text))
	if err != nil {
		p.problems.Write(w, r, err)
		return
	}
	answer := wirejson.Must(wirejson.Indent(reading))
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(answer)))
	w.Write(answer)
}

// read returns the meaning of a text when it is its network's turn: a long text takes as long as many pages.
func (p *publisher) read(ctx context.Context, text string) (explain.Reading, error) {
	place := p.calls.Enter(ctx)
	if place == nil {
		return explain.Reading{}, problem.New(problem.Overloaded)
	}
	defer place.Leave()
	return p.cfg.Explain(text), nil
}

// explainPage answers the form of a mirror's page, which works without a script, with the page of the reading.
func (p *publisher) explainPage(mirror *httpmirror.Mirror) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var reading explain.Reading
		field, err := readForm(w, r)
		if err == nil {
			reading, err = p.read(r.Context(), field("text"))
		}
		if err != nil {
			mirror.Refused(w, r, err)
			return
		}
		document := wirejson.Must(wirejson.Indent(reading))
		mirror.Explained(w, r, strings.Split(strings.TrimSpace(reading.Text()), "\n"), string(document))
	}
}

// maxForm is the size of a form: it escapes a byte in three.
const maxForm = 3*explain.MaxInput + 64

// readForm reads a form that a page sent, and returns a function that returns its fields by name.
func readForm(w http.ResponseWriter, r *http.Request) (field func(name string) string, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return nil, bodyProblem(err)
	}
	// Browsers send the lines of a text with both ends (WHATWG HTML, "constructing the entry list").
	return func(name string) string { return strings.ReplaceAll(r.PostForm.Get(name), "\r\n", "\n") }, nil
}

// bodyProblem returns the problem of a body that could not be read.
func bodyProblem(err error) error {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return problem.Errorf(problem.BodyTooLarge, "The text is longer than 64 KiB. Send less of it, such as one response or message.")
	}
	if errors.As(err, new(url.EscapeError)) {
		return problem.Errorf(problem.ParameterInvalid, "The text is not encoded as forms are. Send it as curl --data-urlencode does.")
	}
	return problem.Errorf(problem.Timeout, "The request body was incomplete. Send it again.")
}
