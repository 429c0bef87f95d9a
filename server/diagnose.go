package server

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/http402/netaddr"
	"go.almanac.example/httpmirror"
	"go.almanac.example/internal/peer"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

// A CheckResult is the outcome of one check of a configuration.
type CheckResult struct {
	Name    string
	Note    string // the finding
	Err     error  // the fault; nil: it works
	Then    string // what follows from a fault, and its remedy
	Warning bool   // the service works in spite of Err
}

// Diagnose reports whether each part of a service with this configuration would work, and one that runs with it does and
// is reached. It serves nothing, and neither creates nor changes anything.
func Diagnose(ctx context.Context, cfg Config) []CheckResult {
	cfg.Log = slog.New(slog.DiscardHandler)
	d := diagnosis{cfg: cfg}
	d.add(ctx, "data", "nothing is published: correct the files; almanac check DIR lists all their faults", d.data)
	for _, l := range []struct{ name, addr string }{{"HTTP address", cfg.HTTP}, {"gRPC address", cfg.GRPC},
		{"admin address", cfg.Admin}} {
		if l.addr != "" {
			d.add(ctx, l.name, "the service does not start: choose another address, or end the program that uses this one",
				func(ctx context.Context) (string, error) { return d.address(ctx, l.addr) })
		}
	}
	d.addExposure(ctx)
	if err := closedTo(cfg.State, 0o002); err != nil {
		d.warn("state directory", "other users of this machine can replace the ledger: run chmod 700 on it", "", err)
	}
	d.add(ctx, "state directory", "nothing is sold: choose a directory that can be written to, or free some space", d.state)
	if cfg.Payments.Backend != BackendOff {
		d.add(ctx, "key file", "nothing is sold, and what was sold is refused: restore the file from a backup", d.keys)
		d.add(ctx, "ledger", "credits are neither sold nor spent: start its database, correct -ledger, or restore a backup", d.ledger)
		d.add(ctx, "Lightning node", "nobody can buy; what was sold is accepted: start it, or correct its flags (docs/nodes.md)", d.node)
	}
	if cfg.Admin != "" {
		d.add(ctx, "running service", "it serves what is free, or nothing: see the other findings, and its log", d.running)
	}
	if site := cfg.Source.Site(cfg.HTTP); !isLocalURL(site.Base) {
		for _, p := range [][2]string{{"mirror", site.URL(catalog.TrustJSONPath)}, {"tool server", site.ServerCardURL()}} {
			d.add(ctx, "public "+p[0], "nobody reaches it: look at the name's DNS records, the proxy, its certificate and the firewall",
				func(ctx context.Context) (string, error) { return d.public(ctx, p[1]) })
		}
	}
	return d.findings
}

// addExposure makes the checks of what other machines reach, which a start makes too.
func (d *diagnosis) addExposure(ctx context.Context) {
	d.add(ctx, "published addresses", "readers and buyers follow links that lead nowhere: set -base-url", d.published)
	if host, _, err := net.SplitHostPort(d.cfg.Admin); err == nil && !peer.IsLoopback(host) {
		d.warn("admin listener", "all who reach it read sales and faults: listen on localhost, or let monitoring alone through", "",
			errors.New("other machines can reach the admin listener: /metrics and /readyz (profiles are for this machine alone)"))
	}
	d.add(ctx, "proxy", "one client can use up the service: set -trusted-proxy", d.proxy)
	if hosts := ledger.Unverified(d.cfg.Payments.Ledger); d.cfg.Payments.Backend != BackendOff && len(hosts) > 0 {
		d.add(ctx, "ledger connection", "others can read the password and change credits on the way: add sslmode=verify-full to -ledger, and sslrootcert=FILE",
			func(ctx context.Context) (string, error) { return unverified(ctx, hosts) })
	}
	for _, file := range d.cfg.Payments.secretFiles() {
		if _, err := os.Stat(file); err == nil { // else it may be the secret itself, by mistake, which another check says
			d.warn("secret file", "other users of this machine can use the node or the ledger: run chmod 600 on it", file, closedTo(file, 0o007))
		}
	}
	if d.cfg.TLS.CertFile != "" {
		d.add(ctx, "certificate", "browsers and agents refuse to connect: renew it, and send SIGHUP", d.certificate)
	}
}

type diagnosis struct {
	cfg      Config
	runs     bool         // something has the admin address
	keyIDs   []l402.KeyID // of the key file; nil: there is none
	keysErr  error        // why it cannot be read
	findings []CheckResult
}

// checkTimeout bounds each check.
const checkTimeout = 10 * time.Second

// add makes a check.
func (d *diagnosis) add(ctx context.Context, name, then string, check func(context.Context) (note string, err error)) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	note, err := check(ctx)
	d.findings = append(d.findings, CheckResult{Name: name, Note: note, Err: err, Then: then})
}

// warn adds a finding whose fault does not keep the service from working.
func (d *diagnosis) warn(name, then, note string, err error) {
	d.findings = append(d.findings, CheckResult{Name: name, Note: note, Err: err, Then: then, Warning: true})
}

func (d *diagnosis) data(context.Context) (string, error) {
	cat, err := d.cfg.Source.Load(d.cfg.Source.Site(d.cfg.HTTP), catalog.PaymentsOff)
	if err != nil {
		return "", err
	}
	if err := httpmirror.Check(cat,
		httpmirror.Options{Version: d.cfg.Version, Contact: d.cfg.SecurityContact}); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d entries", len(cat.Entries())), nil
}

func (d *diagnosis) address(ctx context.Context, addr string) (string, error) {
	l, err := bind(ctx, addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		d.runs = d.runs || addr == d.cfg.Admin
		return addr + " is in use now, perhaps by this service", nil
	}
	if err != nil {
		return "", err
	}
	return addr, l.Close()
}

func (d *diagnosis) published(context.Context) (string, error) {
	host, _, err := net.SplitHostPort(d.cfg.HTTP)
	site := d.cfg.Source.Site(d.cfg.HTTP)
	for _, address := range []string{site.Base, site.API, site.MCP} {
		if err == nil && !peer.IsLoopback(host) && isLocalURL(address) {
			return "", fmt.Errorf("other machines can reach %s, but %s leads them nowhere: set the base URL to the public address", d.cfg.HTTP, address)
		}
	}
	return site.Base, nil
}

// proxy returns an error if the public must come through a proxy on this machine that is not trusted, so that every
// client seems to be this machine.
func (d *diagnosis) proxy(context.Context) (string, error) {
	host, _, err := net.SplitHostPort(d.cfg.HTTP)
	ownTLS := d.cfg.TLS.CertFile != "" || len(d.cfg.TLS.Hosts) > 0
	switch {
	case len(d.cfg.TrustedProxies) > 0:
		return fmt.Sprintf("trusted: %v", d.cfg.TrustedProxies), nil
	case err == nil && !ownTLS && peer.IsLoopback(host) && !isLocalURL(d.cfg.Source.Site(d.cfg.HTTP).Base):
		return "", errors.New("the public must come through a proxy on this machine, but none is trusted, so that no limit holds (-free-rate, connections, challenges): " +
			"set -trusted-proxy 127.0.0.0/8,::1/128 and let the proxy set X-Forwarded-For")
	}
	return "none is trusted: clients are known by the addresses that they connect from", nil
}

// unverified returns an error if a host of the ledger is on the Internet, where its certificate must be verified.
func unverified(ctx context.Context, hosts []string) (string, error) {
	for _, host := range hosts {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return "", fmt.Errorf("look up the ledger's host: %w", err)
		}
		if slices.ContainsFunc(addrs, netaddr.IsPublic) {
			return "", fmt.Errorf("the certificate of %s, which is on the Internet, is not verified", host)
		}
	}
	return "not verified, to private addresses: " + strings.Join(hosts, ", "), nil
}

// secretFiles returns the files with secrets of the node and the ledger in use.
func (c *PaymentConfig) secretFiles() (files []string) {
	if c.Node.SecretFile != "" {
		files = []string{c.Node.SecretFile}
	}
	if u, err := url.Parse(c.Ledger); err == nil && u.Query().Has("passfile") && c.Backend != BackendOff {
		files = append(files, u.Query().Get("passfile"))
	}
	return files
}

// closedTo returns an error if a file grants one of the permissions. One that is not there is another check's fault.
func closedTo(file string, permissions fs.FileMode) error {
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&permissions != 0 {
		return fmt.Errorf("%s is open to others (mode %#o)", file, info.Mode().Perm())
	}
	return nil
}

func (d *diagnosis) certificate(context.Context) (string, error) {
	certs, err := openCertificates(d.cfg.TLS, d.cfg.State, func(time.Time) {})
	if err != nil {
		return "", err
	}
	leaf := certs.pair.Load().Leaf
	return "valid until " + leaf.NotAfter.UTC().Format(time.DateTime), checkCertificate(leaf, d.cfg.Source.BaseURL)
}

// checkCertificate returns why browsers refuse a certificate at an address of the site.
func checkCertificate(leaf *x509.Certificate, base string) error {
	if now := time.Now(); now.After(leaf.NotAfter) || now.Before(leaf.NotBefore) {
		return fmt.Errorf("the certificate is valid from %s to %s only: renew it", leaf.NotBefore.Format(time.DateTime),
			leaf.NotAfter.Format(time.DateTime))
	}
	if host := hostOf(base); host != "" {
		if err := leaf.VerifyHostname(host); err != nil {
			return fmt.Errorf("%w: obtain one for this name, or correct the base URL", err)
		}
	}
	return nil
}

// minSpace is the free disk space, in bytes, that the ledger needs.
const minSpace = 64 << 20

func (d *diagnosis) state(context.Context) (string, error) {
	dir, note := d.cfg.State, d.cfg.State
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		dir, note = filepath.Dir(filepath.Clean(dir)), dir+" is not there: a start makes it"
	} else if err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", dir)
	}
	const mayWrite = 2 // W_OK of access(2)
	if err := syscall.Access(dir, mayWrite); err != nil {
		return "", fmt.Errorf("write to %s: %w", dir, err)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return "", fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	if free := disk.Bavail * uint64(disk.Bsize); free < minSpace {
		return "", fmt.Errorf("%d MiB are free on the disk of %s", free>>20, dir)
	}
	return note, nil
}

func (d *diagnosis) keys(context.Context) (string, error) {
	path := filepath.Join(d.cfg.State, "keys")
	if isGone(path) {
		return path + " is not there: a first start makes it, WITH NEW KEYS, which refuse credentials sold under others", nil
	}
	keys, err := l402.ReadKeys(path)
	if d.keysErr = err; err != nil {
		return "", err
	}
	d.keyIDs = keys.IDs()
	return fmt.Sprintf("%s, %d keys", path, len(d.keyIDs)), nil
}

func (d *diagnosis) ledger(ctx context.Context) (string, error) {
	status, err := ledger.Inspect(ctx, d.cfg.Payments.Ledger)
	if file, ok := strings.CutPrefix(d.cfg.Payments.Ledger, "sqlite:"); ok &&
		filepath.Dir(file) == filepath.Clean(d.cfg.State) && errors.Is(err, fs.ErrNotExist) {
		return "will be created with the state directory", nil
	}
	if err != nil {
		return "", err
	}
	switch {
	case !status.Exists && d.keyIDs != nil:
		return "will be created BESIDE OLD KEYS: " + spentAgain, nil
	case !status.Exists:
		return "will be created", nil
	case d.keysErr == nil && !status.Fits(d.keyIDs):
		return "", foreignKeys(filepath.Join(d.cfg.State, "keys"))
	case status.Partial:
		return "it answers; it is too large to be read whole in the time of this check", nil
	}
	return "it answers, and all of it can be read", nil
}

func (d *diagnosis) node(ctx context.Context) (string, error) {
	if d.cfg.Payments.Backend == BackendDemo {
		return "a demo, in which nobody pays for real", checkDemo(&d.cfg)
	}
	node, err := openLightning(&d.cfg)
	if err != nil {
		return "", err
	}
	if err := node.Ready(ctx); err != nil {
		return "", err
	}
	note, err := node.Receive(ctx, d.cfg.Source.Terms.PriceSats)
	return "it creates invoices; " + note, err
}

// running asks a running service for its readiness.
func (d *diagnosis) running(ctx context.Context) (string, error) {
	if !d.runs {
		return "it does not run", nil
	}
	status, body, err := AskReadiness(ctx, d.cfg.Admin)
	if err != nil {
		return "", err
	}
	report := strings.TrimSpace(string(body))
	var ready struct {
		Ready   bool
		Selling *bool
	}
	if err := json.Unmarshal(body, &ready); err != nil || !ready.Ready || ready.Selling != nil && !*ready.Selling {
		return "", fmt.Errorf("it is not ready or cannot sell (status %d): %s", status, report)
	}
	return report, nil
}

// public requests a public address, which a service that runs must answer.
func (d *diagnosis) public(ctx context.Context, url string) (string, error) {
	if d.cfg.Admin != "" && !d.runs {
		return "not asked, as the service does not run", nil
	}
	status, body, err := get(ctx, url)
	switch {
	case err != nil:
		return "", err
	case status != http.StatusOK:
		return "", fmt.Errorf("%s answers with status %d: the proxy must pass requests on, with the Host header as it is", url, status)
	case !json.Valid(body):
		return "", fmt.Errorf("%s is not what almanac serves there: something else answers for this name", url)
	}
	return url, nil
}

// AskReadiness asks the service whose admin listener is at an address whether it is ready, and returns its answer.
func AskReadiness(ctx context.Context, admin string) (status int, body []byte, err error) {
	return get(ctx, "http://"+localAddress(admin)+"/readyz")
}

// get returns the answer to a request, up to a mebibyte.
func get(ctx context.Context, url string) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return res.StatusCode, body, err
}
