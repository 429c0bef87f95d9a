package tools

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/httpmirror/skills"
)

// exampleCall finds a call in the text of a skill: the name of a tool and its arguments.
var exampleCall = regexp.MustCompile("`([a-z_0-9]+) (\\{[^`]*\\})`")

// skillName is the form of the name of a skill (agentskills.io, "Specification").
var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// TestSkillsCallTools: a skill has name and description at its head; each call that it shows is one that the
// tool takes, and a tool that it names exists.
func TestSkillsCallTools(t *testing.T) {
	tools := over(t)
	for _, s := range skills.Select(tools.catalog, true) {
		if strings.Contains(s.Name+s.Description, ": ") || strings.Contains(s.Description, " #") {
			t.Errorf("%s: the frontmatter has more than plain scalars: %+v", s.Name, s.Description)
		}
		if !strings.HasPrefix(string(s.Body), "---\nname: "+s.Name+"\ndescription: "+s.Description+"\n---\n") || !skillName.MatchString(s.Name) || len(s.Name) > 64 || len(s.Description) > 1_024 {
			t.Errorf("%s is %s", s.Name, s.Body)
		}
		calls := exampleCall.FindAllStringSubmatch(string(s.Body), -1)
		if len(calls) < 3 {
			t.Errorf("%s shows %d calls", s.Name, len(calls))
		}
		for _, c := range calls {
			if !tools.Has(c[1]) {
				t.Errorf("%s calls %s, which is no tool", s.Name, c[1])
			} else if _, err := tools.byName[c[1]].read(json.RawMessage(c[2])); err != nil {
				t.Errorf("%s: %s does not take %s: %v", s.Name, c[1], c[2], err)
			}
		}
	}
}
