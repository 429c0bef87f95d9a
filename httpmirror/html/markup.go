package html

import "strings"

// A markup is a page in the making. What is rendered for every record is written with it, since
// html/template takes several times as long; the pages that exist once are templates.
type markup struct{ buf []byte }

// A literal is markup of this package's own. Only constants become one by themselves, so the
// compiler refuses to write a record's text where it would not be escaped.
type literal string

// Write takes what a template renders.
func (m *markup) Write(b []byte) (int, error) {
	m.buf = append(m.buf, b...)
	return len(b), nil
}

// raw writes markup.
func (m *markup) raw(s literal) { m.buf = append(m.buf, s...) }

// text writes s as text or as the value of a quoted attribute.
func (m *markup) text(s string) {
	from := 0
	for i := range len(s) {
		var escape literal
		switch s[i] {
		case '&':
			escape = "&amp;"
		case '<':
			escape = "&lt;"
		case '>':
			escape = "&gt;"
		case '"':
			escape = "&#34;"
		case '\'':
			escape = "&#39;"
		default:
			continue
		}
		m.buf = append(m.buf, s[from:i]...)
		m.raw(escape)
		from = i + 1
	}
	m.buf = append(m.buf, s[from:]...)
}

// link writes an address as the value of an attribute: a path of this site, or an address of the
// web. Anything else leads nowhere; Load refuses it in a record.
func (m *markup) link(address string) {
	if strings.HasPrefix(address, "/") || strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
		m.text(address)
		return
	}
	m.raw("#")
}

// anchor writes a link with its words.
func (m *markup) anchor(address, words string) {
	m.raw(`<a href="`)
	m.link(address)
	m.raw(`">`)
	m.text(words)
	m.raw(`</a>`)
}

// outward writes a link that leaves the site.
func (m *markup) outward(address, words string) {
	m.raw(`<a class="out" href="`)
	m.link(address)
	m.raw(`">`)
	m.text(words)
	m.raw(`</a>`)
}

// time writes a date.
func (m *markup) time(date string) {
	m.raw(`<time>`)
	m.text(date)
	m.raw(`</time>`)
}

// none writes that there is nothing to say, and why.
func (m *markup) none(why literal) {
	m.raw(`<span class="none">`)
	m.raw(why)
	m.raw(`</span>`)
}
