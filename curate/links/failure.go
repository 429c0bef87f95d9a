package links

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A failure is a reason of the checker's own why a link has no answer; the others are of the network.
type failure struct {
	kind, text string
	mayPass    bool // the next attempt may succeed
}

func (f failure) Error() string { return f.text }

func notRequestable(link string) error {
	return failure{kind: kindRedirect, text: "not an address that can be requested: " + link}
}

// isTemporary reports whether a status means: not now.
func isTemporary(status int) bool {
	return slices.Contains([]int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout}, status)
}

// mayPass reports whether the next attempt may succeed after an error.
func mayPass(err error) bool {
	var own failure
	var dns *net.DNSError
	switch {
	case errors.As(err, &own):
		return own.mayPass
	case errors.As(err, &dns) && dns.IsNotFound:
		return false
	}
	kind, _ := classify(err)
	return slices.Contains([]string{kindDNS, kindRefused, kindReset, kindTimeout}, kind)
}

// classify returns the kind of an error, with a line that describes it.
func classify(err error) (kind, detail string) {
	var own failure
	var netErr net.Error
	var dns *net.DNSError
	switch {
	case errors.As(err, &own):
		return own.kind, oneLine(own.text)
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return kindDNS, oneLine("no such host: " + dns.Name)
		}
		return kindDNS, oneLine("the name server does not answer for " + dns.Name)
	}
	if detail, ok := tlsDetail(err); ok {
		return kindTLS, detail
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return kindTimeout, "no answer in time"
	case errors.Is(err, context.Canceled):
		return kindTimeout, "the round was interrupted"
	case errors.Is(err, syscall.ECONNREFUSED):
		return kindRefused, "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		return kindReset, "the connection was closed before the answer"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return kindRefused, "no route to the host"
	}
	return kindProtocol, oneLine(plain(err))
}

// tlsDetail returns the fault of the TLS of a host, and reports whether err is about that.
func tlsDetail(err error) (string, bool) {
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var verify *tls.CertificateVerificationError
	switch {
	case errors.As(err, &host):
		return oneLine("the certificate is not for the name " + host.Host), true
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate is valid from " + invalid.Cert.NotBefore.UTC().Format(time.DateOnly) +
			" to " + invalid.Cert.NotAfter.UTC().Format(time.DateOnly), true
	case errors.As(err, &invalid):
		return oneLine("the certificate is invalid: " + invalid.Error()), true
	case errors.As(err, &unknown):
		return "the certificate is signed by an unknown authority", true
	case errors.As(err, &record):
		return "does not speak TLS on this port", true
	case errors.As(err, &alert):
		return oneLine("the host aborts the TLS handshake: " + alert.Error()), true
	case errors.As(err, &verify):
		return oneLine("the certificate cannot be verified: " + verify.Err.Error()), true
	}
	switch text := plain(err); {
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return "does not speak TLS on this port", true
	case strings.HasPrefix(text, "tls: "), strings.HasPrefix(text, "remote error: tls: "):
		return oneLine(text), true
	}
	return "", false
}

// plain returns the text of an error without the method and the address, which the report names anyway.
func plain(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

const maxDetail = 300 // characters

// oneLine returns text from outside as it fits into a line of a report: nothing invisible, and not endless.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
	}), " ")
	if r := []rune(s); len(r) > maxDetail {
		s = string(r[:maxDetail]) + "…"
	}
	return s
}

// pageBytes is the number of bytes of a page that judgePage needs.
const pageBytes = 64 << 10

// missing matches a title, or a part of one, with which a page says that it is not there although its status says that
// it is.
var missing = regexp.MustCompile(`(?i)^(` + strings.Join([]string{
	`(error |http )?(404|410)( error)?`,
	`((error |http )?404[ :-]*)?(page |file |document |content |resource )?not found`,
	`(sorry,? )?(the |this )?(page|file|document|content|resource)( you .*)? (is not|was not|isn.t|could not|couldn.t|can.t|cannot|does not|doesn.t|no longer|is no longer)( be)? (found|exists?|available|here)`,
	`page (is )?(gone|missing)`,
}, "|") + `)[ .!]*$`)

// aboutMissing matches the path of a page whose subject is that something is not found.
var aboutMissing = regexp.MustCompile(`(?i)404|410|not-?found`)

// loginPath matches a segment of a path that leads to a page to log in.
var loginPath = regexp.MustCompile(`(?i)^(log-?in|log_in|sign-?in|sign_in|sso|authenticate|authorize|auth)(\.[a-z]+)?$`)

// titleParts separates the title of a page from the name of its site.
var titleParts = regexp.MustCompile(`\s+[–—/-]\s+|\s*[|·•]\s*|:\s+`)

// judgePage reports whether a page that was served with a status of success is something else than the source: one that
// says that it is not there, or one to log in. kind is "" for a page that seems to be in order.
func judgePage(asked string, final *url.URL, contentType string, body []byte) (kind, detail string) {
	first, err := parse(asked)
	if err != nil {
		return "", ""
	}
	redirected := first.String() != final.String()
	if redirected && leadsToLogin(final) && !leadsToLogin(first) {
		return kindLogin, oneLine("leads to " + final.String())
	}
	if redirected && final.Host == first.Host && strings.Trim(final.Path, "/") == "" &&
		strings.Count(strings.Trim(first.Path, "/"), "/") > 0 {
		return kindMissing, oneLine("leads to the front page of " + final.Host)
	}
	if !isHTML(contentType, body) {
		return "", ""
	}
	title, password := titleOf(body)
	for _, part := range titleParts.Split(title, -1) {
		if aboutMissing.MatchString(first.Path) {
			break
		}
		if missing.MatchString(strings.TrimSpace(part)) {
			return kindMissing, oneLine("its title is \"" + title + "\"")
		}
	}
	if password && (redirected || loginTitle.MatchString(title)) {
		return kindLogin, oneLine("asks for a password under the title \"" + title + "\"")
	}
	return "", ""
}

var loginTitle = regexp.MustCompile(`(?i)\b(log ?in|sign ?in|sign-in|authenticat\w+)\b`)

func leadsToLogin(u *url.URL) bool {
	return slices.ContainsFunc(strings.Split(u.Path, "/"), loginPath.MatchString)
}

// isHTML reports whether an answer is a page: by its type, or by how it begins when the type is not stated.
func isHTML(contentType string, body []byte) bool {
	if t, _, err := mime.ParseMediaType(contentType); err == nil {
		return t == "text/html" || t == "application/xhtml+xml"
	}
	return contentType == "" && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

// titleOf returns the title of a page, and whether it asks for a password.
func titleOf(body []byte) (title string, password bool) {
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(title), " "), password
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch {
			case t.DataAtom == atom.Title && title == "" && z.Next() == html.TextToken:
				title = string(z.Text())
			case t.DataAtom == atom.Input && slices.Contains(t.Attr, html.Attribute{Key: "type", Val: "password"}):
				password = true
			}
		}
	}
}
