package tools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

// A prompt is a task that a person can start, with the data it needs.
type prompt struct {
	mcp.Prompt
	run func(arguments map[string]string) ([]*mcp.PromptMessage, error)
}

func (r *resources) prompts() (list []prompt) {
	if len(r.protocols.ids) > 1 {
		list = append(list, prompt{mcp.Prompt{
			Name: "compare_protocols", Title: "Compare two payment protocols",
			Description: "Compares two payment protocols fact by fact, each fact with its source.",
			Arguments: []*mcp.PromptArgument{
				{Name: "a", Title: "First protocol", Required: true,
					Description: "Id of a protocol, for example " + r.protocols.ids[0] + "."},
				{Name: "b", Title: "Second protocol", Required: true,
					Description: "Id of another protocol, for example " + catalog.Sample(r.protocols.ids[1:], r.examples.Protocol) + "."},
			}}, r.compareProtocols})
	}
	return append(list, prompt{mcp.Prompt{
		Name: "whats_new", Title: "What is new",
		Description: "Summarises the news: releases, changed facts, new sources.",
		Arguments: []*mcp.PromptArgument{
			{Name: "date", Title: "Day", Description: "A UTC day, YYYY-MM-DD; without it the newest news."},
		}}, r.whatsNew})
}

// invalidParams is the protocol's error for parameters that cannot be served.
func invalidParams(format string, a ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, a...)}
}

// get answers prompts/get.
func (p *prompt) get(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if err := p.check(r.Params.Arguments); err != nil {
		return nil, err
	}
	messages, err := p.run(r.Params.Arguments)
	if err != nil {
		return nil, err
	}
	return &mcp.GetPromptResult{Description: p.Description, Messages: messages}, nil
}

// check compares the arguments of a call with those that the prompt has.
func (p *prompt) check(arguments map[string]string) error {
	names := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		names[i] = a.Name
		if a.Required && arguments[a.Name] == "" {
			return invalidParams("prompt %s needs the argument %s: %s", p.Name, a.Name, a.Description)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !slices.Contains(names, name) {
			return invalidParams("prompt %s has no argument %s; its arguments are: %s",
				p.Name, quote(name), strings.Join(names, ", "))
		}
	}
	return nil
}

func textMessage(text string) *mcp.PromptMessage {
	return &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: text}}
}

func (r *resources) compareProtocols(in map[string]string) ([]*mcp.PromptMessage, error) {
	ids := r.protocols.ids
	known := param{prefix: "protocol:", allowed: ids}
	var chosen []string
	for _, name := range []string{"a", "b"} {
		id := known.allowedWord(in[name])
		if id == "" {
			return nil, invalidParams("%s: unknown protocol %s%s. Valid: %s",
				name, quote(in[name]), didYouMean(in[name], ids), strings.Join(ids, ", "))
		}
		chosen = append(chosen, id)
	}
	if chosen[0] == chosen[1] {
		return nil, invalidParams("a and b are both %s; name two different protocols", chosen[0])
	}
	facts := r.protocols.answer(factQuery{ids: chosen, fields: r.protocols.fields, short: true})
	return []*mcp.PromptMessage{
		textMessage(fmt.Sprintf("Compare the payment protocols %s and %s for someone who has to choose between them. "+
			"Go fact by fact: status, rail, networks, status codes and headers, pay flow, refunds, fees, client libraries. "+
			"Use only the checked facts below; where a value is null, say that the sources do not state it. "+
			"Name the source and the verification date of every fact you use. "+
			"get_protocol_facts has every value in full.", chosen[0], chosen[1])),
		textMessage(string(encode(facts))),
	}, nil
}

func (r *resources) whatsNew(in map[string]string) ([]*mcp.PromptMessage, error) {
	days := arguments{}
	if in["date"] != "" {
		date := param{name: "date", kind: kindDate}
		day, err := date.read(encode(in["date"]))
		if err != nil {
			return nil, invalidParams("%s Example: %s", err, r.today())
		}
		days = arguments{"since": day, "until": day, "limit": maxLimit}
	}
	changes, err := r.listChanges(days)
	if err != nil {
		return nil, err
	}
	return []*mcp.PromptMessage{
		textMessage(fmt.Sprintf("Summarise what is new in this library on %s, from the news and changes of %s below. "+
			"Keep their order, which is by importance, and name the sources; say of each changed value what it was and what it is now, and when it was read, unless date_is says that it happened on that day. "+
			"If nothing is new, say so. The rest: call list_changes with since and until, limit %d and its cursor.",
			r.catalog.Identity().Subject, cmp.Or(in["date"], "the last 30 days"), maxLimit)),
		{Role: "user", Content: changes.Content[0]},
	}, nil
}
