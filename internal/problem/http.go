package problem

import (
	"cmp"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"strconv"
	"time"

	"go.almanac.example/internal/wirejson"
)

// MediaType is the media type of a problem document (RFC 9457, section 3).
const MediaType = "application/problem+json"

// A Writer answers HTTP requests that failed. It is the one place that does so.
type Writer struct {
	Base string // the part before the code in the type of a problem; see Table
	Log  *slog.Logger
}

// AllowPages sets what a browser's preflight request asks for (Fetch standard, "CORS protocol"): pages of any site may send
// the methods, and any header. Authorization is not in *, which old browsers do not know.
func AllowPages(h http.Header, methods string) {
	h.Set("Allow", methods)
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", "*, Authorization, Accept-Authenticate, Accept-Payment, Payment-Authorization, Idempotency-Key, "+
		"Content-Type, If-None-Match, Range, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID")
	h.Set("Access-Control-Max-Age", "86400")
}

// contentHeaders describe content, which a problem is not.
var contentHeaders = []string{"Etag", "Last-Modified", "Content-Encoding", "Accept-Ranges", "Content-Location", "Link"}

// Write answers r with err, which is logged when it is ours to mend.
func (pw Writer) Write(w http.ResponseWriter, r *http.Request, err error) {
	p := FromError(err)
	id := "" // under which the request is logged; none when no writer around this one knows it
	if known, ok := Unwrapped[interface{ RequestID() string }](w); ok {
		id = known.RequestID()
	}
	if p.Status() >= 500 && p.Err != nil {
		pw.Log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "code", p.Code,
			"err", p.Err, "request_id", id)
	}
	members := make(map[string]any)
	maps.Copy(members, p.Extensions)
	if id != "" {
		members["request_id"] = id
	}
	body := append(p.Document(pw.Base, members), '\n')
	h := w.Header()
	for _, name := range contentHeaders {
		h.Del(name)
	}
	if p.Link != "" {
		h.Set("Link", p.Link)
	}
	// with it, Content-Range states the length of the content (RFC 9110, section 15.5.17)
	if p.Code != RangeNotSatisfiable {
		h.Del("Content-Range")
	}
	h.Set("Content-Type", MediaType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("X-Content-Type-Options", "nosniff")
	SetRetryAfter(h, p.Wait())
	w.WriteHeader(p.Status())
	if r.Method != http.MethodHead {
		w.Write(body) // the caller may have gone away, and then nobody needs to know
	}
}

// Unwrapped returns the first writer of a type among w and those that it wraps.
func Unwrapped[T any](w http.ResponseWriter) (found T, ok bool) {
	for w != nil {
		if found, ok = w.(T); ok {
			return found, true
		}
		wrapper, _ := w.(interface{ Unwrap() http.ResponseWriter })
		if wrapper == nil {
			break
		}
		w = wrapper.Unwrap()
	}
	return found, false
}

// Document returns p as an RFC 9457 document: the members of the RFC first, then the code, then further ones, sorted.
// The type is base followed by the code, unless the problem has another.
func (p *Problem) Document(base string, more map[string]any) []byte {
	b := wirejson.Must(wirejson.Compact(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
		Code   Code   `json:"code"`
	}{cmp.Or(p.Type, base+string(p.Code)), p.Title(), p.Status(), p.Sentence(), p.Code}))
	if len(more) > 0 {
		b = append(append(b[:len(b)-1], ','), wirejson.Must(wirejson.Compact(more))[1:]...)
	}
	return b
}

// Seconds returns a wait in whole seconds, rounded up, as Retry-After has it; 0 for none.
func Seconds(wait time.Duration) int64 {
	return int64(math.Ceil(max(0, wait).Seconds()))
}

// SetRetryAfter sets Retry-After (RFC 9110, section 10.2.3) when there is something to wait for.
func SetRetryAfter(h http.Header, wait time.Duration) {
	if s := Seconds(wait); s > 0 {
		h.Set("Retry-After", strconv.FormatInt(s, 10))
	}
}

// An Interceptor is a ResponseWriter for handlers of other code, such as http.ServeContent, which write their failures
// as plain text. It withholds those, so that the caller can write a problem instead, and passes everything else on.
//
//	in := problem.Intercept(w)
//	http.ServeContent(in, r, name, modified, content)
//	if status := in.Failed(); status != 0 {
//		return problemFor(status) // the headers can still be changed: nothing has been sent
//	}
type Interceptor struct {
	http.ResponseWriter
	failed int
	body   []byte // of the answer that was withheld
	begun  bool   // an answer was passed on
}

// Intercept returns an interceptor in front of w. It withholds the answers of a status of 400 and above.
func Intercept(w http.ResponseWriter) *Interceptor { return &Interceptor{ResponseWriter: w} }

// Failed returns the status of the answer that was withheld; 0 when there was none.
func (in *Interceptor) Failed() int { return in.failed }

// Withheld returns the body of the answer that was withheld.
func (in *Interceptor) Withheld() []byte { return in.body }

// WriteHeader implements http.ResponseWriter.
func (in *Interceptor) WriteHeader(status int) {
	switch {
	case in.failed != 0:
		return
	case status < 400 || in.begun:
		in.begun = in.begun || status >= 200 // earlier ones are only informational
		in.ResponseWriter.WriteHeader(status)
	default:
		in.failed = status
	}
}

// Write implements http.ResponseWriter.
func (in *Interceptor) Write(b []byte) (int, error) {
	if in.failed != 0 {
		in.body = append(in.body, b...)
		return len(b), nil
	}
	in.begun = true
	return in.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (in *Interceptor) Unwrap() http.ResponseWriter { return in.ResponseWriter }
