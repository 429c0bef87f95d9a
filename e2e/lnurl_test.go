package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402/node/lnd/simnet"
	"go.almanac.example/server/servertest"
)

// A lnurlService is somebody else's service for LNURL-pay, from npm, over the merchant's node.
type lnurlService struct {
	t    *testing.T
	net  *simnet.Network
	port string
	cmd  *exec.Cmd
}

// start runs the service, and returns the LNURL at which it is paid.
func (s *lnurlService) start() string {
	s.t.Helper()
	cache := filepath.Dir(parttest.Cached(s.t, "setup-l402.sh", "npm-l402", "node_modules"))
	s.cmd = exec.Command("node", "../l402/testdata/lnurl.mjs")
	s.cmd.Env = append(os.Environ(), "CACHE="+cache, "LND="+strings.TrimPrefix(s.net.Merchant.URL, "https://"),
		"CERT="+s.net.Merchant.CertFile, "MACAROON="+s.net.Merchant.MacaroonFile, "PORT="+s.port)
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.stop)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		s.t.Fatalf("the service does not start: %v", err)
	}
	var at struct{ LNURL string }
	if err := json.Unmarshal(line, &at); err != nil {
		s.t.Fatal(err)
	}
	return at.LNURL
}

func (s *lnurlService) stop() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// TestLightningAddress: with nothing but the LNURL of other people's service the program sells: purchase, reuse, the
// service away. What was sold goes on.
func TestLightningAddress(t *testing.T) {
	net := simnet.Start(t)
	service := &lnurlService{t: t, net: net, port: strconv.Itoa(freePort(t))}
	p := startServe(t, append(hurried, "-payments", "lnurl", "-lnurl-address", service.start(), "-lnurl-network", "simnet", "-price", "10", "-credits", "3")...)
	s := &nodeShop{p, &servertest.Client{T: t, URL: p.base}, net, map[string]bool{}}
	s.buy("at first")
	s.buy("again")
	if out := s.readyz(); !strings.Contains(out, "ok") {
		t.Errorf("readyz says %s", out)
	}
	service.stop()
	s.wantDown("the service is away")
	if res, body := s.client.Do(http.MethodGet, "/library/", ""); res.StatusCode != http.StatusOK {
		t.Errorf("a free page without the service: %d %s", res.StatusCode, body)
	}
}
