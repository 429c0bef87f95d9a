package e2e

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// serves is the status of a program that serves, and says its word in its log.
const serves = -1

// A verdict is the exit status of a command, and a word of its output.
type verdict struct {
	status int
	word   string
}

// A situation is an installation in which something is wrong. DIR in flags is a folder of its own, with a state
// directory whose ledger has sold credits, and TAKEN a port in use.
type situation struct {
	name                 string
	flags                []string
	env                  string
	own                  bool                           // it is made with this program, so that no other is compared
	before, while        func(t *testing.T, dir string) // spoil it; while: when it serves
	serve, check, doctor verdict                        // check: of doctor before the start, unless it is spoilt later
	readyz               string                         // words of the answer, divided by |; empty: it does not serve
}

var situations = []situation{
	{name: "nothing is wrong", flags: []string{"-fixtures", ""}, serve: verdict{serves, ""}, check: verdict{0, "all of it can be read"}, doctor: verdict{0, ""}, readyz: `"ready":true|"selling":true`},

	{name: "the keys are another installation's", before: replace("state/keys", strings.Repeat("a7", 32)+"\n"),
		serve: verdict{1, "belongs to other master keys"}, check: verdict{1, "nothing that was sold is accepted"}, doctor: verdict{1, "nothing that was sold is accepted"}},
	{name: "the keys are lost", before: remove("state/keys"), // and none are made: the doctor, who comes after, misses them too
		serve: verdict{1, "keys is gone"}, check: verdict{1, "keys is gone"}, doctor: verdict{1, "keys is gone"}},
	{name: "the key file is for everybody", before: func(t *testing.T, dir string) { must(t, os.Chmod(filepath.Join(dir, "state/keys"), 0o644)) },
		serve: verdict{1, "run chmod 600"}, check: verdict{1, "run chmod 600"}, doctor: verdict{1, "run chmod 600"}},
	{name: "the key file is cut", before: replace("state/keys", "a7a7\n"),
		serve: verdict{1, "64 hexadecimal digits"}, check: verdict{1, "64 hexadecimal digits"}, doctor: verdict{1, "64 hexadecimal digits"}},
	{name: "a digit of the keys is flipped", before: mistypeKey,
		serve: verdict{1, "belongs to other master keys"}, check: verdict{1, "nothing that was sold is accepted"}, doctor: verdict{1, "nothing that was sold is accepted"}},
	{name: "the ledger is damaged", before: damage,
		serve: verdict{serves, "damaged"}, check: verdict{1, "damaged"}, doctor: verdict{1, "damaged"}, readyz: `"ready":true|"selling":false|damaged`},
	{name: "a byte of the ledger is flipped", before: flip("state/ledger.db", 4096),
		serve: verdict{serves, "damaged"}, check: verdict{1, "damaged"}, doctor: verdict{1, "damaged"}, readyz: `"ready":true|"selling":false|damaged`},
	{name: "the ledger is no database", before: replace("state/ledger.db", strings.Repeat("nonsense", 1000)),
		serve: verdict{serves, "not a database"}, check: verdict{1, "not a database"}, doctor: verdict{1, "not a database"}, readyz: `"ready":true|"selling":false|not a database`},
	{name: "the ledger is of a later version", before: pragma("user_version = 1000000"),
		serve: verdict{serves, "or a later one"}, check: verdict{1, "or a later one"}, doctor: verdict{1, "or a later one"}, readyz: `"ready":true|"selling":false|or a later one`},
	{name: "the ledger is in no folder", flags: []string{"-ledger", "sqlite:DIR/nowhere/ledger.db"},
		serve: verdict{serves, "no such file"}, check: verdict{1, "create the directory"}, doctor: verdict{1, "create the directory"}, readyz: `"ready":true|"selling":false|no such file`},
	{name: "the ledger is lost, and its keys are not", own: true, before: remove("state/ledger.db"),
		serve: verdict{serves, "A NEW LEDGER IS MADE"}, check: verdict{0, "can be spent again"}, doctor: verdict{0, "all of it can be read"}, readyz: `"ready":true|"selling":true`},
	{name: "the ledger's database is away", flags: []string{"-ledger", "postgres://almanac@127.0.0.1:1/almanac"},
		serve: verdict{serves, "connection refused"}, check: verdict{1, "connection refused"}, doctor: verdict{1, "connection refused"}, readyz: `"ready":true|"selling":false|connection refused`},
	{name: "the state directory was removed", before: remove("state"),
		serve: verdict{serves, "new master keys were made"}, check: verdict{0, "WITH NEW KEYS"}, doctor: verdict{0, "all of it can be read"}, readyz: `"ready":true|"selling":true`},
	{name: "the state directory is removed while it serves", while: remove("state"),
		serve: verdict{serves, "was removed from"}, doctor: verdict{1, "was removed from"}, readyz: `"ready":true|"selling":false|was removed from`},
	{name: "the ledger is replaced while it serves", while: func(t *testing.T, dir string) {
		remove("state/ledger.db")(t, dir)
		replace("state/ledger.db", "")(t, dir)
	}, serve: verdict{serves, "another file is there"}, doctor: verdict{1, "another file is there"}, readyz: `"ready":true|"selling":false|another file is there`},
	{name: "the ledger's log is removed while it serves", while: remove("state/ledger.db-wal"),
		serve: verdict{serves, "was removed from"}, doctor: verdict{1, "was removed from"}, readyz: `"ready":true|"selling":false|was removed from`},
	{name: "a backup is copied over the ledger while it serves", while: func(t *testing.T, dir string) {
		file, err := os.OpenFile(filepath.Join(dir, "state/ledger.db"), os.O_RDWR, 0) // not emptied first, which a probe might see
		must(t, err)
		backup, err := io.ReadAll(file)
		must(t, err)
		_, err = file.WriteAt(backup, 0)
		must(t, errors.Join(err, file.Close()))
	}, serve: verdict{serves, "another program wrote"}, doctor: verdict{1, "another program wrote"}, readyz: `"ready":true|"selling":false|another program wrote`},
	{name: "the ledger is damaged, and the keys are another installation's", before: func(t *testing.T, dir string) {
		flip("state/ledger.db", 4096)(t, dir)
		replace("state/keys", strings.Repeat("a7", 32)+"\n")(t, dir)
	}, serve: verdict{serves, "damaged"}, check: verdict{1, "damaged"}, doctor: verdict{1, "damaged"}, readyz: `"ready":true|"selling":false|damaged`},
	{name: "the disk of the state is full", before: fullDisk,
		serve: verdict{serves, "full"}, check: verdict{1, "MiB are free"}, doctor: verdict{1, "MiB are free"}, readyz: `"ready":true|"selling":false|full`},
	{name: "the state cannot be a directory", flags: []string{"-state", "DIR/state/keys"},
		serve: verdict{1, "not a directory"}, check: verdict{1, "not a directory"}, doctor: verdict{1, "not a directory"}},

	{name: "the node is away", flags: nodeAt("https://127.0.0.1:1"), before: nodeFiles,
		serve: verdict{serves, "connection refused"}, check: verdict{1, "connection refused"}, doctor: verdict{1, "connection refused"}, readyz: `"ready":true|"selling":false|connection refused`},
	{name: "the node's macaroon is missing", flags: nodeAt("https://127.0.0.1:1"), before: func(t *testing.T, dir string) { nodeFiles(t, dir); remove("macaroon")(t, dir) },
		serve: verdict{1, "read the node's macaroon"}, check: verdict{1, "read the node's macaroon"}, doctor: verdict{1, "read the node's macaroon"}},
	{name: "the demo sells to everybody", flags: []string{"-http", ":0", "-base-url", "https://almanac.invalid"},
		serve: verdict{1, "-demo-anywhere"}, check: verdict{1, "no real payments"}, doctor: verdict{1, "no real payments"}},

	{name: "other machines reach the admin listener", flags: []string{"-admin", ":0"},
		serve: verdict{serves, "can reach the admin listener"}, check: verdict{0, "can reach the admin listener"}, doctor: verdict{0, "can reach the admin listener"}, readyz: `"ready":true|"selling":true`},
	{name: "the proxy is not trusted", flags: []string{"-base-url", "https://almanac.invalid", "-payments", "off"},
		serve: verdict{serves, "no limit holds"}, check: verdict{1, "no limit holds"}, doctor: verdict{1, "no limit holds"}, readyz: `"ready":true`},
	{name: "the public address leads nowhere", flags: []string{"-http", ":0", "-payments", "off"},
		serve: verdict{serves, "leads them nowhere"}, check: verdict{1, "leads them nowhere"}, doctor: verdict{1, "leads them nowhere"}, readyz: `"ready":true`},
	{name: "the public name has no address", flags: []string{"-http", ":0", "-payments", "off", "-base-url", "https://almanac.invalid"},
		serve: verdict{serves, ""}, check: verdict{0, ""}, doctor: verdict{1, "DNS"}, readyz: `"ready":true`},
	{name: "the port is taken", flags: []string{"-http", "TAKEN"},
		serve: verdict{1, "address already in use"}, check: verdict{0, "is in use now"}, doctor: verdict{0, "is in use now"}},
	{name: "the certificate has expired", flags: ownTLS("https://localhost"), before: certificate("localhost", -time.Hour),
		serve: verdict{serves, "renew it"}, check: verdict{1, "renew it"}, doctor: verdict{1, "renew it"}, readyz: `"ready":true`},
	{name: "the certificate is another name's", flags: ownTLS("https://almanac.invalid"), before: certificate("localhost", time.Hour),
		serve: verdict{serves, "obtain one for this name"}, check: verdict{1, "obtain one for this name"}, doctor: verdict{1, "obtain one for this name"}, readyz: `"ready":true`},
	{name: "the certificate's key is missing", flags: ownTLS("https://localhost"), before: func(t *testing.T, dir string) { certificate("localhost", time.Hour)(t, dir); remove("key")(t, dir) },
		serve: verdict{1, "no such file"}, check: verdict{1, "no such file"}, doctor: verdict{1, "no such file"}},

	{name: "the data are not there", flags: []string{"-fixtures", "DIR/nowhere"},
		serve: verdict{1, "give the directory"}, check: verdict{1, "give the directory"}, doctor: verdict{1, "give the directory"}},
	{name: "a record has a mistyped member", flags: []string{"-fixtures", "DIR/fixtures"}, before: mistype,
		serve: verdict{1, "lnd.json"}, check: verdict{1, "lnd.json"}, doctor: verdict{1, "lnd.json"}},
	{name: "a variable is mistyped", env: "ALMANAC_BASEURL=https://example.org",
		serve: verdict{2, "did you mean ALMANAC_BASE_URL"}, check: verdict{2, "did you mean ALMANAC_BASE_URL"}, doctor: verdict{2, "did you mean ALMANAC_BASE_URL"}},
}

// TestSituations: in each situation serve, doctor before and after the start, and /readyz say what is wrong, and end as
// they should: nothing is sold that could not be honoured, and the free surfaces serve whenever they can. With -beside it
// logs the verdicts of another program too.
func TestSituations(t *testing.T) {
	parttest.Want(t)
	if len(situations) < 25 {
		t.Errorf("%d situations", len(situations))
	}
	taken, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	t.Cleanup(func() { taken.Close() })
	good, beside := stateWithSales(t, program), ""
	if *besideProgram != "" {
		beside = stateWithSales(t, *besideProgram)
	}
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			faults, _, said := s.judge(t, program, "../httpmirror/testdata/small", good, taken.Addr().String())
			for _, fault := range faults {
				t.Error(fault)
			}
			t.Log(said)
			if *besideProgram == "" || s.own {
				return
			}
			_, row, said := s.judge(t, *besideProgram, "", beside, taken.Addr().String())
			t.Logf("the other program: | %s |\n%s", row, said)
		})
	}
}

// stateWithSales returns a folder with the state directory of a program that has sold credits.
func stateWithSales(t *testing.T, program string) (dir string) {
	dir = t.TempDir()
	state := filepath.Join(dir, "state")
	p := runUntil(t, exec.Command(program, append([]string{"serve", "-log", "json", "-state", state}, quiet...)...))
	out, err := exec.Command(program, "token", "grant", "-credits", "5", "-state", state).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, p.said())
	}
	p.end()
	return dir
}

// quiet are the flags of a service on free ports.
var quiet = []string{"-http", "localhost:0", "-grpc", "off", "-admin", "localhost:0"}

// TestThreeAtOnce: three processes that begin on one state directory that is not there yet make one key file and one
// ledger. What one sold is accepted by all, exactly as often as it was sold.
func TestThreeAtOnce(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	const processes, each = 3, 100
	var started [processes]*process
	var wg sync.WaitGroup
	for i := range started {
		wg.Go(func() {
			started[i] = startProcess(t, command(t, append([]string{"serve", "-log", "json", "-access-log=false", "-challenge-rate", "100000", "-state", state, "-fixtures", "../httpmirror/testdata/small"}, quiet...)...), servertest.Patience)
		})
	}
	wg.Wait()
	var answers, refusals atomic.Int64
	for _, seller := range started {
		credential := seller.buy() // which costs no credit
		for _, p := range started {
			wg.Go(func() {
				for range each / 2 { // so that half as many again are asked for as were sold
					switch status, body := p.get("/v1/search?q=macaroon", "Authorization", credential); status {
					case http.StatusOK:
						answers.Add(1)
					case http.StatusPaymentRequired:
						refusals.Add(1)
					default:
						t.Errorf("status %d: %s", status, body)
					}
				}
			})
		}
	}
	wg.Wait()
	if answers.Load() != processes*each || refusals.Load() != processes*each/2 {
		t.Errorf("%d answers and %d refusals, want %d and %d", answers.Load(), refusals.Load(), processes*each, processes*each/2)
	}
	made := 0
	for _, p := range started {
		made += strings.Count(strings.ToLower(p.logged()), "new master keys were made")
	}
	if made != 1 {
		t.Errorf("%d processes say that they made the keys", made)
	}
}

// judge returns the verdicts of a program that are not those of a situation, all of them in few words, and what it
// said.
func (s *situation) judge(t *testing.T, program, fixtures, good, taken string) (faults []string, row, said string) {
	dir, err := os.MkdirTemp(filepath.Dir(good), "") // without the name of the situation, whose words are searched for
	must(t, err)
	must(t, os.CopyFS(dir, os.DirFS(good)))
	must(t, os.Chmod(filepath.Join(dir, "state/keys"), 0o600))
	run := func(command string, args ...string) *exec.Cmd {
		cmd := exec.Command(program, command, "-state", filepath.Join(dir, "state"))
		for _, flag := range slices.Concat(quiet, []string{"-fixtures", fixtures}, s.flags, args) {
			cmd.Args = append(cmd.Args, strings.NewReplacer("DIR", dir, "TAKEN", taken).Replace(flag))
		}
		if cmd.Env = os.Environ(); s.env != "" {
			cmd.Env = append(cmd.Env, s.env)
		}
		return cmd
	}
	verdicts := map[string]string{"doctor before": "-", "/readyz": "-"}
	judge := func(name string, want verdict, status int, text string) {
		if status != want.status || !strings.Contains(text, want.word) {
			faults = append(faults, fmt.Sprintf("%s: status %d, want %d with %q", name, status, want.status, want.word))
		}
		end := "serves"
		if status != serves {
			end = fmt.Sprint("exits ", status)
		}
		verdicts[name] = end
		said += fmt.Sprintf("--- %s %s:\n%s\n", name, end, text)
	}
	end := func(name string, want verdict, cmd *exec.Cmd) {
		out, err := cmd.CombinedOutput()
		if err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Fatal(err)
		}
		judge(name, want, cmd.ProcessState.ExitCode(), string(out))
		if n := strings.Count(string(out), "FAIL "); n > strings.Count(string(out), " → ") {
			faults = append(faults, fmt.Sprintf("%s: %d faults, and not for each what follows from it and what to do", name, n))
		}
	}
	if s.before != nil {
		s.before(t, dir)
	}
	if s.while == nil {
		end("doctor before", s.check, run("doctor")) // before anything could be mended or made
	}
	p := runUntil(t, run("serve", "-log", "json"))
	defer p.end()
	if p.admin == "" { // it ended
		judge("serve", s.serve, p.status, p.said())
		if p.status == 1 && !strings.Contains(p.said(), "almanac doctor with the same flags says what to do") {
			faults = append(faults, "serve: does not say what to do")
		}
		end("doctor", s.doctor, run("doctor", "-admin", "off"))
		return faults, inWords(verdicts), said
	}
	if s.while != nil {
		servertest.WaitUntil(t, "the start has checked the ledger", func() bool { return strings.Contains(p.said(), "pruned the ledger") })
		s.while(t, dir)
	}
	ready := func() (text string, done bool) {
		res, err := http.Get("http://" + p.admin + "/readyz")
		must(t, err)
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		must(t, err)
		text = string(b)
		for word := range strings.SplitSeq(s.readyz, "|") {
			if !strings.Contains(text, word) {
				return text, false
			}
		}
		return text, s.readyz != ""
	}
	text, done := "", false
	parttest.Within(parttest.Patience, func() bool {
		text, done = ready()
		return done && strings.Contains(p.said(), s.serve.word)
	})
	judge("serve", s.serve, serves, p.said())
	end("doctor", s.doctor, run("doctor", "-admin", p.admin))
	if !done {
		faults = append(faults, fmt.Sprintf("readyz, want %q", s.readyz))
	}
	switch verdicts["/readyz"] = "ready"; {
	case strings.Contains(text, `"ready":false`):
		verdicts["/readyz"] = "not ready"
	case strings.Contains(text, `"selling":true`):
		verdicts["/readyz"] = "ready, sells"
	case strings.Contains(text, `"selling":false`):
		verdicts["/readyz"] = "ready, does not sell"
	}
	return faults, inWords(verdicts), said + "--- readyz:\n" + text
}

// inWords returns verdicts in the order of the table.
func inWords(verdicts map[string]string) string {
	return strings.Join([]string{verdicts["serve"], verdicts["doctor before"], verdicts["doctor"], verdicts["/readyz"]}, "; ")
}

// A started program has said where its admin listener is, or has ended with a status.
type started struct {
	admin  string
	status int
	end    func() // stops it

	mu  sync.Mutex
	log strings.Builder
}

func (p *started) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// runUntil starts a program and waits until it serves or ends. It is stopped with the test.
func runUntil(t *testing.T, cmd *exec.Cmd) *started {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	p := &started{}
	serving, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			p.mu.Lock()
			p.log.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
			if _, rest, ok := bytes.Cut(lines.Bytes(), []byte(`"admin":"`)); ok {
				admin, _, _ := strings.Cut(string(rest), `"`)
				serving <- admin
			}
		}
	}()
	p.end = sync.OnceFunc(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(servertest.Patience):
			cmd.Process.Kill()
			<-ended
		}
		cmd.Wait()
	})
	t.Cleanup(p.end)
	select {
	case p.admin = <-serving:
	case <-ended:
		cmd.Wait()
		p.status = cmd.ProcessState.ExitCode()
	case <-time.After(servertest.Patience):
		t.Fatalf("neither serves nor ends: %s", p.said())
	}
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func replace(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)) }
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { must(t, os.RemoveAll(filepath.Join(dir, name))) }
}

// flip changes one bit of a byte.
func flip(name string, at int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		b[at] ^= 1
		replace(name, string(b))(t, dir)
	}
}

// mistypeKey changes one digit of the last key.
func mistypeKey(t *testing.T, dir string) {
	name := filepath.Join(dir, "state/keys")
	b, err := os.ReadFile(name)
	must(t, err)
	digit := len(b) - 10
	for _, other := range []byte("01") {
		if b[digit] != other {
			b[digit] = other
			break
		}
	}
	replace("state/keys", string(b))(t, dir)
}

// damage overwrites the second page of the ledger.
func damage(t *testing.T, dir string) {
	f, err := os.OpenFile(filepath.Join(dir, "state/ledger.db"), os.O_WRONLY, 0)
	must(t, err)
	junk := make([]byte, 8192)
	rand.Read(junk)
	_, err = f.WriteAt(junk, 4096)
	must(t, err)
	must(t, f.Close())
}

func pragma(text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		db, err := sql.Open("sqlite", filepath.Join(dir, "state/ledger.db"))
		must(t, err)
		_, err = db.Exec("PRAGMA " + text)
		must(t, err)
		must(t, db.Close())
	}
}

// fullDisk moves the state to a file system of its own and fills it.
func fullDisk(t *testing.T, dir string) {
	state := filepath.Join(dir, "state")
	must(t, os.Rename(state, state+".good"))
	must(t, os.Mkdir(state, 0o700))
	if err := syscall.Mount("almanac", state, "tmpfs", 0, "size=1m,mode=0700"); err != nil {
		parttest.Missing(t, "mounting needs root: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(state, syscall.MNT_DETACH)) })
	must(t, os.CopyFS(state, os.DirFS(state+".good")))
	must(t, os.Chmod(filepath.Join(state, "keys"), 0o600))
	f, err := os.Create(filepath.Join(state, "filling"))
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	must(t, f.Close())
}

func nodeAt(url string) []string {
	return []string{"-payments", "lnd", "-lnd-url", url, "-lnd-cert", "DIR/cert", "-lnd-macaroon", "DIR/macaroon", "-lnd-network", "regtest"}
}

func nodeFiles(t *testing.T, dir string) {
	certificate("localhost", time.Hour)(t, dir)
	replace("macaroon", "\x02\x01\x03lnd\x02\x01\x69\x00\x00\x06\x20"+strings.Repeat("x", 32))(t, dir)
}

func ownTLS(base string) []string {
	return []string{"-payments", "off", "-base-url", base, "-tls-cert", "DIR/cert", "-tls-key", "DIR/key"}
}

// certificate writes one for a host, valid for some time from now on.
func certificate(host string, valid time.Duration) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{host},
			NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(valid)}
		der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k)
		must(t, err)
		secret, err := x509.MarshalPKCS8PrivateKey(k)
		must(t, err)
		replace("cert", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))(t, dir)
		replace("key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))(t, dir)
	}
}

func mistype(t *testing.T, dir string) {
	must(t, os.Symlink(servertest.CopyFixtures(t), filepath.Join(dir, "fixtures")))
	servertest.Edit(t, filepath.Join(dir, "fixtures"), "library/bitcoin-lightning/lnd.json", `"publisher"`, `"press": "x", "publisher"`)
}
