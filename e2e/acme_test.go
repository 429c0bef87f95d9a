package e2e

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// part finds a program that .ci/setup-ops.sh builds, or skips.
func part(t *testing.T, name string) string {
	t.Helper()
	return parttest.Cached(t, "setup-ops.sh", "bin", name)
}

func fileExists(path string) bool { _, err := os.Stat(path); return err == nil }

// freePort gives a port of this machine that nobody uses, and that nobody gets who does not ask for it: it is below
// those that the system gives away.
func freePort(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := 11_000 + rand.IntN(9_000) // browsers open no 10080 (Fetch standard, "port blocking")
		if l, err := net.Listen("tcp", fmt.Sprintf("localhost:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port between 11000 and 20000")
	return 0
}

// waitPort waits until somebody listens.
func waitPort(t *testing.T, addr string) {
	t.Helper()
	servertest.WaitUntil(t, "somebody listens at "+addr, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// background runs a program until the test ends.
func background(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
}

// TestACME gets a certificate from a real ACME server, Let's Encrypt's Pebble, which checks over TLS-ALPN that the name
// is ours.
func TestACME(t *testing.T) {
	const host = "almanac.test"
	pebble, names := part(t, "pebble"), part(t, "pebble-challtestsrv")
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	servertest.WriteCertificate(t, cert, key) // of the authority's own address
	ours, authority, management, dns, spare := freePort(t), freePort(t), freePort(t), freePort(t), freePort(t)
	local := func(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": local(authority), "managementListenAddress": local(management), "certificate": cert, "privateKey": key,
		"httpPort": freePort(t), "tlsPort": ours, "profiles": map[string]any{"default": map[string]any{"description": "test", "validityPeriod": 86400}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	background(t, exec.Command(names, "-dns01", local(dns), "-management", local(spare), "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-defaultIPv6", ""))
	ca := exec.Command(pebble, "-config", file, "-dnsserver", local(dns), "-strict=false")
	ca.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0")
	background(t, ca)

	waitPort(t, local(authority)) // a certificate that could not be had is not asked for again for a minute
	waitPort(t, local(dns))

	t.Setenv("SSL_CERT_FILE", cert) // for the process: whom it believes to be the authority
	p := startServe(t, "-http", local(ours), "-acme", host,
		"-acme-directory", fmt.Sprintf("https://localhost:%d/dir", authority), "-grpc", "", "-demo-anywhere")
	if p.base != "https://"+host {
		t.Errorf("the mirror says it is at %s", p.base)
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: host}, DisableKeepAlives: true,
	}}
	var res *http.Response
	servertest.WaitUntil(t, "there is a certificate", func() bool {
		res, err = client.Get("https://" + local(ours) + "/support.json")
		return err == nil
	})
	defer res.Body.Close()
	leaf := res.TLS.PeerCertificates[0]
	if err := leaf.VerifyHostname(host); err != nil || !strings.Contains(leaf.Issuer.CommonName, "Pebble") {
		t.Errorf("the certificate is for %v, by %s", leaf.DNSNames, leaf.Issuer)
	}
	if !fileExists(filepath.Join(p.state(), "acme", host)) {
		t.Error("the certificate is not kept for the next start")
	}
}

// state is the folder of the process's state.
func (p *process) state() string {
	dir := ""
	for i, arg := range p.cmd.Args {
		if arg == "-state" {
			dir = p.cmd.Args[i+1]
		}
	}
	return dir
}
