package server

import (
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
	if !l402.Allow(w, r, p.problems.Write, "Content-Type", http.MethodPost) {
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, explain.MaxInput))
	if err != nil {
		p.problems.Write(w, r, bodyProblem(err))
		return
	}
	reading, ok := p.read(w, r, string(text))
	if !ok {
		return
	}
	answer := wirejson.Must(wirejson.Indent(reading))
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(answer)))
	w.Write(answer)
}

// read returns the meaning of a text, or answers that this is not its network's turn: a long text takes as long as many pages.
func (p *publisher) read(w http.ResponseWriter, r *http.Request, text string) (reading explain.Reading, ok bool) {
	place := p.calls.Enter(r.Context())
	if place == nil {
		p.problems.Write(w, r, problem.New(problem.Overloaded))
		return reading, false
	}
	defer place.Leave()
	return p.cfg.Explain(text), true
}

// explainPage answers the form of a mirror's page, which works without a script, with the page of the reading.
func (p *publisher) explainPage(mirror *httpmirror.Mirror) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			mirror.Refused(w, r, bodyProblem(err))
			return
		}
		// Browsers send the lines of a text with both ends (WHATWG HTML, "constructing the entry list").
		reading, ok := p.read(w, r, strings.ReplaceAll(r.PostForm.Get("text"), "\r\n", "\n"))
		if !ok {
			return
		}
		document := wirejson.Must(wirejson.Indent(reading))
		mirror.Explained(w, r, strings.Split(strings.TrimSpace(reading.Text()), "\n"), string(document))
	}
}

// maxForm is the size of a form: it escapes a byte in three.
const maxForm = 3*explain.MaxInput + 64

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
