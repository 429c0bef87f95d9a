package tools

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// cacheable has what the results of lists and resources have besides.
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

func (t *Tools) registerSkills(s *mcp.Server) {
	cached := cacheable{"complete", CacheMillis, "public"}
	err := mcp.AddReceivingCustomMethod(s, ListSkills, func(_ context.Context, _ *mcp.ServerSession, p *ListSkillsParams) (*listSkillsResult, error) {
		if p != nil && p.Cursor != "" {
			return nil, invalidParams("cursor %s is not valid: all skills are on one page", quote(p.Cursor))
		}
		out := &listSkillsResult{Skills: []Skill{}, cacheable: cached}
		for i := range t.skills {
			out.Skills = append(out.Skills, t.skills[i].entry())
		}
		return out, nil
	})
	if err == nil {
		err = mcp.AddReceivingCustomMethod(s, GetSkill, func(_ context.Context, _ *mcp.ServerSession, p *GetSkillParams) (*getSkillResult, error) {
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
