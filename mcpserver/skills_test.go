package mcpserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/tools"
)

// skillEntries asks for the skills of a server.
func skillEntries(t *testing.T, s *Server, modern bool) (skills []tools.Skill) {
	t.Helper()
	var list struct {
		Skills     []tools.Skill
		ResultType string
		TTLMs      int
		CacheScope string
	}
	rep := send(s, request(modern, body(modern, "skills/list", "")))
	if err := json.Unmarshal(rep.Result, &list); err != nil || list.ResultType != "complete" || list.TTLMs <= 0 || list.CacheScope != "public" {
		t.Fatalf("skills/list: %v %s", err, rep.Body)
	}
	return list.Skills
}

// TestSkills holds what the extension for skills demands (SEP-2640): it is declared, each entry is complete, its digests and its
// frontmatter are those of the file that resources/read returns, and skills/get returns the same entry.
func TestSkills(t *testing.T) {
	s := serverOver(t, Options{Paid: paid()})
	for _, modern := range []bool{false, true} {
		hello := body(false, "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}`)
		if modern {
			hello = body(true, "server/discover", "")
		}
		var server struct {
			Capabilities struct {
				Resources  map[string]any
				Extensions map[string]map[string]any
			}
		}
		if err := json.Unmarshal(send(s, request(modern, hello)).Result, &server); err != nil || server.Capabilities.Resources == nil || server.Capabilities.Extensions[tools.SkillsExtension] == nil {
			t.Errorf("the extension is not declared: %+v, %v", server, err)
		}
		skills := skillEntries(t, s, modern)
		if len(skills) != 3 {
			t.Errorf("%d skills", len(skills))
		}
		for _, skill := range skills {
			checkSkill(t, s, modern, skill)
		}
		for _, params := range []string{`"uri":"skill://no-such/SKILL.md"`, `"uri":"skill://cite-facts"`, `"uri":"library://trust.md"`, ``} {
			if rep := send(s, request(modern, body(modern, "skills/get", params))); rep.Error == nil || rep.Error.Code != -32602 {
				t.Errorf("skills/get {%s}: %s", params, rep.Body)
			}
		}
		if rep := send(s, request(modern, body(modern, "skills/list", `"cursor":"x"`))); rep.Error == nil || rep.Error.Code != -32602 {
			t.Errorf("a cursor that was never given: %s", rep.Body)
		}
	}
	for _, skill := range skillEntries(t, serverOver(t, Options{}), true) {
		if skill.Frontmatter.Name == "pay-for-search" {
			t.Error("there is a skill for paying although nothing is sold")
		}
	}
}

func checkSkill(t *testing.T, s *Server, modern bool, skill tools.Skill) {
	t.Helper()
	var got struct{ Skill tools.Skill }
	rep := send(s, request(modern, body(modern, "skills/get", `"uri":`+quoted(skill.URI))))
	if err := json.Unmarshal(rep.Result, &got); err != nil || cmp.Diff(skill, got.Skill) != "" {
		t.Errorf("skills/get %s: %s, %v", skill.URI, rep.Body, err)
	}
	var read struct {
		Contents []struct{ URI, MIMEType, Text string }
	}
	rep = send(s, request(modern, body(modern, "resources/read", `"uri":`+quoted(skill.URI))))
	if err := json.Unmarshal(rep.Result, &read); err != nil || len(read.Contents) != 1 || read.Contents[0].MIMEType != "text/markdown" {
		t.Fatalf("%s: %s, %v", skill.URI, rep.Body, err)
	}
	text := read.Contents[0].Text
	sum := sha256.Sum256([]byte(text))
	if len(skill.Resources) != 1 || skill.Resources[0] != (tools.SkillResource{URI: skill.URI, Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: len(text)}) {
		t.Errorf("%s has the files %+v", skill.URI, skill.Resources)
	}
	name, description := skill.Frontmatter.Name, skill.Frontmatter.Description
	if skill.URI != "skill://"+name+"/SKILL.md" || !strings.HasPrefix(text, "---\nname: "+name+"\ndescription: "+description+"\n---\n") {
		t.Errorf("%s: the frontmatter is %+v and the file begins %.200s", skill.URI, skill.Frontmatter, text)
	}
	// agentskills.io, "Specification": the form of a name, and the length of both.
	if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name) || len(name) > 64 || len(description) == 0 || len(description) > 1_024 {
		t.Errorf("%s: name and description are not those of a skill", skill.URI)
	}
}
