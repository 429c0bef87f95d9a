package tools

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

// whatsNew is a task that a person can start; getWhatsNew returns it with the data it needs.
var whatsNew = &mcp.Prompt{
	Name: "whats_new", Title: "What is new",
	Description: "Summarises the news: releases, changed facts, new sources.",
	Arguments: []*mcp.PromptArgument{
		{Name: "date", Title: "Day", Description: "A UTC day, YYYY-MM-DD; without it the newest news."},
	},
}

// invalidParams is the protocol's error for parameters that cannot be served.
func invalidParams(format string, a ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, a...)}
}

func (r *resources) getWhatsNew(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	for name := range request.Params.Arguments {
		if name != "date" {
			return nil, invalidParams("prompt whats_new has no argument %s; its argument is date", quote(name))
		}
	}
	given := request.Params.Arguments["date"]
	since, until := catalog.Date(given), catalog.Date(given)
	if given == "" {
		until = r.latest()
		since = catalog.DateOf(until.Time().AddDate(0, 0, 1-recentDays))
	} else if _, err := catalog.ParseDate(given); err != nil || until > r.today() {
		return nil, invalidParams("date must be a calendar date in the form YYYY-MM-DD that is not in the future; you sent %s. Example: %s",
			quote(given), r.latest())
	}
	changes, err := r.changesPage(changeFilter{since: since, until: until, change: reported}, maxLimit, "", given == "")
	if err != nil {
		return nil, err
	}
	ask := fmt.Sprintf("Summarise what is new in this library on %s, from %s to %s, from the news and changes below. "+
		"Keep their order, which is by importance, and name the sources; say of each changed value what it was and what it is now, and when it was read, unless date_is says that it happened on that day. "+
		"If nothing is new, say so. The rest: call list_changes with since and until, limit %d and its cursor.",
		r.catalog.Identity().Subject, since, until, maxLimit)
	return &mcp.GetPromptResult{Description: whatsNew.Description, Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: ask}},
		{Role: "user", Content: changes.Content[0]},
	}}, nil
}
