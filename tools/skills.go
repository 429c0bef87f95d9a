package tools

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/skills"
)

// SkillsExtension is the extension by which a server publishes skills (SEP-2640, Skills Extension).
const SkillsExtension = "io.modelcontextprotocol/skills"

// A frontmatter is the head of a SKILL.md (agentskills.io, "Specification").
type frontmatter struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// A Skill is a skill as skills/list and skills/get return it. It tells a model how to do something with the tools,
// and is one file, which is a resource too.
type Skill struct {
	URI         string          `json:"uri"`
	Frontmatter frontmatter     `json:"frontmatter"`
	Resources   []SkillResource `json:"resources"`
}

// A SkillResource is a file of a skill.
type SkillResource struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"` // sha256:<hex>
	Size   int    `json:"size"`
}

// newSkills returns the skills as resources, sorted by name.
func newSkills(c *catalog.Catalog, paid bool) (all []ownResource) {
	for _, s := range skills.Select(c, paid) {
		all = append(all, ownResource{&mcp.Resource{
			URI: "skill://" + s.Name + "/SKILL.md", Name: s.Name, Description: s.Description,
			MIMEType: file.BareType(file.Markdown), Size: int64(len(s.Body))}, s.Body})
	}
	return all
}

// listedSkill returns a skill as it is listed.
func listedSkill(s ownResource) Skill {
	return Skill{s.URI, frontmatter{s.Name, s.Description},
		[]SkillResource{{s.URI, skills.Skill{Body: s.body}.Digest(), len(s.body)}}}
}

// The methods of the extension for skills (SEP-2640), which the SDK does not know.
const (
	ListSkills = "skills/list"
	GetSkill   = "skills/get"
)

// listParams are the params of a list of an extension.
type listParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
}

// GetSkillParams are the params of GetSkill.
type GetSkillParams struct {
	mcp.ParamsBase
	URI string `json:"uri"`
}

// cacheable has the members common to results of lists and resources.
type cacheable struct {
	ResultType string `json:"resultType"`
	TTLMillis  int    `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
}

type listSkillsResult struct {
	mcp.ResultBase
	Skills []Skill `json:"skills"`
	cacheable
}

type getSkillResult struct {
	mcp.ResultBase
	Skill Skill `json:"skill"`
	cacheable
}

// publicCache is the cache policy of the lists of extensions.
var publicCache = cacheable{"complete", CacheMillis, "public"}

// RegisterSkills adds the methods of the skills to a server. tools returns those with the skills; it is called for
// each request.
func RegisterSkills(s *mcp.Server, tools func() *Tools) {
	addMethod(s, ListSkills, func(p *listParams) (*listSkillsResult, error) {
		if p != nil && p.Cursor != "" {
			return nil, invalidParams("cursor %s is not valid: all skills are on one page", quote(p.Cursor))
		}
		t, out := tools(), &listSkillsResult{Skills: []Skill{}, cacheable: publicCache}
		for _, s := range t.skills {
			out.Skills = append(out.Skills, listedSkill(s))
		}
		return out, nil
	})
	addMethod(s, GetSkill, func(p *GetSkillParams) (*getSkillResult, error) {
		if p == nil {
			p = new(GetSkillParams)
		}
		t := tools()
		s, ok := findOwn(t.skills, p.URI)
		if !ok {
			return nil, t.unknownSkill(p.URI)
		}
		return &getSkillResult{Skill: listedSkill(s), cacheable: publicCache}, nil
	})
}

// addMethod adds a method of an extension to a server.
func addMethod[P interface {
	*T
	mcp.Params
}, R mcp.Result, T any](s *mcp.Server, name string, answer func(P) (R, error)) {
	err := mcp.AddReceivingCustomMethod(s, name,
		func(_ context.Context, _ *mcp.ServerSession, p P) (R, error) { return answer(p) })
	if err != nil { // a name that the SDK has for itself
		panic(err)
	}
}

// unknownSkill names the skills that there are.
func (t *Tools) unknownSkill(uri string) error {
	data := struct {
		URI    string   `json:"uri"`
		Skills []string `json:"skills"`
	}{shorten(uri), []string{}}
	for _, s := range t.skills {
		data.Skills = append(data.Skills, s.URI)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Skill not found", Data: json.RawMessage(encode(data))}
}
