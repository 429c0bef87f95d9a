package mcpserver

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/index"
	"almanac/tools"
)

// RunStdio answers a host that started this program, on its input and output, with the tools that Server has over HTTP,
// until the host leaves or ctx ends. It opens no socket. A session begins while load reads the data; an error of load
// ends it. note is added to the instructions. Of the options, Version, Log, Deadline and Now apply; nothing is sold.
func RunStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser, site catalog.Site, o Options, note string,
	load func() (*catalog.Catalog, tools.ResourceFiles, error)) error {
	o = o.withDefaults()
	o.Paid = nil
	e := newEngine(site, o, note)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	go func() {
		if err := e.read(load, o.Now); err != nil {
			failed <- fmt.Errorf("load the data: %w", err)
			stop()
		}
	}()
	err := e.server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
	select {
	case err := <-failed:
		return err
	default:
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve the host: %w", err)
	}
	return nil
}

// read adds the tools over the data.
func (e *engine) read(load func() (*catalog.Catalog, tools.ResourceFiles, error), now func() time.Time) error {
	c, documents, err := load()
	if err != nil {
		return err
	}
	x, err := index.NewNames(c)
	if err != nil {
		return err
	}
	t, err := tools.New(c, x, documents, tools.Options{Now: now})
	if err == nil {
		e.load(t)
	}
	return err
}
