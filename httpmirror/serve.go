package httpmirror

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/accept"
	"go.almanac.example/internal/problem"
)

// cacheControl allows caches to store a file for a few minutes, and to serve it while they revalidate it.
const cacheControl = "public, max-age=300, stale-while-revalidate=86400"

// immutable allows caches to store a file for good: the query of its address changes with its bytes.
const immutable = "public, max-age=31536000, immutable"

const allowedMethods = "GET, HEAD, OPTIONS"

// The header values that all answers share. Answers put these slices into their headers as they are, which saves an
// allocation each; they must not be written to.
var (
	exposedValue   = []string{"Accept-Ranges, Content-Location, Content-Range, ETag, Link"}
	cacheValue     = []string{cacheControl}
	immutableValue = []string{immutable}
	bytesValue     = []string{"bytes"}
	varyCoding     = []string{"Accept-Encoding"}
	varyBoth       = []string{"Accept, Accept-Encoding"}
	nosniffValue   = []string{"nosniff"}
	sameOrigin     = []string{"same-origin"} // with "no-referrer", the forms of the site have no origin
	anyOriginValue = []string{"*"}
)

// Markdown is plain text to clients that ask for that.
const markdownType, plainType = "text/markdown", "text/plain"

var textValues = map[string][]string{markdownType: {file.Markdown}, plainType: {file.Text}}

// contentSecurityPolicy returns the policy of every answer: pages use the stylesheet, scripts, pictures and files of
// their own site, search with its form, and call the paid interface, which may be at another host. Nothing else.
func contentSecurityPolicy(site catalog.Site) string {
	connect := "'self'"
	if origin := catalog.Origin(site.API); origin != catalog.Origin(site.Base) {
		connect += " " + origin
	}
	return "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src " + connect +
		"; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// SetSecurityHeaders sets the headers of every answer of the site: the rights of a page, and its readers.
func SetSecurityHeaders(h http.Header, site catalog.Site) {
	setSecurityHeaders(h, []string{contentSecurityPolicy(site)})
}

func setSecurityHeaders(h http.Header, policy []string) {
	h["Content-Security-Policy"] = policy
	h["X-Content-Type-Options"] = nosniffValue
	h["Referrer-Policy"] = sameOrigin
	h["Cross-Origin-Opener-Policy"] = sameOrigin
	h["Access-Control-Allow-Origin"] = anyOriginValue
}

var _ http.Handler = (*Mirror)(nil)

// ServeHTTP implements http.Handler.
func (m *Mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setSecurityHeaders(w.Header(), m.policyValue)
	if err := m.serve(w, r); err != nil {
		m.fail(w, r, err)
	}
}

// serve finds the file at the path, negotiates its form, and writes it in the coding that the client prefers.
func (m *Mirror) serve(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodOptions { // of any address, so that a browser shows the page that asks a 404 too
		problem.AllowPages(w.Header(), allowedMethods)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	f, err := m.find(r.URL.Path)
	if err != nil {
		return m.redirect(w, r, err)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", allowedMethods)
		return problem.Errorf(problem.MethodNotAllowed, "The files of the site are read-only: use GET or HEAD. MCP is at %s.",
			m.cat.Site().MCPURL())
	}
	h := w.Header()
	h["Vary"] = varyCoding
	if len(f.Alternates) > 0 {
		h["Vary"] = varyBoth
		if path := negotiate(r.Header["Accept"], f); path != "" {
			if f, err = m.find(path); err != nil {
				return err
			}
			h["Content-Location"] = []string{catalog.Root(m.cat.Site().Base) + path}
		}
	}
	if f.Path == catalog.FindPath && r.URL.RawQuery != "" {
		if query := findQuery(r); query != "" {
			return m.writeFound(w, r, http.StatusOK, query, nil)
		}
	}
	if !isByteRange(r.Header) { // ranges are of the file without a coding
		coding, _ := file.CodingNamed(accept.Coding(r.Header["Accept-Encoding"], "br", "gzip"))
		if f, err = m.encode(f, coding); err != nil {
			return err
		}
	}
	m.setHeaders(h, r, f)
	h["Content-Type"] = f.Headers.Type
	if f.Type == file.Markdown {
		h["Vary"] = varyBoth
		if value, ok := textValues[accept.Type(r.Header["Accept"], file.BareType(f.Headers.Type[0]), markdownType, plainType)]; ok {
			h["Content-Type"] = value
		}
	}
	if isConditional(r.Header) {
		return m.writeConditional(w, r, f)
	}
	if text := r.Header.Get("If-Modified-Since"); text != "" {
		if since, err := http.ParseTime(text); err == nil && !m.unchangedSince.After(since) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	h["Content-Length"] = f.Headers.Length
	h["Accept-Ranges"] = bytesValue
	if f.Headers.Coding != nil {
		h["Content-Encoding"] = f.Headers.Coding
	}
	if r.Method != http.MethodHead {
		w.Write(f.Body) // an error means that the client has gone away
	}
	return nil
}

// setHeaders sets the headers that a file has in every answer, also in one without its bytes.
func (m *Mirror) setHeaders(h http.Header, r *http.Request, f *file.File) {
	h["Last-Modified"] = m.modifiedValue
	if time.Now().After(m.unchangedSince) {
		h["Last-Modified"] = m.unchangedValue
	}
	h["Cache-Control"] = cacheValue
	if r.URL.RawQuery != "" && r.URL.RawQuery == file.Version(f.Sum) {
		h["Cache-Control"] = immutableValue
	}
	h["Access-Control-Expose-Headers"] = exposedValue
	if f.Headers.Link != nil {
		h["Link"] = f.Headers.Link
	}
	h["Etag"] = f.Headers.ETag
}

// negotiate returns the path of the alternate of a page that a client prefers, or "" if it prefers the page, which also
// answers those who accept none of the forms.
func negotiate(lines []string, f *file.File) (path string) {
	if len(lines) == 0 || len(lines) == 1 && (lines[0] == "*/*" || strings.HasPrefix(lines[0], "text/html,")) {
		return ""
	}
	types := append(make([]string, 0, 8), file.BareType(f.Type))
	for _, a := range f.Alternates {
		types = append(types, a.Type)
	}
	best := strings.Replace(accept.Type(lines, append(types, plainType)...), plainType, markdownType, 1)
	if i := slices.Index(types, best); i > 0 {
		return f.Alternates[i-1].Path
	}
	return ""
}

// moved are the addresses that were published, and those that have their content now: lists are whole, the Markdown of a
// record has its evidence, the page of its evidence its history, that of an entry its evidence and statements, and the history the days of the change feed.
var moved = []move{
	{regexp.MustCompile(`^(/(?:library|tags)/[a-z0-9-]+)/[0-9]+/$`), "$1/"},
	{regexp.MustCompile(`^/changes/([0-9]{4}-[0-9]{2}-[0-9]{2}/)?(?:[0-9]+/)?$`), "/history/$1"},
	{regexp.MustCompile(`^(/(?:library|tags|changes)/[a-z0-9-]+)/[0-9]+\.md$`), "$1.md"},
	{regexp.MustCompile(`^(/api/(?:library|tags|changes)/[a-z0-9-]+)/[0-9]+\.json$`), "$1.json"},
	{regexp.MustCompile(`^(/evidence/[a-z0-9.-]+)\.md$`), "$1/"},
	{regexp.MustCompile(`^/api/(?:statements|evidence)/([a-z0-9-]+\.json)$`), "/api/entries/$1"},
	{regexp.MustCompile(`^/index\.(?:html\.)?md$`), catalog.LLMsPath}, // where agents look for Markdown (llmstxt.org)
	{regexp.MustCompile(`^(/.+)/index\.(?:html\.)?md$`), "$1.md"},
	{regexp.MustCompile(`^(/.+\.(?:txt|xml|json|md|atom|ics|csv))/$`), "$1"}, // as crawlers write it that end every address in a slash
	{regexp.MustCompile(`^/history/records/([a-z0-9.-]+?)(?:\.md)?/?$`), "/evidence/$1/"},
}

// unstated leads from the addresses that facts would have, if they were stated, to where the page of the protocol says that they are not.
var unstated = move{regexp.MustCompile(`^(/protocols/[a-z0-9-]+/)(` + strings.Join(catalog.Convert(new(catalog.Profile).Fields(),
	func(f catalog.ProfileField) string { return catalog.FieldAlias(f.Name) }), "|") + `)/$`), "$1#$2"}

// A move leads from the paths that match to another one.
type move struct {
	from *regexp.Regexp
	to   string
}

// redirect answers a request whose path leaves out the slash of a page, ends in index.html, or was published once. The
// target is always a path of this site. Any other request fails with err.
func (m *Mirror) redirect(w http.ResponseWriter, r *http.Request, err error) error {
	target := r.URL.Path + "/"
	if page, ok := strings.CutSuffix(r.URL.Path, "/index.html"); ok {
		target = page + "/"
	}
	if _, missing := m.find(target); missing != nil {
		for _, m := range append(moved[:len(moved):len(moved)], unstated) {
			for _, was := range []string{r.URL.Path, target} {
				if m.from.MatchString(was) {
					target = m.from.ReplaceAllString(was, m.to)
				}
			}
		}
	}
	path, _, _ := strings.Cut(target, "#")
	if _, missing := m.find(path); missing != nil || target == r.URL.Path {
		return err
	}
	if r.URL.RawQuery != "" {
		target = path + "?" + r.URL.RawQuery + target[len(path):]
	}
	h := w.Header()
	h.Set("Location", catalog.Root(m.cat.Site().Base)+target)
	h.Set("Content-Length", "0")
	h["Cache-Control"] = cacheValue
	w.WriteHeader(http.StatusPermanentRedirect)
	return nil
}

// isConditional reports whether a request asks for a range, or has conditions that do not depend on the day of the data,
// which http.ServeContent judges.
func isConditional(h http.Header) bool {
	return h["If-None-Match"] != nil || h["Range"] != nil || h["If-Match"] != nil || h["If-Unmodified-Since"] != nil || h["If-Range"] != nil
}

// isByteRange reports whether the answer to a request is a part of the file without a coding, or depends on its tag.
// Other units are ignored (RFC 9110, section 14.2).
func isByteRange(h http.Header) bool {
	return strings.HasPrefix(h.Get("Range"), "bytes=")
}

// The parts of ranges that http.ServeContent misreads: numbers that an int64 does not hold, and the last 0 bytes, which
// are none.
var (
	largeNumber = regexp.MustCompile(`[0-9]{19,}`)
	emptySuffix = regexp.MustCompile(`([=,][ \t]*)-0+\b`)
)

const largest = "999999999999999999"

// writeConditional answers a request for ranges or with preconditions. Preconditions are about the form that would be
// sent.
func (m *Mirror) writeConditional(w http.ResponseWriter, r *http.Request, f *file.File) error {
	h := w.Header()
	r = r.Clone(r.Context())
	if tags := r.Header["If-None-Match"]; tags != nil { // http.ServeContent reads one line
		r.Header.Set("If-None-Match", strings.Join(tags, ", "))
	}
	if isByteRange(r.Header) {
		ranges := largeNumber.ReplaceAllString(r.Header.Get("Range"), largest)
		r.Header.Set("Range", emptySuffix.ReplaceAllString(ranges, "${1}"+largest+"-"))
	} else {
		r.Header.Del("Range")
	}
	if f.Headers.Coding != nil {
		h["Content-Encoding"] = f.Headers.Coding
		h["Content-Length"] = f.Headers.Length // http.ServeContent leaves it out of encoded answers
	}
	in := problem.Intercept(w)
	http.ServeContent(in, r, "", m.strongDate, bytes.NewReader(f.Body))
	switch in.Failed() {
	case 0:
		return nil
	case http.StatusPreconditionFailed:
		return problem.New(problem.PreconditionFailed)
	default: // http.StatusRequestedRangeNotSatisfiable
		h.Set("Content-Range", "bytes */"+strconv.Itoa(len(f.Body)))
		return problem.Errorf(problem.RangeNotSatisfiable, "The file has %d bytes; ask for a range within them.", len(f.Body))
	}
}
