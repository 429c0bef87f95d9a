package tools

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"text/template"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// SkillsExtension is the extension by which a server publishes skills (SEP-2640, Skills Extension).
const SkillsExtension = "io.modelcontextprotocol/skills"

//go:embed skills
var skillFiles embed.FS

// The skills that are published only where there is something to pay for, and protocols to choose from.
const (
	paidSkill   = "pay-for-search"
	chooseSkill = "choose-payment-protocol"
)

// A skill tells a model how to do something with the tools. It is one file, and a resource.
type skill struct {
	uri  string
	meta frontmatter
	body []byte
}

// A frontmatter is the head of a SKILL.md (agentskills.io, "Specification").
type frontmatter struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// A Skill is a skill as skills/list and skills/get return it.
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

// newSkills returns the skills, sorted by name. Their files are templates, which name records of the catalogue.
func newSkills(ex *examples, paid bool) ([]skill, error) {
	paths, err := fs.Glob(skillFiles, "skills/*/SKILL.md")
	if err != nil {
		return nil, fmt.Errorf("find the skills: %w", err)
	}
	var all []skill
	for _, path := range paths {
		var body bytes.Buffer
		t, err := template.ParseFS(skillFiles, path)
		if err == nil {
			err = t.Execute(&body, ex)
		}
		if err != nil {
			return nil, fmt.Errorf("read a skill: %w", err)
		}
		meta, err := readFrontmatter(body.String())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if (meta.Name != paidSkill || paid) && (meta.Name != chooseSkill || ex.Protocol != "") {
			all = append(all, skill{"skill://" + meta.Name + "/SKILL.md", meta, body.Bytes()})
		}
	}
	slices.SortFunc(all, func(a, b skill) int { return strings.Compare(a.meta.Name, b.meta.Name) })
	return all, nil
}

// readFrontmatter reads the members that our skills have, which are plain scalars of YAML.
func readFrontmatter(doc string) (meta frontmatter, err error) {
	rest, begins := strings.CutPrefix(doc, "---\n")
	head, _, ends := strings.Cut(rest, "\n---\n")
	if !begins || !ends {
		return meta, fmt.Errorf("the skill has no frontmatter: put name and description between two lines of ---")
	}
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case strings.Contains(value, ": ") || strings.Contains(value, " #"):
			return meta, fmt.Errorf("the value of %s is not a plain scalar: leave out colons and number signs", name)
		case name == "name":
			meta.Name = value
		case name == "description":
			meta.Description = value
		default:
			return meta, fmt.Errorf("the member %q of the frontmatter is unknown: use name and description", name)
		}
	}
	return meta, nil
}

// entry returns the skill as it is listed.
func (s *skill) entry() Skill {
	sum := sha256.Sum256(s.body)
	return Skill{s.uri, s.meta, []SkillResource{{s.uri, "sha256:" + hex.EncodeToString(sum[:]), len(s.body)}}}
}

// The methods of the extension for skills (SEP-2640), which the SDK does not know.
const (
	ListSkills = "skills/list"
	GetSkill   = "skills/get"
)

// ListSkillsParams and GetSkillParams are the params of the two methods.
type (
	ListSkillsParams struct {
		mcp.ParamsBase
		Cursor string `json:"cursor,omitempty"`
	}
	GetSkillParams struct {
		mcp.ParamsBase
		URI string `json:"uri"`
	}
)

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

// RegisterSkills adds the methods of the skills to a server. tools returns those with the skills; it is called for each
// request.
func RegisterSkills(s *mcp.Server, tools func() *Tools) {
	cached := cacheable{"complete", CacheMillis, "public"}
	err := mcp.AddReceivingCustomMethod(s, ListSkills,
		func(_ context.Context, _ *mcp.ServerSession, p *ListSkillsParams) (*listSkillsResult, error) {
			if p != nil && p.Cursor != "" {
				return nil, invalidParams("cursor %s is not valid: all skills are on one page", quote(p.Cursor))
			}
			t, out := tools(), &listSkillsResult{Skills: []Skill{}, cacheable: cached}
			for i := range t.skills {
				out.Skills = append(out.Skills, t.skills[i].entry())
			}
			return out, nil
		})
	if err == nil {
		err = mcp.AddReceivingCustomMethod(s, GetSkill,
			func(_ context.Context, _ *mcp.ServerSession, p *GetSkillParams) (*getSkillResult, error) {
				t := tools()
				if p == nil || t.skill(p.URI) == nil {
					return nil, t.unknownSkill(p)
				}
				return &getSkillResult{Skill: t.skill(p.URI).entry(), cacheable: cached}, nil
			})
	}
	if err != nil { // a name that the SDK has for itself
		panic(err)
	}
}

// unknownSkill names the skills that there are.
func (t *Tools) unknownSkill(p *GetSkillParams) error {
	data := struct {
		URI    string   `json:"uri"`
		Skills []string `json:"skills"`
	}{Skills: []string{}}
	if p != nil {
		data.URI = shorten(p.URI)
	}
	for i := range t.skills {
		data.Skills = append(data.Skills, t.skills[i].uri)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Skill not found", Data: json.RawMessage(encode(data))}
}
