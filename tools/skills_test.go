package tools

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// exampleCall finds a call in the text of a skill: the name of a tool and its arguments.
var exampleCall = regexp.MustCompile("`([a-z_0-9]+) (\\{[^`]*\\})`")

// TestSkillsCallTools: each call that a skill shows is one that the tool takes, and a tool that it names exists.
func TestSkillsCallTools(t *testing.T) {
	tools := over(t)
	for _, s := range tools.skills {
		calls := exampleCall.FindAllStringSubmatch(string(s.body), -1)
		if len(calls) < 3 {
			t.Errorf("%s shows %d calls", s.uri, len(calls))
		}
		for _, c := range calls {
			if !tools.Has(c[1]) {
				t.Errorf("%s calls %s, which is no tool", s.uri, c[1])
			} else if _, err := tools.byName[c[1]].read(json.RawMessage(c[2])); err != nil {
				t.Errorf("%s: %s does not take %s: %v", s.uri, c[1], c[2], err)
			}
		}
	}
}

// TestFrontmatter: what is not a plain scalar, or is no member of ours, is refused and not misread.
func TestFrontmatter(t *testing.T) {
	const good = "---\nname: a-b\ndescription: Does this, and that. Use it when needed.\n---\n\n# Title\n"
	if m, err := readFrontmatter(good); err != nil || m != (frontmatter{"a-b", "Does this, and that. Use it when needed."}) {
		t.Errorf("%+v, %v", m, err)
	}
	for _, broken := range [][2]string{{"---\nname", "name"}, {"\n---\n", "\n"}, {"this, and", "this: and"}, {"this, and", "this # and"}, {"name: a-b", "title: a-b"}} {
		if _, err := readFrontmatter(strings.Replace(good, broken[0], broken[1], 1)); err == nil {
			t.Errorf("%q in place of %q is taken", broken[1], broken[0])
		}
	}
}
