package httpmirror

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/html"
	"almanac/index/find"
)

// Finder returns what finds the records of the site by what they are called.
func (m *Mirror) Finder() *find.Finder { return m.finder }

// maxQuery bounds what is searched for, in bytes.
const maxQuery = 512

// serveFound answers a request for the search page that asks for something, and reports whether it did. The page's other forms,
// and a browser that runs the script, need no answer of their own.
func (m *Mirror) serveFound(w http.ResponseWriter, r *http.Request, f *file.File) (bool, error) {
	if f.Path != catalog.FindPath || r.URL.RawQuery == "" {
		return false, nil
	}
	query := strings.TrimSpace(strings.ToValidUTF8(r.URL.Query().Get("q"), " "))
	if query == "" {
		return false, nil
	}
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	found, readAs := m.finder.Find(query)
	return true, m.writePage(w, r, http.StatusOK, m.renderer.html.Found(query, found, readAs))
}

// writePage answers a request with a page that is not a file.
func (m *Mirror) writePage(w http.ResponseWriter, r *http.Request, status int, pg html.Page) error {
	pg.Path = catalog.FindPath
	var b bytes.Buffer
	if err := m.renderer.html.Write(&b, pg); err != nil {
		return err
	}
	h := w.Header()
	h["Content-Type"] = []string{file.HTML}
	h["Content-Length"] = []string{strconv.Itoa(b.Len())}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(b.Bytes()) // an error means that the client has gone away
	}
	return nil
}
