package httpmirror

import (
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// TestStylesheet holds the stylesheets to the pages: every class it names is used by a page or
// the script, and every class a page uses is named.
func TestStylesheet(t *testing.T) {
	m := realMirror(t)
	styled, used := make(map[string]bool), make(map[string]bool)
	css, _ := m.File("/static/almanac.css")
	buying, _ := m.File("/static/buy.css")
	rules := regexp.MustCompile(`(?s)\{[^{}]*\}|/\*.*?\*/`).ReplaceAllString(string(css.Body)+string(buying.Body), "{}")
	for _, c := range regexp.MustCompile(`\.([a-z][a-z0-9-]*)`).FindAllStringSubmatch(rules, -1) {
		styled[c[1]] = true
	}
	attribute := regexp.MustCompile(`(?:class(?:Name)?\s*[=:]\s*|classList\.toggle\()"([^"]*)"`)
	donations, _ := donationsMirror(t).File(catalog.SupportPath)
	sources := []string{string(donations.Body)}
	for f := range m.Files() {
		if strings.HasPrefix(f.Type, "text/html") || strings.HasPrefix(f.Type, "text/javascript") {
			sources = append(sources, string(f.Body))
		}
	}
	for _, source := range sources {
		for _, match := range attribute.FindAllStringSubmatch(source, -1) {
			for class := range strings.FieldsSeq(match[1]) {
				used[class] = true
			}
		}
	}
	// What today's data have no occasion to show: a broken link, a centred column, an answer above the results; and the first button of a purchase,
	// whose class buy.js passes to a function.
	for _, rare := range []string{"bad", "c", "main", "found-answer"} {
		used[rare] = true
	}
	for class := range styled {
		if !used[class] {
			t.Errorf("the class %s is styled, and no page uses it", class)
		}
	}
	for class := range used {
		if !styled[class] && !strings.HasPrefix(class, "language-") {
			t.Errorf("the class %s is used, and the stylesheet does not know it", class)
		}
	}
}
