package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/server/servertest"
)

// A badConfig is a working configuration with one thing broken.
type badConfig struct {
	what   string
	args   []string                       // instead of "serve", what is run; flags are added to those of a service that works
	spoil  func(t *testing.T, dir string) // changes the files that the arguments name, below dir
	env    map[string]string
	status int
	want   string // in the one line that says what is wrong
}

// anyMacaroon is one that no node ever baked.
const anyMacaroon = "0201036c6e64020169000006203022b39f0612f3fd7f8dd702040aec5342549ff75b2eaa800ba3ba46fa8de6d1"

const (
	doctor = "doctor" // one check of several fails
	plain  = "serve"
)

// badConfigs are of every kind: the command line, variables, the configuration file, addresses, certificates, the node,
// the ledger, keys, the curated files. DIR stands for a folder of the test's own.
var badConfigs = []badConfig{
	{what: "an unknown flag", args: []string{plain, "-base-urll", "x"}, status: 2, want: "base-urll"},
	{what: "an unknown command", args: []string{"sevre"}, status: 2, want: `"sevre" is not a command`},
	{what: "an argument without its hyphen", args: []string{plain, "watch"}, status: 2, want: "flags begin with a hyphen"},
	{what: "a duration that is none", args: []string{plain, "-lame-duck", "soon"}, status: 2, want: "lame-duck"},
	{what: "a number that is none", args: []string{plain, "-price", "many"}, status: 2, want: "price"},
	{what: "a negative duration", args: []string{plain, "-lame-duck", "-5s"}, status: 2, want: "-lame-duck must not be negative"},
	{what: "a rate that is not a number", args: []string{plain, "-free-rate", "NaN"}, status: 2, want: "-free-rate must be 0 or more"},
	{what: "a price of nothing", args: []string{plain, "-price", "0"}, status: 2, want: "at least 1"},
	{what: "more satoshis than there are", args: []string{plain, "-price", "2100000000000001"}, status: 2, want: "-price may be at most"},
	{what: "an unknown format of the log", args: []string{plain, "-log", "xml"}, status: 2, want: "use text or json"},
	{what: "names of requests from anybody", args: []string{plain, "-request-header", "X-Request-Id"}, status: 2, want: "-trusted-proxy"},
	{what: "a proxy that is not a network", args: []string{plain, "-trusted-proxy", "here"}, status: 2, want: `"here" is not a network`},
	{what: "credits for longer than a clock counts", args: []string{plain, "-valid-days", "200000"}, status: 2, want: "-valid-days 36500"},
	{what: "no directory of proofs", args: []string{plain, "-well-known", "no-such-directory"}, status: 1, want: "read -well-known no-such-directory"},
	{what: "a contact that is none", args: []string{plain, "-security-contact", "somebody"}, status: 1, want: "mailto:"},
	{what: "a state that is a file", args: []string{plain, "-state", "DIR/cert"}, status: 1, want: "state directory"},

	{what: "a mistyped variable", args: []string{plain}, env: map[string]string{"ALMANAC_BASEURL": "https://example.org"}, status: 2, want: "did you mean ALMANAC_BASE_URL?"},
	{what: "a variable with a wrong value", args: []string{plain}, env: map[string]string{"ALMANAC_CREDITS": "some"}, status: 2, want: "credits"},
	{what: "a variable that turns a switch half on", args: []string{plain}, env: map[string]string{"ALMANAC_ACCESS_LOG": "perhaps"}, status: 2, want: "access-log"},
	{what: "a date of the build that is none", args: []string{plain}, env: map[string]string{"SOURCE_DATE_EPOCH": "today"}, status: 1, want: "SOURCE_DATE_EPOCH"},

	{what: "no configuration file", args: []string{plain, "-config", "DIR/nowhere.conf"}, status: 2, want: "nowhere.conf"},
	{what: "a mistyped flag in the file", args: []string{plain, "-config", "DIR/file"}, spoil: writes("file", "base-urll https://example.org\n"), status: 2, want: `did you mean "base-url"?`},
	{what: "a wrong value in the file", args: []string{plain, "-config", "DIR/file"}, spoil: writes("file", "valid-days long\n"), status: 2, want: `"valid-days long"`},

	{what: "an address without a port", args: []string{plain, "-http", "localhost"}, status: 2, want: "is not host:port"},
	{what: "a gRPC address without a port", args: []string{plain, "-grpc", "localhost"}, status: 2, want: "is not host:port"},
	{what: "an admin address without a port", args: []string{plain, "-admin", "8404"}, status: 2, want: "is not host:port"},
	{what: "no HTTP", args: []string{plain, "-http", "off"}, status: 2, want: "is not host:port"},
	{what: "an empty address", args: []string{plain, "-http", ""}, status: 2, want: "-http is empty"},
	{what: "a port that does not exist", args: []string{plain, "-http", "localhost:99999"}, status: 1, want: "choose another address"},
	{what: "a port that is taken", args: []string{plain, "-http", "TAKEN"}, status: 1, want: "address already in use"},
	{what: "a host that is not this machine", args: []string{plain, "-http", "192.0.2.1:0"}, status: 1, want: "192.0.2.1"},
	{what: "a public address without a scheme", args: []string{plain, "-base-url", "example.org"}, status: 2, want: "not of the form https://host"},
	{what: "a public address with a query", args: []string{plain, "-base-url", "https://example.org/?almanac"}, status: 2, want: "has more than a scheme and a host"},
	{what: "a public address with another path", args: []string{plain, "-mcp-url", "https://example.org/mcp"}, status: 2, want: "has more than a scheme and a host"},
	{what: "a public address with a user", args: []string{plain, "-mcp-url", "https://me@example.org"}, status: 2, want: "-mcp-url"},
	{what: "the demo for everybody", args: []string{plain, "-base-url", "https://example.org"}, status: 1, want: "-demo-anywhere"},

	{what: "a certificate without its key", args: []string{plain, "-tls-cert", "DIR/cert"}, status: 2, want: "go together"},
	{what: "a certificate and ACME", args: []string{plain, "-tls-cert", "DIR/cert", "-tls-key", "DIR/key", "-acme", "example.org"}, status: 2, want: "exclude each other"},
	{what: "no file of the certificate", args: []string{plain, "-tls-cert", "DIR/nowhere", "-tls-key", "DIR/key"}, status: 1, want: "nowhere"},
	{what: "a certificate that is none", args: []string{plain, "-tls-cert", "DIR/cert", "-tls-key", "DIR/key"}, spoil: writes("cert", "nonsense"), status: 1, want: "both as PEM"},
	{what: "the key of another certificate", args: []string{plain, "-tls-cert", "DIR/cert", "-tls-key", "DIR/key"}, spoil: otherKey, status: 1, want: "private key does not match"},
	{what: "a certificate for another name", args: []string{doctor, "-tls-cert", "DIR/cert", "-tls-key", "DIR/key", "-base-url", "https://example.org", "-payments", "off"}, status: 1, want: "obtain one for this name"},
	{what: "an ACME directory without TLS", args: []string{plain, "-acme", "example.org", "-acme-directory", "http://ca.example"}, status: 2, want: "https://host/path"},
	{what: "an empty host for ACME", args: []string{plain, "-acme", "example.org,,www.example.org"}, status: 2, want: "empty host"},
	{what: "a redirect to nothing", args: []string{plain, "-redirect", "localhost:0"}, status: 2, want: "-redirect needs -tls-cert or -acme"},
	{what: "HSTS for less than no time", args: []string{plain, "-hsts", "-1s"}, status: 2, want: "-hsts must not be negative"},

	{what: "an unknown node", args: []string{plain, "-payments", "cash"}, status: 2, want: `-payments "cash" is unknown`},
	{what: "phoenixd without its password", args: []string{plain, "-payments", "phoenixd"}, status: 2, want: "-phoenixd-password"},
	{what: "Core Lightning without a rune", args: []string{plain, "-payments", "cln", "-cln-cert", "x"}, status: 2, want: "-payments cln needs -cln-rune"},
	{what: "a wallet without its connection", args: []string{plain, "-payments", "nwc"}, status: 2, want: "-nwc-connection"},
	{what: "a connection in the list of processes", args: []string{plain, "-payments", "nwc", "-nwc-connection", "nostr+walletconnect://secret"}, status: 1, want: "path of a file"},
	{what: "lnd without its files", args: []string{plain, "-payments", "lnd"}, status: 2, want: "-lnd-macaroon"},
	{what: "no certificate of the node", args: lndWith("-lnd-cert", "DIR/nowhere"), status: 1, want: "read the node's certificate"},
	{what: "a node's certificate that is none", args: lndWith(), spoil: writes("cert", "nonsense"), status: 1, want: "use the node's tls.cert"},
	{what: "no macaroon", args: lndWith("-lnd-macaroon", "DIR/nowhere"), status: 1, want: "read the node's macaroon"},
	{what: "a macaroon that is none", args: lndWith(), spoil: writes("macaroon", "nonsense"), status: 1, want: "lncli bakemacaroon"},
	{what: "a node without TLS", args: lndWith("-lnd-url", "http://localhost:8080"), status: 1, want: "must begin with https://"},
	{what: "a node with a query", args: lndWith("-lnd-url", "https://localhost:8080?v1"), status: 1, want: "a host, a port and perhaps a path"},
	{what: "a network of no node", args: lndWith("-lnd-network", "moonnet"), status: 1, want: "is not a network"},
	{what: "a node that is away", args: append([]string{doctor}, lndWith("-lnd-url", "https://CLOSED")[1:]...), status: 1, want: "connection refused"},
	{what: "a status of gRPC that no client reads", args: []string{plain, "-grpc-challenge", "5"}, status: 2, want: "use 402 or 13"},
	{what: "no challenges", args: []string{plain, "-challenge-rate", "0"}, status: 2, want: "-payments off sells nothing"},

	{what: "an unknown ledger", args: []string{plain, "-ledger", "mysql://localhost/almanac"}, status: 2, want: "use sqlite:FILE or postgres://"},
	{what: "a ledger without a file", args: []string{plain, "-ledger", "sqlite:"}, status: 2, want: "use sqlite:FILE or postgres://"},
	{what: "a malformed address of a database", args: []string{plain, "-ledger", "postgres://localhost:port/almanac"}, status: 2, want: "postgres:// address is not valid"},
	{what: "a ledger in no folder", args: []string{doctor, "-ledger", "sqlite:DIR/nowhere/ledger.db"}, status: 1, want: "create the directory"},
	{what: "a ledger that is a folder", args: []string{doctor, "-ledger", "sqlite:DIR"}, status: 1, want: "ledger"},
	{what: "a ledger that is none", args: []string{doctor, "-ledger", "sqlite:DIR/ledger"}, spoil: writes("ledger", strings.Repeat("nonsense", 1000)), status: 1, want: "not a database"},
	{what: "a ledger of a later version", args: []string{doctor, "-ledger", "sqlite:DIR/ledger"}, spoil: laterLedger, status: 1, want: "use the program that wrote it, or a later one"},
	{what: "a database that is away", args: []string{doctor, "-ledger", "postgres://almanac@CLOSED/almanac"}, status: 1, want: "connection refused"},

	{what: "a key file for everybody", args: []string{plain}, spoil: keyFile(0o644, strings.Repeat("a7", 32)+"\n"), status: 1, want: "run chmod 600 on it"},
	{what: "a key that is none", args: []string{plain}, spoil: keyFile(0o600, "secret\n"), status: 1, want: "is not a key of 64 hexadecimal digits"},
	{what: "an empty key file", args: []string{plain}, spoil: keyFile(0o600, ""), status: 1, want: "restore it from a backup"},
	{what: "the same key twice", args: []string{plain}, spoil: keyFile(0o600, strings.Repeat(strings.Repeat("a7", 32)+"\n", 2)), status: 1, want: "repeats a key"},

	{what: "no curated files", args: []string{plain, "-fixtures", "DIR/nowhere"}, status: 1, want: "give the directory that holds library/ and protocols/"},
	{what: "a file for the curated files", args: []string{plain, "-fixtures", "DIR/cert"}, status: 1, want: "is not a directory"},
	{what: "a catalogue without a name", args: []string{plain, "-fixtures", "DIR/fixtures"}, spoil: curated(func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "site.json")) }), status: 1, want: "site.json"},
	{what: "a mistyped member of site.json", args: []string{plain, "-fixtures", "DIR/fixtures"}, spoil: curated(func(t *testing.T, dir string) {
		servertest.Edit(t, dir, "site.json", `"headline"`, `"heading": "x", "headline"`)
	}), status: 1, want: "site.json"},
	{what: "a record with a mistyped member", args: []string{plain, "-fixtures", "DIR/fixtures"}, spoil: curated(func(t *testing.T, dir string) {
		servertest.Edit(t, dir, "library/payments/caip-2-blockchain-id.json", `"publisher"`, `"press": "x", "publisher"`)
	}), status: 1, want: "library/payments/caip-2-blockchain-id.json"},

	{what: "an export to nowhere", args: []string{"export"}, status: 2, want: "-o is missing"},
	{what: "an export for an unknown host", args: []string{"export", "-o", "DIR/out", "-host", "iis"}, status: 2, want: "-host"},
	{what: "an export in an unknown coding", args: []string{"export", "-o", "DIR/out", "-compress", "lzw"}, status: 1, want: "lzw"},
	{what: "a backup over another", args: []string{"backup", "-state", "DIR", "DIR"}, status: 1, want: "give a folder that does not"},
	{what: "a restore from a directory that is not a backup", args: []string{"restore", "-state", "DIR/new", "DIR"}, status: 1, want: "is not a backup"},
	{what: "the health of a service that is away", args: []string{"health", "-admin", "CLOSED"}, status: 1, want: "is it running"},
}

// TestSecretInPlaceOfFile: no command shows a secret that was given where the path of a file with it belongs.
func TestSecretInPlaceOfFile(t *testing.T) {
	cert := filepath.Join(t.TempDir(), "cert")
	servertest.WriteCertificate(t, cert, filepath.Join(t.TempDir(), "key"))
	for _, flags := range [][]string{
		{"-payments", "lnd", "-lnd-cert", cert, "-lnd-macaroon"}, {"-payments", "cln", "-cln-cert", cert, "-cln-rune"},
		{"-payments", "phoenixd", "-phoenixd-password"}, {"-payments", "nwc", "-nwc-connection"},
		{"-payments", "off", "-tls-cert", cert, "-tls-key"},
	} {
		for _, secret := range []string{"s3cret", strings.Repeat("s3cret", 60), "nostr+walletconnect://s3cret", "-----BEGIN PRIVATE KEY-----\ns3cret"} {
			for _, command := range []string{plain, doctor} {
				var out bytes.Buffer
				args := append([]string{command, "-http", "localhost:0", "-grpc", "off", "-admin", "off", "-fixtures", fewFixtures, "-state", t.TempDir()}, flags...)
				if status := run(t.Context(), append(args, secret), &out, &out); status != 1 || !strings.Contains(out.String(), "path of a file") ||
					strings.Contains(out.String(), "s3cret") {
					t.Errorf("%s %s: status %d\n%.1000s", command, flags, status, out.String())
				}
			}
		}
	}
}

// TestBadConfigurations: each is refused with one line that says what is wrong, and the right exit status.
func TestBadConfigurations(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	if len(badConfigs) < 48 {
		t.Errorf("%d configurations, want 48 at least", len(badConfigs))
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range badConfigs {
		t.Run(tt.what, func(t *testing.T) { tt.try(t, taken.Addr().String()) })
	}
	t.Logf("%d bad configurations", len(badConfigs))
}

func (b badConfig) try(t *testing.T, taken string) {
	dir := t.TempDir()
	servertest.WriteCertificate(t, filepath.Join(dir, "cert"), filepath.Join(dir, "key"))
	macaroon, err := hex.DecodeString(anyMacaroon)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "macaroon"), macaroon, 0o600); err != nil {
		t.Fatal(err)
	}
	if b.spoil != nil {
		b.spoil(t, dir)
	}
	for name, value := range b.env {
		t.Setenv(name, value)
	}
	args := strings.Fields(b.args[0])
	if args[0] == plain || args[0] == doctor {
		args = append(args, "-http", "localhost:0", "-grpc", "localhost:0", "-admin", "localhost:0", "-state", filepath.Join(dir, "state"))
		if args[0] == doctor {
			args = append(args, "-fixtures", fewFixtures)
		}
	}
	words := strings.NewReplacer("DIR", dir, "TAKEN", taken, "CLOSED", "127.0.0.1:1")
	for _, arg := range b.args[1:] {
		args = append(args, words.Replace(arg))
	}
	ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience) // of a service that serves after all
	defer cancel()
	var out, errs bytes.Buffer
	if status := run(ctx, args, &out, &errs); status != b.status {
		t.Errorf("status %d, want %d", status, b.status)
	}
	said := saidWrong(args, out.String(), errs.String())
	if len(said) != 1 || !strings.Contains(said[0], b.want) {
		t.Errorf("%d lines, want one with %q:\n%s", len(said), b.want, strings.Join(said, "\n"))
	}
}

// saidWrong returns the lines that say what is wrong: of doctor those that fail, of a command line what follows the
// usage, of faults in the data those that name a file.
func saidWrong(args []string, out, errs string) (said []string) {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "FAIL") {
			said = append(said, strings.TrimSpace(line))
		}
	}
	if len(said) > 0 {
		return said
	}
	for line := range strings.Lines(errs) {
		if strings.HasPrefix(line, "almanac: ") || !strings.HasPrefix(line, " ") && strings.Contains(line, ".json: ") {
			said = append(said, strings.TrimSpace(line))
		}
	}
	if len(said) == 2 && strings.HasSuffix(said[0], "in the curated files") {
		return said[1:] // the first line counts the faults
	}
	return said
}

func lndWith(flags ...string) []string {
	return append([]string{plain, "-payments", "lnd", "-lnd-cert", "DIR/cert", "-lnd-macaroon", "DIR/macaroon", "-lnd-network", "regtest"}, flags...)
}

func writes(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func otherKey(t *testing.T, dir string) {
	t.Helper()
	servertest.WriteCertificate(t, filepath.Join(dir, "other"), filepath.Join(dir, "key"))
}

func keyFile(mode os.FileMode, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		name := filepath.Join(dir, "state", "keys")
		if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

func laterLedger(t *testing.T, dir string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "ledger"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE t (x); PRAGMA user_version = 1000000"); err != nil {
		t.Fatal(err)
	}
}

// curated copies the curated files below dir and changes them there.
func curated(change func(t *testing.T, dir string)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Symlink(copyFew(t), filepath.Join(dir, "fixtures")); err != nil {
			t.Fatal(err)
		}
		change(t, filepath.Join(dir, "fixtures"))
	}
}
