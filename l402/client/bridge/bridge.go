// Package bridge is an MCP server for hosts that start commands: it forwards the tools, resources and prompts of a remote MCP server, and pays
// for what is asked to be paid, within a budget. The model never sees an invoice, a credential or a wallet.
//
// It pays when the endpoint answers with HTTP 402; when a result or an error carries the challenges of the Payment scheme
// (https://github.com/tempoxyz/mpp-specs, draft-payment-transport-mcp); and when a tool of an almanac answers payment_required.
package bridge

import (
	"context"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/l402/client"
)

// protocols are the revisions that are spoken with the host: those in which a server may ask the user something while it works.
var protocols = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// Run serves the host on a transport until ctx ends or the host leaves.
func (b *Bridge) Run(ctx context.Context, c *client.Client, host mcp.Transport) error {
	b.client = c
	remote, err := b.session(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	hello := remote.InitializeResult()
	caps := &mcp.ServerCapabilities{}
	instructions := ""
	name, title := "almanac-bridge", ""
	if hello != nil {
		if hello.Capabilities != nil {
			caps.Tools, caps.Prompts, caps.Resources, caps.Completions = hello.Capabilities.Tools, hello.Capabilities.Prompts, hello.Capabilities.Resources, hello.Capabilities.Completions
		}
		if hello.ServerInfo != nil {
			title = hello.ServerInfo.Title
		}
		instructions = hello.Instructions
	}
	if caps.Resources != nil {
		caps.Resources.Subscribe, caps.Resources.ListChanged = false, false
	}
	b.server = mcp.NewServer(&mcp.Implementation{Name: name, Title: title, Version: b.cfg.Version}, &mcp.ServerOptions{
		Instructions: instructions + paidInstructions, Capabilities: caps, SupportedProtocolVersions: protocols,
		CompletionHandler: func(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return nil, errNotForwarded
		},
	})
	b.server.AddReceivingMiddleware(b.forward)
	if err := b.server.Run(ctx, host); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve the host: %w", err)
	}
	return nil
}

// RunStdio serves the host on the program's own input and output, one message a line.
func (b *Bridge) RunStdio(ctx context.Context, c *client.Client, in io.ReadCloser, out io.WriteCloser) error {
	return b.Run(ctx, c, &mcp.IOTransport{Reader: in, Writer: out})
}

// paidInstructions tell the model who pays.
const paidInstructions = "\n\nWhat costs money here is paid by itself, within a budget that the user has set. Never ask for an invoice, a credential or a payment; a result says what was spent."
