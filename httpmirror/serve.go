package httpmirror

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"almanac/httpmirror/file"
	"almanac/problem"
)

// cacheControl allows caches to keep a file for a few minutes, and to serve it while they revalidate it.
const cacheControl = "public, max-age=300, stale-while-revalidate=86400"

// immutable allows caches to keep a file for good: the query of its address changes with its bytes.
const immutable = "public, max-age=31536000, immutable"

const allowedMethods = "GET, HEAD, OPTIONS"

// The header values that all answers share. Answers put these slices into their headers as they are, which spares an
// allocation each; they must not be written to.
var (
	exposedValue   = []string{"Accept-Ranges, Content-Location, Content-Range, ETag, Link"}
	cacheValue     = []string{cacheControl}
	immutableValue = []string{immutable}
	bytesValue     = []string{"bytes"}
	varyCoding     = []string{"Accept-Encoding"}
	varyBoth       = []string{"Accept, Accept-Encoding"}
)

var _ http.Handler = (*Mirror)(nil)

// ServeHTTP implements http.Handler.
func (m *Mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setSecurityHeaders(w.Header(), m.policyValue)
	if err := m.serve(w, r); err != nil {
		m.fail(w, r, err)
	}
}

func (m *Mirror) serve(w http.ResponseWriter, r *http.Request) error {
	f, err := m.find(r.URL.Path)
	if err != nil {
		return m.redirect(w, r, err)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		answerOptions(w)
		return nil
	default:
		w.Header().Set("Allow", allowedMethods)
		return problem.Errorf(problem.MethodNotAllowed, "The files of the site are read-only: use GET or HEAD.")
	}
	h := w.Header()
	if len(f.Alternates) > 0 {
		h["Vary"] = varyBoth
		if form := m.negotiate(r.Header["Accept"], f); form != f {
			f = form
			h["Content-Location"] = []string{f.Path}
		}
	} else {
		h["Vary"] = varyCoding
	}
	if done, err := m.serveFound(w, r, f); done {
		return err
	}
	h["Last-Modified"] = m.modifiedValue
	h["Cache-Control"] = cacheValue
	if r.URL.RawQuery != "" && r.URL.RawQuery == file.Version(f.Sum) {
		h["Cache-Control"] = immutableValue
	}
	h["Access-Control-Expose-Headers"] = exposedValue
	if isConditional(r.Header) {
		return m.serveConditional(w, r, f)
	}
	v := f.Representation(chooseCoding(r.Header["Accept-Encoding"]))
	if v.Link != nil {
		h["Link"] = v.Link
	}
	h["Etag"] = v.ETag
	if notModified(r.Header, v.ETag[0], m.unchangedSince) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h["Content-Type"] = v.Type
	h["Content-Length"] = v.Length
	h["Accept-Ranges"] = bytesValue
	if v.Coding != nil {
		h["Content-Encoding"] = v.Coding
	}
	if r.Method != http.MethodHead {
		v.WriteTo(w) // an error means that the client has gone away
	}
	return nil
}

// redirect answers a request whose path leaves out the slash of a page, or ends in index.html. The target is always a path
// of this site. Any other request fails with err.
func (m *Mirror) redirect(w http.ResponseWriter, r *http.Request, err error) error {
	target := r.URL.Path + "/"
	if page, ok := strings.CutSuffix(r.URL.Path, "/index.html"); ok {
		target = page + "/"
	}
	if _, missing := m.find(target); missing != nil {
		return err
	}
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	h := w.Header()
	h.Set("Location", target)
	h.Set("Content-Length", "0")
	h["Cache-Control"] = cacheValue
	w.WriteHeader(http.StatusPermanentRedirect)
	return nil
}

// answerOptions answers a preflight request (Fetch Standard, "CORS protocol").
func answerOptions(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Allow", allowedMethods)
	h.Set("Access-Control-Allow-Methods", allowedMethods)
	h.Set("Access-Control-Allow-Headers", "Accept, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// isConditional reports whether a request asks for a range, or has conditions that are rare enough to leave them to
// http.ServeContent.
func isConditional(h http.Header) bool {
	return h["Range"] != nil || h["If-Match"] != nil || h["If-Unmodified-Since"] != nil || h["If-Range"] != nil
}

// serveConditional answers a request for ranges or with preconditions. Ranges are of the file as it is, never of a
// compressed form; preconditions are about the form that would be sent.
func (m *Mirror) serveConditional(w http.ResponseWriter, r *http.Request, f *file.File) error {
	h := w.Header()
	v := f.Representation(file.Identity)
	if !strings.HasPrefix(r.Header.Get("Range"), "bytes=") {
		// A unit that is not understood is ignored (RFC 9110, section 14.2).
		r = r.Clone(r.Context())
		r.Header.Del("Range")
		v = f.Representation(chooseCoding(r.Header["Accept-Encoding"]))
	}
	if v.Link != nil {
		h["Link"] = v.Link
	}
	h["Etag"] = v.ETag
	h["Content-Type"] = v.Type
	if v.Coding != nil {
		h["Content-Encoding"] = v.Coding
		h["Content-Length"] = v.Length // http.ServeContent leaves it out of encoded answers
	}
	in := problem.Intercept(w, nil)
	http.ServeContent(in, r, "", m.strongDate(), v.Open())
	switch in.Failed() {
	case 0:
		return nil
	case http.StatusPreconditionFailed:
		return problem.New(problem.PreconditionFailed)
	case http.StatusRequestedRangeNotSatisfiable:
		h.Set("Content-Range", "bytes */"+strconv.FormatInt(f.Size(), 10))
		return problem.Errorf(problem.RangeNotSatisfiable, "The file has %d bytes; ask for a range within them.", f.Size())
	default:
		return problem.Errorf(problem.RangeNotSatisfiable, "The range cannot be served: status %d.", in.Failed())
	}
}

// strongDate returns the date by which preconditions and If-Range may tell versions apart (RFC 9110, section 8.8.2.2), or the
// zero time, which lets none of them pass.
func (m *Mirror) strongDate() time.Time {
	if m.byDay {
		return time.Time{}
	}
	return m.modified
}

// notModified reports whether the client has the file already. If-None-Match takes precedence over If-Modified-Since
// (RFC 9110, section 13.2.2).
func notModified(h http.Header, etag string, modified time.Time) bool {
	if tags := h["If-None-Match"]; tags != nil {
		for _, line := range tags {
			if listsTag(line, etag) {
				return true
			}
		}
		return false
	}
	if since := h["If-Modified-Since"]; since != nil {
		t, err := http.ParseTime(since[0])
		return err == nil && !modified.After(t)
	}
	return false
}

// listsTag reports whether a list of entity tags contains etag by weak comparison (RFC 9110, section 8.8.3.2).
func listsTag(line, etag string) bool {
	if line == etag {
		return true
	}
	for line = strings.Trim(line, " \t,"); line != ""; line = strings.Trim(line, " \t,") {
		if line == "*" {
			return true
		}
		line = strings.TrimPrefix(line, "W/")
		if line == "" || line[0] != '"' {
			return false
		}
		end := strings.IndexByte(line[1:], '"')
		if end < 0 {
			return false
		}
		if line[:end+2] == etag {
			return true
		}
		line = line[end+2:]
	}
	return false
}
