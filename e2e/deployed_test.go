package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	"go.almanac.example/index/searchpb"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402/node/lnd/simnet"
	"go.almanac.example/server/servertest"
)

// enterNetwork gives the rest of the line a network and mounts of its own: the names of hosts, a network whose
// interfaces have addresses and whose low ports are for everybody, and nothing in /run.
const enterNetwork = `
hosts=$1 addresses=$2
shift 2
ip link set lo up
for address in $addresses; do ip address add "$address" dev lo; done
echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
mount --bind "$hosts" /etc/hosts
mount -t tmpfs tmpfs /run
exec "$@"
`

// inNetwork runs the test again in a network of its own, and reports whether this is that run. There the ports and the
// names of deployment files are free, and clients have addresses that are not this machine's.
func inNetwork(t *testing.T, hosts, addresses string) bool {
	t.Helper()
	const inside = "ALMANAC_TEST_NETWORK"
	if os.Getenv(inside) == t.Name() {
		return true
	}
	parttest.Want(t)
	if os.Getuid() != 0 {
		parttest.Missing(t, "a network of its own needs root")
	}
	file := filepath.Join(t.TempDir(), "hosts")
	must(t, os.WriteFile(file, []byte(hosts), 0o644))
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command("unshare", "--mount", "--net", "--propagation", "private", "sh", "-ec", enterNetwork, "enter", file, addresses,
		self, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"="+t.Name(), builtProgram+"="+program)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("in a network of its own: %v\n%s", err, out)
	} else {
		t.Logf("in a network of its own:\n%s", out)
	}
	return false
}

// runBeside starts a program until the test ends.
func runBeside(t *testing.T, env []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &out, append(os.Environ(), env...)
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		if t.Failed() {
			t.Logf("%s wrote:\n%s", name, out.String())
		}
	})
	return cmd
}

// clientFrom returns a client that connects from an address, and trusts the certificates of a file.
func clientFrom(t *testing.T, address, trusted string) *http.Client {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	tr := &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: pool(t, trusted)}, MaxIdleConnsPerHost: 16}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func pool(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	pem, err := os.ReadFile(file)
	must(t, err)
	p := x509.NewCertPool()
	if !p.AppendCertsFromPEM(pem) {
		t.Fatalf("%s has no certificate", file)
	}
	return p
}

// ask returns the status, the header and the body of an address.
func ask(t *testing.T, client *http.Client, url string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	must(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(t, err)
	return res, string(body)
}

// fenced returns the first block of code after a heading of deploy/README.md.
func fenced(t *testing.T, heading string) string {
	t.Helper()
	b, err := os.ReadFile("../deploy/README.md")
	must(t, err)
	_, rest, ok := strings.Cut(string(b), heading)
	_, rest, ok2 := strings.Cut(rest, "```sh\n")
	block, _, ok3 := strings.Cut(rest, "```")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("deploy/README.md has no block below %s", heading)
	}
	return block
}

// TestBehindNginx: the unit's command and variables, with the documented environment, behind nginx with the documented
// site. Each network has a limit of its own, a flood of one is refused whatever its headers claim, and the log has the
// networks of the clients.
func TestBehindNginx(t *testing.T) {
	const flooding, reading = "198.51.100.7", "203.0.113.9"
	if !inNetwork(t, "127.0.0.1 localhost example.org\n::1 localhost\n", flooding+"/32 "+reading+"/32") {
		return
	}
	nginx := "/usr/sbin/nginx"
	if _, err := os.Stat(nginx); err != nil {
		parttest.Missing(t, "no nginx; .ci/setup-ops.sh installs it")
	}
	dir := t.TempDir()
	certificate("example.org", time.Hour)(t, dir)
	site, err := os.ReadFile("../deploy/systemd/nginx.conf")
	must(t, err)
	conf := strings.NewReplacer("/etc/letsencrypt/live/example.org/fullchain.pem", filepath.Join(dir, "cert"),
		"/etc/letsencrypt/live/example.org/privkey.pem", filepath.Join(dir, "key")).Replace(string(site))
	must(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte("daemon off; pid "+dir+"/pid; error_log stderr; events { }\nhttp {\naccess_log off;\n"+conf+"}\n"), 0o600))
	runBeside(t, nil, nginx, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"), "-e", "stderr")

	p := startUnit(t)
	if listening := p.serving["http"]; listening != "127.0.0.1:8402" {
		t.Errorf("it listens at %v", listening)
	}
	flood, reader := clientFrom(t, flooding, filepath.Join(dir, "cert")), clientFrom(t, reading, filepath.Join(dir, "cert"))
	servertest.WaitUntil(t, "nginx answers", func() bool {
		res, err := reader.Get("https://example.org/support.json")
		if err == nil {
			res.Body.Close()
		}
		return err == nil && res.StatusCode == http.StatusOK
	})

	const rate, burst, requests = 100, 1000, 6000 // -free-rate, and ten seconds of it
	var passed, refused atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for worker := range 8 {
		wg.Go(func() {
			for i := range requests / 8 {
				claim := fmt.Sprintf("192.0.%d.%d", worker, i%250) // which nginx passes on before the true address
				switch res, body := ask(t, flood, "https://example.org/support.json", "X-Forwarded-For", claim); res.StatusCode {
				case http.StatusOK:
					passed.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
				default:
					t.Errorf("status %d: %s", res.StatusCode, body)
				}
			}
		})
	}
	for range 50 { // meanwhile
		if res, body := ask(t, reader, "https://example.org/support.json"); res.StatusCode != http.StatusOK {
			t.Errorf("another network: status %d: %s", res.StatusCode, body)
		}
	}
	wg.Wait()
	allowed := burst + int64(rate*time.Since(began).Seconds()) + 1
	t.Logf("of %d requests of one network within %s, %d were answered and %d refused", requests, time.Since(began).Round(time.Millisecond), passed.Load(), refused.Load())
	if passed.Load() < burst || passed.Load() > allowed || passed.Load()+refused.Load() != requests {
		t.Errorf("%d were answered and %d refused; %d to %d may be answered", passed.Load(), refused.Load(), burst, allowed)
	}
	p.waitLog(`"status":429`)
	log := p.logged()
	for _, network := range []string{`"from":"198.51.100.0/24"`, `"from":"203.0.113.0/24"`} {
		if !strings.Contains(log, network) {
			t.Errorf("the log lacks %s", network)
		}
	}
	for _, wrong := range []string{`"from":"192.0.`, `"from":"127.`, "no limit holds", "PROXY THAT IS NOT TRUSTED"} {
		if strings.Contains(log, wrong) {
			t.Errorf("the log has %s", wrong)
		}
	}
	p.signal(syscall.SIGTERM)
	if status := p.wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// startUnit runs the command of the systemd unit with its variables and those that deploy/README.md writes into its
// environment file, as a user without rights.
func startUnit(t *testing.T) *process {
	t.Helper()
	unit, err := os.ReadFile("../deploy/systemd/almanac.service")
	must(t, err)
	state := anybodysFolder(t)
	var command, env []string
	for line := range strings.Lines(string(unit)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "ExecStart":
			command = strings.Fields(strings.Replace(value, "/usr/local/bin/almanac", asAnybody(t, program), 1))
		case "Environment":
			env = append(env, strings.Fields(strings.Replace(value, "/var/lib/almanac", state, 1))...)
		}
	}
	_, file, _ := strings.Cut(fenced(t, "## One machine: systemd"), "<<END\n")
	file, _, ok := strings.Cut(file, "END\n")
	if len(command) != 2 || len(env) != 2 || !ok {
		t.Fatalf("command %q, variables %q, environment file %q", command, env, file)
	}
	cmd := exec.Command("setpriv", append([]string{"--reuid=65532", "--regid=65532", "--clear-groups", "--no-new-privs"}, command...)...)
	cmd.Env = append(append([]string{"HOME=/"}, env...), strings.Fields(file)...)
	return startProcess(t, cmd, servertest.Patience)
}

// anybodysFolder returns a folder of the user that almanac runs as.
func anybodysFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "almanac-deployed-") // t.TempDir's are root's
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chown(dir, 65532, 65532))
	return dir
}

// asAnybody returns a copy of a program that that user may run.
func asAnybody(t *testing.T, program string) string {
	t.Helper()
	name := filepath.Join(anybodysFolder(t), "almanac")
	data, err := os.ReadFile(program)
	must(t, err)
	must(t, os.WriteFile(name, data, 0o755))
	return name
}

var composeVariable = regexp.MustCompile(`(?m)^      (ALMANAC_\w+): (.+)$`)

// TestCompose: the four services of the compose file, each with its command, variables, secrets, names and ports: Caddy
// with the file's configuration, PostgreSQL with its user and password, lnd with its arguments but for the chain and
// the wallet, and almanac. A buyer pays a real invoice and searches through Caddy,
// over HTTP and gRPC; what was bought outlives almanac's restart, and is in PostgreSQL.
func TestCompose(t *testing.T) {
	const buyer, front, domain = "198.51.100.7", "10.84.2.2", "almanac.localhost"
	if !inNetwork(t, "127.0.0.1 localhost lnd postgres "+domain+" grpc."+domain+"\n"+front+" almanac\n", buyer+"/32 "+front+"/24") {
		return
	}
	caddy := parttest.Program(t, "caddy", "setup-ops.sh")
	b, err := os.ReadFile("../deploy/compose/compose.yaml")
	must(t, err)
	service := func(name string) string {
		_, rest, ok := strings.Cut(string(b), "\n  "+name+":\n")
		if !ok {
			t.Fatalf("the compose file has no service %s", name)
		}
		text := ""
		for line := range strings.Lines(rest) {
			if !strings.HasPrefix(line, "    ") {
				break
			}
			text += line
		}
		return text
	}

	// the secrets, by the documented commands
	dir := t.TempDir()
	before, after, _ := strings.Cut(fenced(t, "## Several parts: compose"), "export ALMANAC_DOMAIN")
	shell := func(script string) {
		t.Helper()
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	shell(before)
	secrets := filepath.Join(dir, "secrets")

	// lnd
	var args []string
	for _, m := range regexp.MustCompile(`(?m)^      - (--.+)$`).FindAllStringSubmatch(service("lnd"), -1) {
		if !strings.HasPrefix(m[1], "--bitcoin.") && !strings.HasPrefix(m[1], "--fee.url") && !strings.HasPrefix(m[1], "--wallet-unlock") {
			args = append(args, m[1])
		}
	}
	lightning := simnet.Start(t, args...)
	copyFile(t, lightning.Merchant.CertFile, filepath.Join(secrets, "tls.cert"))
	copyFile(t, lightning.Merchant.MacaroonFile, filepath.Join(secrets, "almanac.macaroon"))
	for line := range strings.Lines(after) {
		if strings.HasPrefix(line, "chown") || strings.HasPrefix(line, "chmod") {
			shell(line)
		}
	}

	// PostgreSQL, as the image's entrypoint begins it
	pg := newPostgres(t)
	if !strings.Contains(service("postgres"), "POSTGRES_USER: almanac\n      POSTGRES_PASSWORD_FILE: /run/secrets/postgres-password\n") {
		t.Fatal("the compose file sets other variables of PostgreSQL")
	}
	copyFile(t, filepath.Join(secrets, "postgres-password"), filepath.Join(pg.dir, "password"))
	must(t, os.Chmod(filepath.Join(pg.dir, "password"), 0o644))
	pg.run("initdb", "-D", pg.data, "-U", "almanac", "--pwfile", filepath.Join(pg.dir, "password"), "--auth-host=scram-sha-256", "--auth-local=trust", "--no-instructions")
	pg.listen("127.0.0.1")
	pg.run("createdb", "-h", pg.dir, "-U", "almanac", "almanac")
	health := regexp.MustCompile(`test: \[CMD, (.+)\]`).FindStringSubmatch(service("postgres"))
	if health == nil {
		t.Fatal("PostgreSQL has no health check")
	}
	check := strings.Split(health[1], ", ")
	pg.run(check[0], append(check[1:], "-h", pg.dir)...)

	// almanac, with its secrets where the file has them
	must(t, os.Mkdir("/run/secrets", 0o755))
	for name, file := range map[string]string{"lnd-cert": "tls.cert", "lnd-macaroon": "almanac.macaroon", "pgpass": "pgpass"} {
		target := filepath.Join("/run/secrets", name)
		must(t, os.WriteFile(target, nil, 0o600))
		must(t, syscall.Mount(filepath.Join(secrets, file), target, "", syscall.MS_BIND, ""))
		t.Cleanup(func() { syscall.Unmount(target, syscall.MNT_DETACH) })
	}
	state := anybodysFolder(t)
	env := []string{"ALMANAC_STATE=" + state, "ALMANAC_LND_NETWORK=simnet"} // the image's, and the chain
	for _, m := range composeVariable.FindAllStringSubmatch(service("almanac"), -1) {
		value := regexp.MustCompile(`\$\{ALMANAC_DOMAIN[^}]*\}`).ReplaceAllString(m[2], domain)
		if unquoted, err := strconv.Unquote(value); err == nil {
			value = unquoted
		}
		env = append(env, m[1]+"="+value)
	}
	mounted := regexp.MustCompile(`- \$\{ALMANAC_DATA:-(.+)\}:/data:ro\n`).FindStringSubmatch(service("almanac"))
	if mounted == nil || !slices.Contains(env, "ALMANAC_FIXTURES=/data") {
		t.Fatal("the compose file mounts no data")
	}
	fixtures := anybodysFolder(t)
	must(t, os.CopyFS(fixtures, os.DirFS(filepath.Join("../deploy/compose", mounted[1]))))
	env = append(env, "ALMANAC_FIXTURES="+fixtures)
	copied := asAnybody(t, program)
	start := func() *process {
		cmd := exec.Command("setpriv", "--reuid=65532", "--regid=65532", "--clear-groups", "--no-new-privs", copied, "serve")
		cmd.Env = append([]string{"HOME=/"}, env...)
		return startProcess(t, cmd, servertest.Patience)
	}
	p := start()

	// Caddy: its own authority certifies names below localhost. Root's Caddy would have this machine trust it.
	data := anybodysFolder(t)
	file, err := os.ReadFile("../deploy/compose/Caddyfile")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(data, "Caddyfile"), file, 0o644))
	runBeside(t, []string{"ALMANAC_DOMAIN=" + domain, "XDG_DATA_HOME=" + data, "XDG_CONFIG_HOME=" + data, "HOME=" + data},
		"setpriv", "--reuid=65532", "--regid=65532", "--clear-groups", "--no-new-privs",
		caddy, "run", "--config", filepath.Join(data, "Caddyfile"), "--adapter", "caddyfile")
	authority := filepath.Join(data, "caddy/pki/authorities/local/root.crt")
	servertest.WaitUntil(t, "Caddy has an authority", func() bool { _, err := os.Stat(authority); return err == nil })
	client := clientFrom(t, buyer, authority)
	base := "https://" + domain
	servertest.WaitUntil(t, "Caddy answers", func() bool {
		res, err := client.Get(base + "/support.json")
		if err == nil {
			res.Body.Close()
		}
		return err == nil && res.StatusCode == http.StatusOK
	})

	// a purchase
	if _, body := ask(t, client, base+"/support.json"); !strings.Contains(body, `"paid_api"`) || !strings.Contains(body, base) {
		t.Errorf("the paid interface is not offered at %s: %s", base, body)
	}
	res, body := ask(t, client, base+"/v1/search?q=macaroon", "X-Forwarded-For", "192.0.2.1")
	if res.StatusCode != http.StatusPaymentRequired {
		t.Fatalf("status %d: %s", res.StatusCode, body)
	}
	c := servertest.Decode[servertest.Challenge](t, []byte(body))
	preimage, err := lightning.Pay(t.Context(), c.Invoice)
	must(t, err)
	credential := "L402 " + c.Macaroon + ":" + preimage
	search := func(left string) {
		t.Helper()
		if res, body := ask(t, client, base+"/v1/search?q=macaroon", "Authorization", credential); res.StatusCode != http.StatusOK || res.Header.Get("X-Credit-Balance") != left {
			t.Errorf("status %d, balance %s, want %s: %s", res.StatusCode, res.Header.Get("X-Credit-Balance"), left, body)
		}
	}
	search("99")
	conn, err := grpc.NewClient("grpc."+domain+":443", grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(pool(t, authority), "")))
	must(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", credential), servertest.Patience)
	defer cancel()
	answer, err := searchpb.NewSearchClient(conn).Search(ctx, &searchpb.SearchRequest{Q: "macaroon"})
	if err != nil || answer.GetCredits().GetRemaining() != 98 {
		t.Errorf("over gRPC: %d left, %v", answer.GetCredits().GetRemaining(), err)
	}
	p.waitLog(`"path":"/v1/search","status":200`)
	if log := p.logged(); !strings.Contains(log, `"from":"198.51.100.0/24"`) || strings.Contains(log, `"from":"192.0.2.0/24"`) {
		t.Errorf("the log has not the buyer's network alone: %s", log)
	}

	// a restart
	p.signal(syscall.SIGTERM)
	if status := p.wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	p = start()
	search("97")
	out, err := pg.try("psql", "-h", pg.dir, "-U", "almanac", "-At", "-c", "SELECT credits, used FROM almanac_accounts", "almanac")
	if got := strings.TrimSpace(string(out)); err != nil || got != "100|3" {
		t.Errorf("PostgreSQL has %q, %v", got, err)
	}
	p.signal(syscall.SIGTERM)
	p.wait()
}

// TestNginxPassesLongChallenges: the documented site passes a 402 on whose headers have an invoice with 20 route hints
// twice, once in base64.
func TestNginxPassesLongChallenges(t *testing.T) {
	nginx := parttest.Program(t, "/usr/sbin/nginx", "setup-ops.sh")
	seller := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", strings.Repeat("x", 7000))
		w.WriteHeader(http.StatusPaymentRequired)
	}))
	defer seller.Close()
	dir, err := os.MkdirTemp("", "") // with a short name, as a socket must have
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	site, err := os.ReadFile("../deploy/systemd/nginx.conf")
	must(t, err)
	conf := regexp.MustCompile(`(?m)^ +(listen \[|ssl_).*$`).ReplaceAllString(string(site), "")
	conf = strings.NewReplacer("listen 443 ssl http2", "listen unix:"+dir+"/socket", "http://localhost:8402", seller.URL).Replace(conf)
	must(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte("daemon off; pid "+dir+"/pid; error_log stderr; events { }\nhttp {\naccess_log off;\n"+conf+"}\n"), 0o600))
	runBeside(t, nil, nginx, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"), "-e", "stderr")
	client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", dir+"/socket") }}}
	servertest.WaitUntil(t, "nginx listens", func() bool { _, err := os.Stat(dir + "/socket"); return err == nil })
	if res, body := ask(t, &client, "http://example.org/v1/search"); res.StatusCode != http.StatusPaymentRequired {
		t.Errorf("status %d: %s", res.StatusCode, body)
	}
}
