// Command session serves the tools of the benchmarks without anything of almanac's: the n-th load with the official SDK
// at /go-sdk/n, and with mcp-go at /mcp-go/n. Both answer each call with what they are given, so that the times are
// those of the libraries.
//
// The first line of standard input has the loads as JSON. The address is printed; then each further line is answered with
// the processor time taken so far, in nanoseconds.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"syscall"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Load is what is served.
type Load struct {
	Tools     []Tool
	Resources []Resource
}

// A Tool is a tool with its one answer.
type Tool struct {
	Name, Description string
	InputSchema       json.RawMessage
	Text              string
	Structured        json.RawMessage
}

// A Resource is a resource with its text.
type Resource struct{ URI, Text string }

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	line, err := in.ReadBytes('\n')
	if err != nil {
		log.Fatal(err)
	}
	var loads []Load
	if err := json.Unmarshal(line, &loads); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	for n, load := range loads {
		mux.Handle(fmt.Sprintf("/go-sdk/%d", n), sdk(load))
		mux.Handle(fmt.Sprintf("/mcp-go/%d", n), other(load))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	go func() {
		for {
			if _, err := in.ReadBytes('\n'); err != nil {
				os.Exit(0) // the benchmark ended
			}
			var ru syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
				log.Fatal(err)
			}
			fmt.Println(ru.Utime.Nano() + ru.Stime.Nano())
		}
	}()
	log.Fatal(http.Serve(l, mux))
}

// sdk serves with the official SDK, as its documentation shows: raw handlers, stateless, JSON.
func sdk(load Load) http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "session", Version: "1"}, nil)
	for _, t := range load.Tools {
		s.AddTool(&mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: t.Text}}, StructuredContent: t.Structured}, nil
			})
	}
	for _, r := range load.Resources {
		s.AddResource(&mcp.Resource{URI: r.URI, Name: r.URI}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.URI, MIMEType: "application/json", Text: r.Text}}}, nil
		})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

// other serves with mcp-go, as its documentation shows: stateless.
func other(load Load) http.Handler {
	s := mcpgoserver.NewMCPServer("session", "1")
	for _, t := range load.Tools {
		s.AddTool(mcpgo.NewToolWithRawSchema(t.Name, t.Description, t.InputSchema),
			func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
				return &mcpgo.CallToolResult{Content: []mcpgo.Content{mcpgo.NewTextContent(t.Text)}, StructuredContent: t.Structured}, nil
			})
	}
	for _, r := range load.Resources {
		s.AddResource(mcpgo.NewResource(r.URI, r.URI), func(context.Context, mcpgo.ReadResourceRequest) ([]mcpgo.ResourceContents, error) {
			return []mcpgo.ResourceContents{mcpgo.TextResourceContents{URI: r.URI, MIMEType: "application/json", Text: r.Text}}, nil
		})
	}
	return mcpgoserver.NewStreamableHTTPServer(s, mcpgoserver.WithStateLess(true))
}
