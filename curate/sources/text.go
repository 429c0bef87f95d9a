package sources

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// pdfTime is how long a PDF may take to be read. They come from strangers, and can be made to take for ever.
const pdfTime = 20 * time.Second

// text returns the text of a body with a sectionMark before each heading: of a page the visible text, of a PDF its
// pages, of anything else the whole.
func text(contentType string, body []byte) (string, error) {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	switch {
	case mediaType == "application/pdf" || bytes.HasPrefix(body, []byte("%PDF-")):
		return pdfText(body)
	case strings.HasPrefix(mediaType, "image/"), strings.HasPrefix(mediaType, "audio/"),
		strings.HasPrefix(mediaType, "video/"), bytes.IndexByte(body, 0) >= 0 && !isWide(body):
		return "", fmt.Errorf("is %s, which has no words", cmp.Or(mediaType, "data"))
	}
	if strings.Contains(strings.ToLower(contentType), "utf-8") && !isUTF8(body) {
		contentType = mediaType + "; charset=windows-1252" // a page that wrongly claims UTF-8
	}
	r, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return "", fmt.Errorf("is in an encoding that cannot be read: %w", err)
	}
	decoded, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("is in an encoding that cannot be read: %w", err)
	}
	if strings.Contains(mediaType, "html") || mediaType == "" && bytes.HasPrefix(bytes.TrimSpace(decoded), []byte("<")) {
		return htmlText(decoded), nil
	}
	return markSections(string(decoded)), nil
}

// isUTF8 reports whether a body is in UTF-8, apart from a character at its end that was cut.
func isUTF8(body []byte) bool {
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		if r == utf8.RuneError && size == 1 {
			return !utf8.FullRune(body)
		}
		body = body[size:]
	}
	return true
}

// isWide reports whether a body says that it is in UTF-16.
func isWide(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0xFE, 0xFF}) || bytes.HasPrefix(body, []byte{0xFF, 0xFE})
}

// htmlText returns the text of a page without scripts, styles and navigation.
func htmlText(body []byte) string {
	var out strings.Builder
	hidden := 0
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out.String()
		case html.TextToken:
			if hidden == 0 {
				out.Write(z.Text())
			}
		case html.StartTagToken:
			tag, _ := z.TagName()
			switch a := atom.Lookup(tag); {
			case slices.Contains(unseen, a):
				hidden++
			case slices.Contains(headings, a):
				out.WriteString(sectionMark)
			case !slices.Contains(inline, a):
				out.WriteByte(' ')
			}
		case html.EndTagToken:
			tag, _ := z.TagName()
			switch a := atom.Lookup(tag); {
			case slices.Contains(unseen, a):
				hidden = max(0, hidden-1)
			case !slices.Contains(inline, a):
				out.WriteByte(' ')
			}
		case html.SelfClosingTagToken:
			out.WriteByte(' ')
		}
	}
}

// unseen are the elements whose text is not part of the page: menus change without a word of the text.
var unseen = []atom.Atom{atom.Script, atom.Style, atom.Template, atom.Nav, atom.Footer}

var headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// inline are the elements that do not end a word.
var inline = []atom.Atom{
	atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Data, atom.Dfn, atom.Em, atom.Font, atom.I,
	atom.Kbd, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time,
	atom.Tt, atom.U, atom.Var, atom.Wbr,
}

// pdfText returns the text of a PDF, page by page.
func pdfText(body []byte) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: fmt.Errorf("is a PDF that cannot be read: %v", p)}
			}
			done <- r
		}()
		r.text, r.err = pdfPages(body)
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-time.After(pdfTime):
		return "", errors.New("is a PDF that takes too long to read")
	}
}

func pdfPages(body []byte) (string, error) {
	doc, err := pdf.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return "", fmt.Errorf("is a PDF that cannot be read: %w", err)
	}
	var out strings.Builder
	for i := 1; i <= doc.NumPage(); i++ {
		page := doc.Page(i)
		if page.V.IsNull() {
			continue
		}
		t, err := page.GetPlainText(nil)
		if err != nil {
			continue // the other pages may have the quote
		}
		out.WriteString(t)
		out.WriteString("\n" + sectionMark)
	}
	return out.String(), nil
}

// says reports whether a text has a quote. Only letters and digits count: a source is set in Markdown here and in HTML
// there, its lines break elsewhere, and its quotation marks bend. A quote with an ellipsis is found by its parts, in
// their order.
func says(text, quote string) bool {
	have := letters(text)
	at := 0
	for part := range strings.SplitSeq(strings.ReplaceAll(quote, "...", "…"), "…") {
		words := letters(part)
		i := strings.Index(have[at:], words)
		if i < 0 {
			return false
		}
		at += i + len(words)
	}
	return letters(quote) != ""
}

// letters returns the letters and digits of a text, in lower case and without anything between them. In a PDF nobody
// can know where one word ends.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
