package e2e

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402/node/lnd/simnet"
	"go.almanac.example/server/servertest"
)

// BenchmarkAperture compares a paid search with a paid request through aperture, Lightning Labs' L402 proxy, in front of
// a bare handler whose answers of 15 KB are not counted as its. Both have the same lnd. A search takes a durable debit;
// aperture counts nothing.
func BenchmarkAperture(b *testing.B) {
	binary := parttest.Cached(b, "setup-buyer.sh", "aperture", "aperture")
	net := simnet.Start(b)
	almanac := startWhole(b, program, "-payments", "lnd", "-lnd-url", net.Merchant.URL, "-lnd-cert", net.Merchant.CertFile,
		"-lnd-macaroon", net.Merchant.MacaroonFile, "-lnd-network", net.Merchant.Network, "-credits", "1000000",
		"-free-rate", "0", "-challenge-rate", "100000", "-challenge-outstanding", "1000000")
	backend := startBare(b, "http://"+almanac.addr, wholePage)
	list := [2]contestant{almanac, startAperture(b, binary, backend.addr, net)}
	paths := [2]string{"/v1/search?q=macaroon", wholePage}
	var credentials [2]string
	for i, c := range list {
		credentials[i] = purchaseAt(b, net, "http://"+c.addr+paths[i])
	}
	searches := 0
	for _, tt := range []struct {
		name                  string
		connections, requests int
		request               func(i int) string // to the i-th contestant
		status                int
	}{
		{"repeated", 8, 1500, func(i int) string { return paidRequest(paths[i], credentials[i]) }, http.StatusOK},
		{"new", 8, 1500, func(i int) string {
			if i == 1 {
				return paidRequest(paths[i], credentials[i])
			}
			searches++
			return strings.Replace(newSearch(searches), "CREDENTIAL", credentials[i], 1)
		}, http.StatusOK},
		{"challenge", 8, 200, func(i int) string { return "GET " + paths[i] + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }, http.StatusPaymentRequired},
	} {
		b.Run(tt.name, func(b *testing.B) {
			compare(b, []string{"cpu-µs", "MB"}, func(i int) []float64 {
				var requests []string
				for range tt.requests {
					requests = append(requests, tt.request(i))
				}
				c := list[i]
				c.status = tt.status
				cpu, _ := c.send(b, tt.connections, requests)
				return []float64{cpu * 1e6, c.resident(b)}
			})
		})
	}
}

func paidRequest(path, credential string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + credential + "\r\n\r\n"
}

// purchaseAt pays for an address, and returns the value of Authorization.
func purchaseAt(b *testing.B, net *simnet.Network, url string) string {
	b.Helper()
	res, body := servertest.Ask(b, http.MethodGet, url, "")
	found, _ := challenge.Parse(res.Header.Values("WWW-Authenticate"))
	for _, c := range found {
		if c.Scheme != challenge.L402 {
			continue
		}
		text, err := net.Pay(b.Context(), c.Invoice)
		if err != nil {
			b.Fatal(err)
		}
		var preimage [32]byte
		if _, err := hex.Decode(preimage[:], []byte(text)); err != nil {
			b.Fatal(err)
		}
		return c.Credential(preimage).Value
	}
	b.Fatalf("%s: status %d, no challenge: %s", url, res.StatusCode, body)
	return ""
}

// startAperture starts aperture in front of a server, with its log in a file.
func startAperture(b *testing.B, binary, backend string, net *simnet.Network) contestant {
	b.Helper()
	rpc, cert, macaroons := net.MerchantHost()
	dir, addr := b.TempDir(), fmt.Sprintf("127.0.0.1:%d", freePort(b))
	conf := filepath.Join(dir, "aperture.yaml")
	writeConf(b, conf, fmt.Sprintf(`
listenaddr: %q
insecure: true
servestatic: false
debuglevel: "info"
basedir: %q
dbbackend: "sqlite"
sqlite: {databasefilename: %q}
authenticator: {network: "simnet", lndhost: %q, tlspath: %q, macdir: %q}
services:
  - {name: "page", hostregexp: '.*', pathregexp: '^/articles/.*$', address: %q, protocol: http, authscheme: "l402", price: 100, timeout: 36000}
`, addr, dir, filepath.Join(dir, "aperture.db"), rpc, cert, macaroons, backend))
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(binary, "--configfile="+conf)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	cmd.Stdout, cmd.Stderr = log, log
	startServer(b, cmd)
	awaitServer(b, addr)
	return contestant{name: "aperture", addr: addr, pid: cmd.Process.Pid}
}
