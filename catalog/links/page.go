package links

import (
	"bytes"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

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
