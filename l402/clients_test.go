package l402_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
)

// modules is the folder that .ci/setup-l402.sh installs the clients from npm in.
func modules(t *testing.T) string {
	t.Helper()
	parttest.Program(t, "node", "setup-l402.sh")
	return filepath.Dir(parttest.Cached(t, "setup-l402.sh", "npm-l402", "node_modules"))
}

// node runs a script and reads the JSON that it prints.
func runNode(t *testing.T, into any, script string, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join("testdata", script)}, args...)...).Output()
	if err != nil {
		var exit *exec.ExitError
		errors.As(err, &exit)
		t.Fatalf("%s: %v: %+v", script, err, exit)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
}

// A shape is a way to write the challenge's header lines.
type shape struct {
	name  string
	lines func(mac, invoice string) []string
}

// shapes are the ways seen in texts and services. The last one is ours.
func shapes() []shape {
	legacy := func(scheme, m, i string) string { return fmt.Sprintf(`%s macaroon="%s", invoice="%s"`, scheme, m, i) }
	ours := func(scheme, m, i string) string {
		return fmt.Sprintf(`%s macaroon="%s", invoice="%s", version="0", token="%[2]s"`, scheme, m, i)
	}
	const payment = `Payment id="x", realm="almanac", method="lightning", intent="charge", request="e30"`
	return []shape{
		{"A macaroon, invoice", func(m, i string) []string { return []string{legacy("L402", m, i)} }},
		{"B LSAT line, L402 line", func(m, i string) []string { return []string{legacy("LSAT", m, i), legacy("L402", m, i)} }},
		{"C version, token, invoice", func(m, i string) []string {
			return []string{fmt.Sprintf(`L402 version="0", token="%s", invoice="%s"`, m, i)}
		}},
		{"D version, token, macaroon, invoice", func(m, i string) []string {
			return []string{fmt.Sprintf(`L402 version="0", token="%s", macaroon="%[1]s", invoice="%[2]s"`, m, i)}
		}},
		{"F ours, LSAT second", func(m, i string) []string { return []string{ours("L402", m, i), legacy("LSAT", m, i)} }},
		{"G ours, Payment second", func(m, i string) []string { return []string{ours("L402", m, i), payment} }},
		{"H Payment first", func(m, i string) []string { return []string{payment, ours("L402", m, i)} }},
		{"J lower-case scheme", func(m, i string) []string { return []string{ours("l402", m, i)} }},
		{"K invoice first", func(m, i string) []string {
			return []string{fmt.Sprintf(`L402 invoice="%s", macaroon="%s", version="0", token="%[2]s"`, i, m)}
		}},
		{"E ours", nil},
	}
}

// reshape rewrites the challenge of next.
func reshape(next http.Handler, s shape) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&reshaper{w, s}, r)
	})
}

type reshaper struct {
	http.ResponseWriter
	shape shape
}

var ourShape = regexp.MustCompile(`^L402 macaroon="([^"]+)", invoice="([^"]+)", version="0", token="([^"]+)"$`)

func (w *reshaper) WriteHeader(status int) {
	if m := ourShape.FindStringSubmatch(w.Header().Get("WWW-Authenticate")); m != nil && w.shape.lines != nil {
		w.Header()["Www-Authenticate"] = w.shape.lines(m[1], m[2])
	}
	w.ResponseWriter.WriteHeader(status)
}

// TestHeaderMatrix shows with real clients why the header has the shape it has: it is the only one with the keys of the
// 2026 text that all of them read. Aperture's client runs in the module testdata/interop.
func TestHeaderMatrix(t *testing.T) {
	dir := modules(t)
	refused := map[string][]string{
		"fetchWithL402": nil,
		"fetch402":      {"H"},
		"lsat-js":       {"C"},
	}
	s := openShop(t)
	goods := s.paywall.Protect(http.HandlerFunc(s.search), checkQuery)
	mux := http.NewServeMux()
	for _, shape := range shapes() {
		mux.Handle("/shape/"+shape.name[:1], reshape(goods, shape))
	}
	shaped := httptest.NewServer(mux)
	t.Cleanup(shaped.Close)
	for client, cannot := range refused {
		for _, shape := range shapes() {
			t.Run(client+"/"+shape.name, func(t *testing.T) {
				t.Parallel()
				var got struct {
					Statuses      []int
					Payments      int
					Authorization string
					Error         string
				}
				runNode(t, &got, "http.mjs", client, dir, shaped.URL+"/shape/"+shape.name[:1]+"?q=x402", s.server.URL+"/demo/pay")
				ok := slices.Equal(got.Statuses, []int{200, 200}) && got.Payments == 1
				if want := !slices.Contains(cannot, shape.name[:1]); ok != want {
					t.Errorf("works: %v, want %v: %+v", ok, want, got)
				}
				if shape.lines == nil && !ok {
					t.Error("our own shape must work everywhere")
				}
			})
		}
	}
}

func TestGRPCJS(t *testing.T) {
	dir := modules(t)
	s := openShop(t, bothSchemes)
	_, _, address := s.listenGRPC()
	var got struct {
		Code     int
		Message  string
		Same     bool
		Statuses []int
		Balances []string
	}
	runNode(t, &got, "grpc.mjs", dir, address, s.server.URL+"/demo/pay")
	if got.Code != 402 || got.Message != "missing L402" || !got.Same || !slices.Equal(got.Statuses, []int{0, 0}) || !slices.Equal(got.Balances, []string{"99", "98"}) {
		t.Errorf("%+v", got)
	}
}

// TestAperture lets Lightning Labs' own gRPC client buy and call, in the dialect that it understands: status 13.
func TestAperture(t *testing.T) {
	client := parttest.Cached(t, "setup-l402.sh", "l402", "aperture-client")
	cannot := []string{"C", "D", "K"} // it wants macaroon first and invoice next to it
	for _, shape := range append(shapes(), shape{"L ours with Payment", nil}) {
		if shape.name[0] == 'J' {
			continue // it knows the scheme in capitals only
		}
		t.Run(shape.name, func(t *testing.T) {
			s := openShop(t, grpcStatus(codes.Internal), func(c *l402.Config) {
				if shape.name[0] == 'L' {
					bothSchemes(c)
				}
			})
			_, _, address := s.listenGRPC(reshapeTrailer(shape))
			out, err := exec.CommandContext(t.Context(), client, address, s.server.URL+"/demo/pay", t.TempDir()).Output()
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Errors, Balances []string
				Payments         int
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			ok := slices.Equal(got.Errors, []string{"", ""}) && slices.Equal(got.Balances, []string{"[99]", "[98]"}) && got.Payments == 1
			if want := !slices.Contains(cannot, shape.name[:1]); ok != want {
				t.Errorf("works: %v, want %v: %+v", ok, want, got)
			}
		})
	}
}

// reshapeTrailer rewrites the challenge of a gRPC call.
func reshapeTrailer(s shape) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		return next(grpc.NewContextWithServerTransportStream(ctx, &trailerReshaper{grpc.ServerTransportStreamFromContext(ctx), s}), req)
	}
}

type trailerReshaper struct {
	grpc.ServerTransportStream
	shape shape
}

func (r *trailerReshaper) SetTrailer(md metadata.MD) error {
	if v := md.Get("www-authenticate"); len(v) == 1 && r.shape.lines != nil {
		m := ourShape.FindStringSubmatch(v[0])
		md = metadata.MD{"www-authenticate": r.shape.lines(m[1], m[2])}
	}
	return r.ServerTransportStream.SetTrailer(md)
}

// TestHeaderForOtherClients reads our header with the patterns of clients that cannot be installed here, as found in
// their sources.
func TestHeaderForOtherClients(t *testing.T) {
	s := openShop(t)
	a := s.search1()
	header := a.Header.Get("WWW-Authenticate")
	for client, pattern := range map[string]string{
		"aperture, lnget":         `(LSAT|L402) macaroon="(?P<m>.*?)", invoice="(?P<i>.*?)"`,
		"Fewsats, a greedy match": `macaroon="(?P<m>[^ ]+)", invoice="(?P<i>[^ ]+)"`,
		"the 2026 text":           `^L402 .*\bversion="0".*\btoken="(?P<m>[^"]+)"`,
	} {
		re := regexp.MustCompile(pattern)
		m := re.FindStringSubmatch(header)
		if m == nil || strings.Trim(m[re.SubexpIndex("m")], `",`) != a.problem.Macaroon {
			t.Errorf("%s reads %q", client, m)
		}
		if i := re.SubexpIndex("i"); m != nil && i > 0 && strings.Trim(m[i], `",`) != a.problem.Invoice {
			t.Errorf("%s reads invoice %q", client, m[i])
		}
	}
}
