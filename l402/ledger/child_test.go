package ledger_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
	"go.almanac.example/l402/node/demo"

	"github.com/lightningnetwork/lnd/lntypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A replica is a service behind a paypaywall: HTTP, gRPC and the demo's paywallet.
type replica struct {
	http, grpc string // addresses
	stop       func()
}

// serve starts a replica on a ledger and a key file.
func serve(ctx context.Context, url, keyFile string) (*replica, error) {
	l, err := ledger.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	keys, err := l402.OpenKeys(keyFile)
	if err != nil {
		return nil, err
	}
	node := demo.New(keys.Derive("demo node"), time.Now)
	paywall, err := l402.New(ctx, l402.Config{
		Terms: l402.Terms{PriceSats: 100, Credits: 100, Validity: 30 * 24 * time.Hour}, Invoicer: node, Ledger: l, Keys: keys, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Limits: l402.ChallengeLimits{Rate: 1e6, Outstanding: 1e6, Proven: 20},
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/search", paywall.Protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "found") }),
		func(*http.Request) error { return nil }))
	mux.Handle("/demo/pay", node.PayHandler(problem.Writer{Log: slog.New(slog.DiscardHandler)}.Write))
	all := func(string) bool { return true }
	rpc := grpc.NewServer(grpc.UnaryInterceptor(paywall.UnaryInterceptor(all, func(any) error { return nil })))
	health.RegisterHealthServer(rpc, found{})
	web, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	srv := &http.Server{Handler: mux}
	go srv.Serve(web)
	go rpc.Serve(lis)
	return &replica{http: web.Addr().String(), grpc: lis.Addr().String(), stop: func() {
		srv.Close()
		rpc.Stop()
		l.Close()
	}}, nil
}

// found is a gRPC service that always finds something.
type found struct {
	health.UnimplementedHealthServer
}

func (found) Check(context.Context, *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	return &health.HealthCheckResponse{}, nil
}

// The variables that make the test binary a replica of its own.
const (
	childLedger = "ALMANAC_TEST_CHILD_LEDGER"
	childKeys   = "ALMANAC_TEST_CHILD_KEYS"
)

// runChild serves until it is killed or its parent is gone.
func runChild(url string) {
	r, err := serve(context.Background(), url, os.Getenv(childKeys))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(r.http, r.grpc)
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// spawn starts a replica as a process.
func spawn(t *testing.T, url, keyFile string) (*replica, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childLedger+"="+url, childKeys+"="+keyFile)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the replica did not start: %v", err)
	}
	r := new(replica)
	if _, err := fmt.Sscan(line, &r.http, &r.grpc); err != nil {
		t.Fatal(err)
	}
	return r, cmd
}

// buy pays for a credential at a replica, and returns it with its payment hash.
func (r *replica) buy(t *testing.T) (credential string, hash lntypes.Hash) {
	t.Helper()
	resp, err := http.Get("http://" + r.http + "/v1/search")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var challenge struct{ Macaroon, Invoice string }
	if err := json.NewDecoder(resp.Body).Decode(&challenge); err != nil || resp.StatusCode != 402 {
		t.Fatalf("challenge: %d, %v", resp.StatusCode, err)
	}
	body, _ := json.Marshal(map[string]string{"invoice": challenge.Invoice})
	resp, err = http.Post("http://"+r.http+"/demo/pay", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var paid struct{ Preimage string }
	if err := json.NewDecoder(resp.Body).Decode(&paid); err != nil {
		t.Fatal(err)
	}
	p, err := lntypes.MakePreimageFromStr(paid.Preimage)
	if err != nil {
		t.Fatal(err)
	}
	return "L402 " + challenge.Macaroon + ":" + paid.Preimage, p.Hash()
}

// search asks a replica once over HTTP.
func (r *replica) search(client *http.Client, credential string) (status int, err error) {
	req, err := http.NewRequest("GET", "http://"+r.http+"/v1/search", nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", credential)
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, err
	}
	return resp.StatusCode, nil
}

func (r *replica) dial(t *testing.T) health.HealthClient {
	t.Helper()
	conn, err := grpc.NewClient(r.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return health.NewHealthClient(conn)
}

// TestReplicas sends 500 requests on one credential to two replicas on one database, over HTTP and gRPC, and on one of
// a branch.
func TestReplicas(t *testing.T) {
	t.Run("account", func(t *testing.T) { testReplicas(t, 100) })
	t.Run("branch", func(t *testing.T) { testReplicas(t, 37, "almanac_budget=helper:50", "almanac_budget=inner:37") })
}

func testReplicas(t *testing.T, want int64, caveats ...string) {
	url, keyFile := database(t), filepath.Join(t.TempDir(), "keys")
	var replicas [2]*replica
	var clients [2]health.HealthClient
	for i := range replicas {
		r, err := serve(t.Context(), url, keyFile)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.stop)
		replicas[i], clients[i] = r, r.dial(t)
	}
	credential, hash := replicas[0].buy(t)
	credential = narrowed(t, credential, caveats...)
	var served, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 500 {
		wg.Go(func() {
			r := replicas[i%2]
			if i%4 < 2 {
				switch code, err := r.search(http.DefaultClient, credential); {
				case code == 200:
					served.Add(1)
				case code == 402:
					refused.Add(1)
				default:
					t.Errorf("HTTP: %d, %v", code, err)
				}
				return
			}
			ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", credential)
			switch _, err := clients[i%2].Check(ctx, &health.HealthCheckRequest{}); status.Code(err) {
			case codes.OK:
				served.Add(1)
			case 402:
				refused.Add(1)
			default:
				t.Errorf("gRPC: %v", err)
			}
		})
	}
	wg.Wait()
	if served.Load() != want || refused.Load() != 500-want {
		t.Fatalf("%d served, %d refused; want %d and %d", served.Load(), refused.Load(), want, 500-want)
	}
	l := open(t, url)
	if a, err := l.Account(t.Context(), hash); err != nil || int64(a.Used) != want {
		t.Fatalf("used %d, %v", a.Used, err)
	}
}

// TestKill9 kills a replica again and again while it is asked as fast as it can answer. Whatever the moment, no credit
// is used twice, and none that was used is forgotten. Every other credential is one of a branch.
func TestKill9(t *testing.T) {
	for store, fresh := range stores {
		t.Run(store, func(t *testing.T) {
			url, keyFile := fresh(t), filepath.Join(t.TempDir(), "keys")
			r, cmd := spawn(t, url, keyFile)
			const tokens = 8
			var credentials [tokens]string
			var hashes [tokens]lntypes.Hash
			bought := func(i int) int { return []int{100, 60}[i%2] }
			for i := range tokens {
				if credentials[i], hashes[i] = r.buy(t); i%2 > 0 {
					credentials[i] = narrowed(t, credentials[i], "almanac_budget=helper:60")
				}
			}
			var served [tokens]atomic.Int64
			kills := 0
			for round := range 12 {
				var wg sync.WaitGroup
				ctx, cancel := context.WithCancel(t.Context())
				client := &http.Client{Transport: &http.Transport{}}
				for i := range 16 {
					wg.Go(func() {
						for ctx.Err() == nil {
							n := i % tokens
							code, err := r.search(client, credentials[n])
							if err != nil || code == 402 {
								return // killed, or used up
							}
							if code == 200 {
								served[n].Add(1)
							}
						}
					})
				}
				<-time.After(time.Duration(2+3*round) * time.Millisecond) // any moment will do
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				cmd.Wait()
				cancel()
				wg.Wait()
				client.CloseIdleConnections()
				kills++
				r, cmd = spawn(t, url, keyFile)
			}
			// What is left is exactly what the ledger says, and then no more.
			l := open(t, url)
			for n := range tokens {
				var before int
				a, err := l.Account(t.Context(), hashes[n])
				if err == nil {
					before = a.Used
				} else if !errors.Is(err, l402.ErrUnknownAccount) {
					t.Fatal(err)
				}
				seen := int(served[n].Load())
				if before < seen || before > bought(n) {
					t.Fatalf("token %d: %d used, %d answers seen", n, before, seen)
				}
				rest := 0
				for {
					code, err := r.search(http.DefaultClient, credentials[n])
					if err != nil {
						t.Fatal(err)
					}
					if code != 200 {
						break
					}
					rest++
				}
				if before+rest != bought(n) {
					t.Fatalf("token %d: %d used before, %d after: %d in all", n, before, rest, before+rest)
				}
				t.Logf("token %d: %d used and %d answers seen in %d kills, %d after", n, before, seen, kills, rest)
			}
			cmd.Process.Kill()
			cmd.Wait()
		})
	}
}

// TestLostConnections cuts the database's connections while credits are spent: every commit whose answer got lost is
// found out, so that what counts as used is what was answered.
func TestLostConnections(t *testing.T) {
	url := database(t)
	l := open(t, url)
	spend(t, l, debit(0))
	stop := make(chan struct{})
	var cuts sync.WaitGroup
	cuts.Go(func() {
		cutConnections(t, url, stop)
	})
	const accounts, enough = 20, 200
	var served [accounts]atomic.Int64
	var answered, failed atomic.Int64
	deadline := time.Now().Add(parttest.Patience)
	var wg sync.WaitGroup
	for w := range 40 {
		wg.Go(func() {
			for i := 0; (answered.Load() < enough || failed.Load() < enough) && time.Now().Before(deadline); i++ {
				n := 1 + (w*7+i)%(accounts-1)
				_, err := l.Spend(t.Context(), debit(n, limit(1<<20), func(d *l402.Debit) { d.Credits = 1 << 20 }))
				switch {
				case err == nil:
					served[n].Add(1)
					answered.Add(1)
				case errors.Is(err, l402.ErrLedgerUnavailable):
					failed.Add(1)
				default:
					t.Errorf("Spend: %v", err)
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	cuts.Wait()
	t.Logf("%d debits answered, %d failed", answered.Load(), failed.Load())
	if answered.Load() < enough || failed.Load() < enough {
		t.Errorf("%d debits answered and %d failed: want %d of each, to have seen anything", answered.Load(), failed.Load(), enough)
	}
	for n := 1; n < accounts; n++ {
		wantUsedSoon(t, l, n, int(served[n].Load()))
	}
}

// wantUsedSoon waits until in-doubt commits are resolved.
func wantUsedSoon(t *testing.T, l *ledger.Ledger, n, want int) {
	t.Helper()
	var a l402.Account
	var err error
	if !parttest.Within(parttest.Patience, func() bool {
		a, err = l.Account(t.Context(), hash(n))
		return a.Used == want && (err == nil || errors.Is(err, l402.ErrUnknownAccount))
	}) {
		t.Fatalf("account %d: %d used, %v; %d were served", n, a.Used, err, want)
	}
}
