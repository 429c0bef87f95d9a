package problem

import "net/http"

// An Interceptor is a ResponseWriter for handlers of other code, such as http.ServeContent, which write their failures
// as plain text. It withholds those, so that the caller can write a problem instead, and passes everything else on.
//
//	in := problem.Intercept(w, nil)
//	http.ServeContent(in, r, name, modified, content)
//	if status := in.Failed(); status != 0 {
//		return problemFor(status) // the headers can still be changed: nothing has been sent
//	}
type Interceptor struct {
	http.ResponseWriter
	withhold func(status int, h http.Header) bool
	failed   int
	body     []byte // of the answer that was withheld
	begun    bool   // an answer was passed on
}

// Intercept returns an interceptor in front of w. It withholds the answers of a status of 400 and above for which
// withhold returns true; nil withholds all of them.
func Intercept(w http.ResponseWriter, withhold func(status int, h http.Header) bool) *Interceptor {
	return &Interceptor{ResponseWriter: w, withhold: withhold}
}

// Failed returns the status of the answer that was withheld; 0 when there was none.
func (in *Interceptor) Failed() int { return in.failed }

// Withheld returns the body of the answer that was withheld.
func (in *Interceptor) Withheld() []byte { return in.body }

// WriteHeader implements http.ResponseWriter.
func (in *Interceptor) WriteHeader(status int) {
	switch {
	case in.failed != 0:
		return
	case status < 400 || in.begun || in.withhold != nil && !in.withhold(status, in.Header()):
		in.begun = in.begun || status >= 200 // what comes before is only informational
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

// Flush implements http.Flusher, for handlers that stream.
func (in *Interceptor) Flush() {
	if in.failed == 0 {
		in.begun = true
		_ = http.NewResponseController(in.ResponseWriter).Flush() // a writer that cannot flush writes at the end
	}
}

// Unwrap is for http.ResponseController.
func (in *Interceptor) Unwrap() http.ResponseWriter { return in.ResponseWriter }
