package tools

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/httpmirror/file"
)

// SkillsExtension is the extension by which a server publishes skills (SEP-2640, Skills Extension).
const SkillsExtension = "io.modelcontextprotocol/skills"

//go:embed skills
var skillFiles embed.FS

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

// skillHead is the head of a file: its members are plain scalars of YAML.
var skillHead = regexp.MustCompile(`^---\nname: (.+)\ndescription: (.+)\n---\n`)

// newSkills returns the skills, sorted by name: for paying only where something is sold, for choosing only where
// there are protocols. Their files are templates, which name records of the catalogue.
func newSkills(ex *examples, paid bool) (all []ownResource, err error) {
	for _, s := range []struct {
		name   string
		exists bool
	}{{"choose-payment-protocol", ex.Protocol != ""}, {"cite-facts", true}, {"pay-for-search", paid}} {
		if !s.exists {
			continue
		}
		var body strings.Builder
		t, err := template.ParseFS(skillFiles, "skills/"+s.name+"/SKILL.md")
		if err == nil {
			err = t.Execute(&body, ex)
		}
		if err != nil {
			return nil, fmt.Errorf("read the skill %s: %w", s.name, err)
		}
		head := skillHead.FindStringSubmatch(body.String()) // tests hold that each has one
		all = append(all, ownResource{&mcp.Resource{
			URI: "skill://" + s.name + "/SKILL.md", Name: head[1], Description: head[2],
			MIMEType: file.BareType(file.Markdown), Size: int64(body.Len())}, body.String()})
	}
	return all, nil
}

// listedSkill returns a skill as it is listed.
func listedSkill(s ownResource) Skill {
	sum := sha256.Sum256([]byte(s.body))
	return Skill{s.URI, frontmatter{s.Name, s.Description},
		[]SkillResource{{s.URI, "sha256:" + hex.EncodeToString(sum[:]), len(s.body)}}}
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
