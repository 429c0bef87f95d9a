package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
	"go.almanac.example/tools"
)

// RunStdio answers a host that started this program, on its input and output, with the tools that Server has over HTTP,
// until the host leaves or ctx ends. It opens no socket. A session begins, as that of the library id, while load reads
// the data; an error of load ends it. note is added to the instructions. Of the options, Version, Log, Deadline, Now and
// Explain apply; nothing is sold.
func RunStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser, id catalog.Identity, site catalog.Site,
	o Options, note string,
	load func() (*catalog.Catalog, tools.ResourceFiles, error)) error {
	o = o.withDefaults()
	o.Paid = nil
	e := newEngine(id, site, o, note)
	host, stop := context.WithCancel(ctx)
	defer stop()
	loaded := make(chan error, 1)
	go func() {
		err := e.read(load, o)
		if err != nil {
			stop()
		}
		loaded <- err
	}()
	err := e.server.Run(host, draining{&mcp.IOTransport{Reader: in, Writer: out}})
	select {
	case err := <-loaded: // also of a host that left at once
		if err != nil {
			return fmt.Errorf("load the data: %w", err)
		}
	case <-ctx.Done():
	}
	if err != nil && host.Err() == nil {
		return fmt.Errorf("serve the host: %w", err)
	}
	return nil
}

// read adds the tools over the data.
func (e *engine) read(load func() (*catalog.Catalog, tools.ResourceFiles, error), o Options) error {
	c, documents, err := load()
	if err != nil {
		return err
	}
	x, err := index.Reload(nil, c, index.Options{})
	if err != nil {
		return err
	}
	t, err := tools.New(c, x, documents, tools.Options{Now: o.Now, Explain: o.Explain})
	if err == nil {
		e.load(t)
	}
	return err
}

// A draining transport reports the end of its input when every request before it is answered. The SDK would cancel
// those that are not, and a shell that pipes requests in ends at once.
type draining struct{ mcp.Transport }

// Connect implements mcp.Transport.
func (t draining) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &drainedConn{Connection: c}, err
}

type drainedConn struct {
	mcp.Connection
	open sync.WaitGroup // requests that are not answered; only Read adds to it
}

// Read implements mcp.Connection.
func (c *drainedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.IsCall() {
		c.open.Add(1)
	}
	if errors.Is(err, io.EOF) {
		done := make(chan struct{})
		go func() { c.open.Wait(); close(done) }()
		select {
		case <-done:
		case <-ctx.Done():
		case <-time.After(drainTime): // a subscription does not end by itself
		}
	}
	return m, err
}

// drainTime is how long requests may take after the end of the input.
const drainTime = 5 * time.Second

// Write implements mcp.Connection.
func (c *drainedConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if _, ok := m.(*jsonrpc.Response); ok {
		defer c.open.Done()
	}
	return c.Connection.Write(ctx, m)
}
