package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

// A prompt is a task that a person can start, with the data it needs.
type prompt struct {
	signature
	title, about string
	run          func(arguments) ([]*mcp.PromptMessage, error)
}

func (r *resources) prompts() (list []prompt) {
	if ids := r.protocols.ids; len(ids) > 1 {
		other := catalog.Sample(ids[1:], r.examples.Protocol)
		protocol := func(name, about, example string) param {
			return param{name: name, prefix: "protocol:", allowed: ids, required: true, example: quoted(example), about: about + ", for example " + example + "."}
		}
		list = append(list, prompt{
			signature{name: "compare_protocols", params: []param{protocol("a", "Id of the first protocol", ids[0]), protocol("b", "Id of the second protocol", other)}},
			"Compare two payment protocols", "Compares two payment protocols fact by fact, each fact with its source.", r.compareProtocols})
	}
	return append(list, prompt{
		signature{name: "whats_new", params: []param{{name: "date", kind: kindDate, example: quoted(string(r.latest())),
			about: "A UTC day, YYYY-MM-DD; without it the newest news."}}},
		"What is new", "Summarises the news: releases, changed facts, new sources.", r.whatsNew})
}

// definition is the prompt as prompts/list publishes it.
func (p *prompt) definition() *mcp.Prompt {
	return &mcp.Prompt{Name: p.name, Title: p.title, Description: p.about,
		Arguments: catalog.Convert(p.params, func(a param) *mcp.PromptArgument {
			return &mcp.PromptArgument{Name: a.name, Description: a.about, Required: a.required}
		})}
}

// get answers prompts/get.
func (p *prompt) get(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	in, err := p.read(encode(r.Params.Arguments))
	var messages []*mcp.PromptMessage
	if err == nil {
		messages, err = p.run(in)
	}
	var wrong inputError
	if errors.As(err, &wrong) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: string(wrong)}
	}
	return &mcp.GetPromptResult{Description: p.about, Messages: messages}, err
}

func textMessage(text string) *mcp.PromptMessage {
	return &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: text}}
}

func (r *resources) compareProtocols(in arguments) ([]*mcp.PromptMessage, error) {
	chosen := []string{in.text("a"), in.text("b")}
	if chosen[0] == chosen[1] {
		return nil, inputError("a and b are both " + chosen[0] + "; name two different protocols")
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

func (r *resources) whatsNew(in arguments) ([]*mcp.PromptMessage, error) {
	days := arguments{}
	if day := in.text("date"); day != "" {
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
			r.catalog.Identity().Subject, cmp.Or(in.text("date"), "the last 30 days"), maxLimit)),
		{Role: "user", Content: changes.Content[0]},
	}, nil
}
