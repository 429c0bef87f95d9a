// Package skills has the skills that an installation publishes: texts that tell a model how to do something with its
// tools (agentskills.io, "Specification").
package skills

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"regexp"
	"strings"
	"text/template"

	"go.almanac.example/catalog"
)

//go:embed *.md
var files embed.FS

var templates = template.Must(template.ParseFS(files, "*.md"))

// A Skill is a skill with its file SKILL.md.
type Skill struct {
	Name, Description string
	Body              string
	Queries           []string // that it answers, for those who choose a skill
}

// Digest returns the SHA-256 of the file, as sha256:<hex>.
func (s Skill) Digest() string {
	sum := sha256.Sum256([]byte(s.Body))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// head is the head of a file: its members are plain scalars of YAML.
var head = regexp.MustCompile(`^---\nname: (.+)\ndescription: (.+)\n---\n`)

// Select returns the skills of a catalogue, sorted by name: for paying only where something is sold, for choosing only where
// there are protocols. Their files are templates, which name records of the catalogue.
func Select(c *catalog.Catalog, sold bool) (list []Skill) {
	ex := c.Examples()
	for _, s := range []struct {
		name    string
		exists  bool
		queries []string
	}{
		{"choose-payment-protocol", ex.Protocol != "", []string{"which payment protocol fits my agent", "compare payment protocols by their facts"}},
		{"cite-facts", true, []string{"cite a fact with its source and date", "check where a statement comes from"}},
		{"pay-for-search", sold, []string{"pay for a full-text search over Lightning", "use an L402 credential for a search"}},
	} {
		if !s.exists {
			continue
		}
		var body strings.Builder
		if err := templates.Lookup(s.name+".md").Execute(&body, ex); err != nil {
			panic("skills: " + err.Error()) // TestSkills executes each
		}
		found := head.FindStringSubmatch(body.String())
		list = append(list, Skill{found[1], found[2], body.String(), s.queries})
	}
	return list
}
