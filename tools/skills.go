package tools

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/skills"
)

// A skill is a text that tells a model how to do something with the tools: a resource that no document of the mirror has.
type skill struct {
	*mcp.Resource
	body string
}

// newSkills returns the skills of a catalogue, sorted by name.
func newSkills(c *catalog.Catalog, paid bool) (all []skill) {
	for _, s := range skills.Select(c, paid) {
		all = append(all, skill{&mcp.Resource{
			URI: "skill://" + s.Name + "/SKILL.md", Name: s.Name, Description: s.Description,
			MIMEType: file.BareType(file.Markdown), Size: int64(len(s.Body))}, s.Body})
	}
	return all
}
