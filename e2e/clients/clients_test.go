package testvectors_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"go.almanac.example/http402/testvectors"
	"go.almanac.example/http402/testvectors/shapeserver"
	"go.almanac.example/internal/parttest"
)

var (
	only   = flag.String("clients", "alby-fetch402,mppx,x402-v2-fetch,almanac-get", "`clients` to run, or all")
	update = flag.Bool("update", false, "write the cells that were measured")
)

// An outcome is what a client said after a shape.
type outcome struct {
	ID     string
	Status int
	Error  string
}

// table is the file of the measured cells, sorted by client and shape.
const table = "../../http402/testvectors/clients.json"

// A runner runs a client against shapes.
type runner func(t *testing.T, base string, paths []string) []outcome

// runners returns every client that is measured. The table has their versions.
func runners() map[string]runner {
	all := map[string]runner{"lnget": lnget, "aperture": aperture, "almanac-get": almanacGet, "almanac-mcp": almanacMCP}
	for _, name := range []string{"alby-fetch402", "alby-fetch-with-l402", "alby-fetch-with-mpp", "alby-fetch-with-x402",
		"alby-6-fetch-with-l402", "lsat-js", "l402-js", "mppx", "mppx-mcp", "x402-fetch", "x402-axios", "x402-v2-fetch", "x402-v2-axios"} {
		all[name] = npm(name)
	}
	return all
}

// TestClients: each client does with each shape what the table says. A cell that differs is told with the client and
// the shape.
func TestClients(t *testing.T) {
	parttest.Want(t)
	shapes := testvectors.Shapes()
	b, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var all []testvectors.Client
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	run := runners()
	for i := range all {
		name := all[i].ID
		if *only != "all" && !slices.Contains(strings.Split(*only, ","), name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			transport := "http"
			if strings.HasSuffix(name, "-mcp") {
				transport = "mcp"
			}
			got := measure(t, name, run[name], shapes, transport)
			if !*update {
				compare(t, all[i].Cells, got)
				return
			}
			all[i].Day, all[i].Cells = time.Now().UTC().Format(time.DateOnly), got
		})
	}
	if *update && !t.Failed() {
		writeTable(t, all)
	}
}

func writeTable(t *testing.T, all []testvectors.Client) {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(all); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(table, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compare reports the cells that differ.
func compare(t *testing.T, want, got []testvectors.Cell) {
	t.Helper()
	for _, g := range got {
		i := slices.IndexFunc(want, func(w testvectors.Cell) bool { return w.Shape == g.Shape })
		switch {
		case i < 0:
			t.Errorf("%s is not in the table; now: %s %s", g.Shape, g.Result, g.Reason)
		case want[i] != g:
			t.Errorf("%s: the table says %+v, now %+v", g.Shape, want[i], g)
		}
	}
	if len(want) != len(got) {
		t.Errorf("%d cells, want %d", len(got), len(want))
	}
}

// measure runs a client against every shape of a transport.
func measure(t *testing.T, name string, run runner, shapes []testvectors.Shape, transport string) (cells []testvectors.Cell) {
	t.Helper()
	server := shapeserver.New(shapes)
	srv := httptest.NewServer(server)
	defer srv.Close()
	var paths []string
	for _, s := range shapes {
		if s.Transport == transport && !(name == "mppx" && s.ID == "payment-other-amount") { // which the stub of a method would have to refuse
			paths = append(paths, transport+"/"+s.ID)
		}
	}
	outcomes := run(t, srv.URL, paths)
	if len(outcomes) != len(paths) {
		t.Fatalf("%d outcomes of %d shapes", len(outcomes), len(paths))
	}
	for _, o := range outcomes {
		id := strings.TrimPrefix(o.ID, transport+"/")
		i := slices.IndexFunc(shapes, func(s testvectors.Shape) bool { return s.ID == id })
		cells = append(cells, judge(&shapes[i], o, server.Events(id), srv.URL))
	}
	return cells
}

// varying matches what a reason says about the moment, and white space.
var varying = regexp.MustCompile(`,? and it is [-0-9T:]+Z|\s+`)

// judge names the result of a cell from what the server and the wallet saw.
func judge(s *testvectors.Shape, o outcome, events []shapeserver.Event, base string) testvectors.Cell {
	paid, served, signed := 0, 0, 0
	for i, e := range events {
		switch {
		case e.Kind == "paid":
			paid++
		case e.Kind == "served":
			served++
		case e.Kind == "refused":
			signed++
		}
		for j, h := range e.Headers {
			if h[0] == "X-Payment" || h[0] == "Payment-Signature" { // which has a random nonce
				events[i].Headers[j][1] = "signed"
			}
		}
	}
	reason := strings.ReplaceAll(o.Error, base, "http://shop.example")
	reason = strings.TrimSpace(varying.ReplaceAllString(reason, " "))
	if r := []rune(reason); len(r) > 160 {
		reason = string(r[:159]) + "…"
	}
	c := testvectors.Cell{Shape: s.ID, Reason: reason}
	switch {
	case paid > 1:
		c.Result, c.Reason = "pays wrongly", fmt.Sprintf("pays %d times, until the wallet refuses", paid)
	case s.Trap != "" && paid > 0:
		c.Result, c.Reason = "pays wrongly", s.Trap
	case served > 0 && o.Error == "":
		c.Result, c.Reason = "pays", ""
	case paid > 0 || served > 0:
		c.Result = "pays wrongly"
		if c.Reason == "" {
			c.Reason = "pays, and gets no answer"
		}
	case signed > 0 && reason == "":
		c.Result, c.Reason = "stuck", "sends a proof that the server refuses"
	case reason != "" && reason != "time limit" && !strings.HasPrefix(reason, "panic:"):
		c.Result = "refuses"
	default:
		c.Result = "stuck"
		if c.Reason == "" {
			c.Reason = "returns the 402"
		}
	}
	b, err := json.Marshal(events)
	if err != nil {
		panic(err) // strings alone
	}
	sum := sha256.Sum256(bytes.ReplaceAll(b, []byte(base), nil))
	c.Transcript = hex.EncodeToString(sum[:])
	return c
}

// lines runs a program that prints an outcome a line.
func lines(t *testing.T, program string, args ...string) (all []outcome) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %.1000s", err, &stderr)
	}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		var o outcome
		if err := json.Unmarshal(s.Bytes(), &o); err != nil {
			t.Fatalf("%v: %s", err, s.Text())
		}
		all = append(all, o)
	}
	return all
}

func npm(name string) runner {
	return func(t *testing.T, base string, paths []string) []outcome {
		script := parttest.Cached(t, "setup-402.sh", "npm-402", "clients.mjs")
		return lines(t, "node", append([]string{script, name, base}, paths...)...)
	}
}

func lnget(t *testing.T, base string, paths []string) []outcome {
	cached, err := parttest.Cache("402", "lnget")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(cached); err != nil {
		t.Skip("run e2e/clients/testdata/clients/lnget.sh, which needs GitHub")
	}
	return lines(t, cached, append([]string{base}, paths...)...)
}

// program builds almanac.
func program(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "almanac")
	if out, err := exec.Command("go", "build", "-o", path, "go.almanac.example/cmd/almanac").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// output runs a program, which has a limit of time.
func output(t *testing.T, stdin io.Reader, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), parttest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("time limit")
	}
	if err != nil {
		text := strings.TrimSpace(stderr.String())
		if i := strings.Index(text, "panic: "); i >= 0 {
			first, _, _ := strings.Cut(text[i:], "\n")
			return "", fmt.Errorf("%s", first)
		}
		return "", fmt.Errorf("%s", text[strings.LastIndexByte(text, '\n')+1:])
	}
	return string(out), nil
}

func almanacGet(t *testing.T, base string, paths []string) (all []outcome) {
	path := program(t)
	for _, p := range paths {
		o := outcome{ID: p, Status: 200}
		journal := filepath.Join(t.TempDir(), "journal.db")
		if _, err := output(t, nil, path, "get", "-wallet", "demo:"+base, "-network", "mainnet", "-journal", journal, base+"/"+p); err != nil {
			o = outcome{ID: p, Error: err.Error()}
		}
		all = append(all, o)
	}
	return all
}

func almanacMCP(t *testing.T, base string, paths []string) (all []outcome) {
	path := program(t)
	for _, p := range paths {
		o := outcome{ID: p, Status: 200}
		if err := callBridge(t, path, base, base+"/"+p); err != nil {
			o = outcome{ID: p, Error: err.Error()}
		}
		all = append(all, o)
	}
	return all
}

// callBridge calls the tool through "almanac mcp".
func callBridge(t *testing.T, path, base, address string) error {
	ctx, cancel := context.WithTimeout(t.Context(), parttest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "mcp", "-wallet", "demo:"+base, "-network", "mainnet", "-max-day", "1000",
		"-journal", filepath.Join(t.TempDir(), "journal.db"), address)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	defer in.Close()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"matrix","version":"1"}}}`)
	for s := bufio.NewScanner(out); s.Scan(); {
		var m struct {
			ID     int
			Error  *struct{ Message string }
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(s.Bytes(), &m); err != nil {
			return err
		}
		switch {
		case m.Error != nil:
			return fmt.Errorf("%s", m.Error.Message)
		case m.ID == 1:
			fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_article","arguments":{}}}`)
		case m.ID == 2 && m.Result.IsError && len(m.Result.Content) > 0:
			return fmt.Errorf("%s", m.Result.Content[0].Text)
		case m.ID == 2:
			return nil
		}
	}
	return fmt.Errorf("time limit")
}

// aperture runs the gRPC interceptor of aperture against a gRPC server that forwards to the shapes.
func aperture(t *testing.T, base string, paths []string) (all []outcome) {
	client := parttest.Cached(t, "setup-l402.sh", "l402", "aperture-client")
	for _, p := range paths {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv := grpc.NewServer(grpc.UnaryInterceptor(forward(base + "/" + p)))
		health.RegisterHealthServer(srv, health.UnimplementedHealthServer{})
		go srv.Serve(l)
		o := outcome{ID: p, Status: 200}
		out, err := output(t, nil, client, l.Addr().String(), base+"/demo/pay", t.TempDir(), "mainnet")
		srv.Stop()
		var said struct{ Errors []string }
		if err == nil {
			err = json.Unmarshal([]byte(out), &said)
		}
		switch {
		case err != nil:
			o = outcome{ID: p, Error: err.Error()}
		case said.Errors[0] != "" && said.Errors[0] != "payment required":
			o = outcome{ID: p, Error: said.Errors[0]}
		}
		all = append(all, o)
	}
	return all
}

// forward answers a call over gRPC with the answer of an address over HTTP; a 402 becomes the status of aperture's proxy.
func forward(address string) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, _ any, _ *grpc.UnaryServerInfo, _ grpc.UnaryHandler) (any, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		in, _ := metadata.FromIncomingContext(ctx)
		for _, name := range []string{"authorization", "macaroon"} {
			for _, v := range in.Get(name) {
				req.Header.Add(name, v)
			}
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		if res.StatusCode == http.StatusPaymentRequired {
			out := metadata.MD{}
			for _, v := range res.Header.Values("WWW-Authenticate") {
				out.Append("www-authenticate", v)
			}
			grpc.SetTrailer(ctx, out)
			return nil, status.Error(codes.Internal, "payment required")
		}
		return &health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}, nil
	}
}
