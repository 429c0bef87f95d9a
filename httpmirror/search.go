package httpmirror

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/index"
	"go.almanac.example/index/find"
	"go.almanac.example/internal/accept"
	"go.almanac.example/internal/problem"
)

// maxQuery is the size limit of a query in bytes.
const maxQuery = 512

// findQuery returns the query of a request for the search page, or "".
func findQuery(r *http.Request) string {
	query := strings.TrimSpace(strings.ToValidUTF8(r.URL.Query().Get("q"), " "))
	return strings.ToValidUTF8(query[:min(len(query), maxQuery)], "")
}

// writeFound answers a request with the search page of a query. refused is the answer of the paid search; nil: it was
// not asked.
func (m *Mirror) writeFound(
	w http.ResponseWriter, r *http.Request, status int, query string, refused *html.Problem,
) error {
	n, _ := strconv.Atoi(r.URL.Query().Get("n"))
	found, answers, err := m.search(r.Context(), query)
	if err != nil {
		return err
	}
	answers = answers[:min(max(n, find.MaxFound), len(answers))]
	return m.writePage(w, r, status, m.renderer.html.Found(query, *found, answers, refused))
}

// mostNamed is the most words of a query that is a name rather than a question.
const mostNamed = 2

// search returns the records for a query: of a question those with the best passages first, of a name those with the
// best names.
func (m *Mirror) search(ctx context.Context, query string) (*find.Results, []index.Answered, error) {
	x, err := m.renderer.names()
	if err != nil {
		return nil, nil, err
	}
	found, err := x.Find(ctx, query, nil, find.MaxMore)
	if err != nil {
		return nil, nil, err
	}
	answers, err := x.Answers(ctx, query, found.Records)
	if len(strings.Fields(query)) <= mostNamed {
		place := func(a index.Answered) int {
			return slices.IndexFunc(found.Records, func(r find.Record) bool { return r.ID == a.ID })
		}
		slices.SortFunc(answers, func(a, b index.Answered) int { return place(a) - place(b) })
	}
	return found, answers, err
}

// writePage answers a request with a page that is not a file.
func (m *Mirror) writePage(w http.ResponseWriter, r *http.Request, status int, pg html.Page) error {
	body, err := m.renderer.html.Render(pg)
	if err != nil {
		return err
	}
	writeBody(w, r, status, file.HTML, body)
	return nil
}

// writeBody answers a request with bytes that are not of a file.
func writeBody(w http.ResponseWriter, r *http.Request, status int, mediaType string, body []byte) {
	h := w.Header()
	h["Content-Type"] = []string{mediaType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) // an error means that the client has gone away
	}
}

// wantsPage reports whether a request comes from somebody who reads pages: it prefers HTML to a problem document and to
// Markdown. Programs that accept anything get the document.
func wantsPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && readsPages(r)
}

// readsPages reports whether a request, of a form too, comes from somebody who reads pages.
func readsPages(r *http.Request) bool {
	lines, html := r.Header["Accept"], file.BareType(file.HTML)
	return len(lines) > 0 && accept.Type(lines, problem.MediaType, file.JSON, file.BareType(file.Markdown), html) == html
}

// fail answers a request that failed. A browser that asks for an address at which nothing is gets a page with the
// nearest ones.
func (m *Mirror) fail(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Add("Vary", "Accept")
	if withdrawal, ok := m.cat.WithdrawnAt(r.URL.Path); ok && problem.FromError(err).Code == problem.Withdrawn {
		if strings.HasSuffix(r.URL.Path, ".md") {
			text := "# Withdrawn: " + markdown.Text(withdrawal.Title) + "\n\n" +
				markdown.Text(m.cat.WithdrawalText(withdrawal)) + "\n"
			writeBody(w, r, http.StatusGone, file.Markdown, []byte(text))
			return
		}
		if wantsPage(r) && m.writePage(w, r, http.StatusGone, m.renderer.html.Withdrawn(withdrawal)) == nil {
			return
		}
	}
	if problem.FromError(err).Code == problem.NotFound && wantsPage(r) {
		w.Header().Set("Cache-Control", "no-store")
		if err = m.writeNotFound(w, r); err == nil {
			return
		}
	}
	m.problems.Write(w, r, err)
}

// writeNotFound answers a request with the page of an address at which nothing is.
func (m *Mirror) writeNotFound(w http.ResponseWriter, r *http.Request) error {
	x, err := m.renderer.names()
	if err != nil {
		return err
	}
	return m.writePage(w, r, http.StatusNotFound, m.renderer.html.NotFound(x.FindNear(r.Context(), r.URL.Path)))
}

// Explained answers a request with the page of a reading: the lines of almanac explain, and its JSON. No cache keeps it.
func (m *Mirror) Explained(w http.ResponseWriter, r *http.Request, lines []string, document string) {
	setSecurityHeaders(w.Header(), m.policyValue)
	w.Header().Set("Cache-Control", "no-store")
	pg := m.renderer.html.Explained(html.Reading{Lines: lines, JSON: document})
	if err := m.writePage(w, r, http.StatusOK, pg); err != nil {
		m.problems.Write(w, r, err)
	}
}

// Refused answers the form of a page with a problem, as a page for somebody who reads pages.
func (m *Mirror) Refused(w http.ResponseWriter, r *http.Request, err error) {
	setSecurityHeaders(w.Header(), m.policyValue)
	if readsPages(r) {
		p := problem.FromError(err)
		w.Header().Set("Cache-Control", "no-store")
		problem.SetRetryAfter(w.Header(), p.Wait())
		err = m.writePage(w, r, p.Status(), m.renderer.html.Refused(p.Title(), p.Sentence()))
	}
	if err != nil {
		m.problems.Write(w, r, err)
	}
}

// ForBrowsers returns a handler that answers as next does, except that who reads pages gets the search page where next
// answers with a problem document: with its status and its headers, and with the document for the script of the page.
func (m *Mirror) ForBrowsers(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if !wantsPage(r) {
		next.ServeHTTP(w, r)
		return
	}
	in := problem.Intercept(w)
	next.ServeHTTP(in, r)
	if in.Failed() == 0 {
		return
	}
	shown := html.Problem{Document: in.Withheld()}
	if err := json.Unmarshal(shown.Document, &shown); err != nil {
		shown = html.Problem{Document: json.RawMessage("null")}
	}
	setSecurityHeaders(w.Header(), m.policyValue)
	w.Header().Add("Vary", "Accept")
	if err := m.writeFound(w, r, in.Failed(), findQuery(r), &shown); err != nil {
		m.problems.Write(w, r, err)
	}
}
