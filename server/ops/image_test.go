package ops

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// An image is what .ci/image.sh built of the Dockerfile.
type image struct {
	root   string
	config struct {
		User            string
		Env             []string
		Cmd, Entrypoint []string
		Labels          map[string]string
		Volumes         map[string]any
		ExposedPorts    map[string]any
		Healthcheck     struct {
			Test                           []string
			Interval, Timeout, StartPeriod time.Duration
		}
	}
}

// imageUser is the one of the image: nobody's number on the host.
const imageUser = 65532

func builtImage(t *testing.T) *image {
	t.Helper()
	dir := os.Getenv("ALMANAC_TEST_IMAGE")
	if dir == "" {
		t.Skip("no image to test: as root, .ci/image.sh DIR VERSION builds it, and ALMANAC_TEST_IMAGE=DIR names it")
	}
	data, err := os.ReadFile(filepath.Join(dir, "inspect.json"))
	if err != nil {
		t.Fatal(err)
	}
	i := &image{root: filepath.Join(dir, "root")}
	inspected := struct{ Docker struct{ Config any } }{}
	inspected.Docker.Config = &i.config
	if err := json.Unmarshal(data, &inspected); err != nil {
		t.Fatal(err)
	}
	return i
}

// environment returns the image's variables, and what a file that runs it sets.
func (i *image) environment(more map[string]string) map[string]string {
	env := make(map[string]string)
	for _, variable := range i.config.Env {
		key, value, _ := strings.Cut(variable, "=")
		env[key] = value
	}
	for key, value := range more {
		env[key] = value
	}
	return env
}

// command returns what runs for arguments, or for those of the image.
func (i *image) command(args []string) []string {
	if len(args) == 0 {
		args = i.config.Cmd
	}
	return slices.Concat(i.config.Entrypoint, args)
}

// waitHealthy runs the image's HEALTHCHECK until it passes, as an engine does while the container starts.
func (i *image) waitHealthy(c *container) {
	c.t.Helper()
	check := i.config.Healthcheck
	if len(check.Test) < 2 || check.Test[0] != "CMD" {
		c.t.Fatalf("the image's HEALTHCHECK is %q, want CMD and a command", check.Test)
	}
	said := ""
	c.eventually("the HEALTHCHECK passes", time.Second, 60, func() bool {
		out, err := c.inside(true, imageUser, check.Test[1:]...)
		said = out
		return err == nil
	})
	if !strings.Contains(said, `"ready":true`) {
		c.t.Errorf("almanac health in the container says %s", said)
	}
}

// TestImageLabels: the image says what it is, and its binary says the same.
func TestImageLabels(t *testing.T) {
	i := builtImage(t)
	for name, pattern := range map[string]string{
		"title": `^almanac$`, "description": `.{20}`, "licenses": `^MIT$`, "version": `^v\d+\.\d+\.\d+`, "revision": `^[0-9a-f]{40}$`,
		"created": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`, "source": `^(https://|git@)`,
	} {
		if got := i.config.Labels["org.opencontainers.image."+name]; !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("label %s is %q, want %s", name, got, pattern)
		}
	}
	out, err := exec.Command(filepath.Join(i.root, "almanac"), "version").CombinedOutput()
	if want := "almanac " + i.config.Labels["org.opencontainers.image.version"] + " "; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("the binary says %q (%v), want %q first", out, err, want)
	}
	var files []string
	err = filepath.WalkDir(i.root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, strings.TrimPrefix(path, i.root))
		}
		return err
	})
	if want := []string{"/almanac", "/etc/ssl/certs/ca-certificates.crt", "/licenses/LICENSE", "/licenses/notices.txt"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("the image has %q (%v), want %q", files, err, want)
	}
}

// TestImageRuns: as it is, the image runs with a read-only root and without any privilege, is healthy, serves pages,
// and ends when told to.
func TestImageRuns(t *testing.T) {
	i := builtImage(t)
	state := t.TempDir()
	if err := os.Chown(state, imageUser, imageUser); err != nil {
		t.Fatal(err)
	}
	if i.config.User != "65532:65532" || len(i.config.Volumes) != 1 || i.config.Volumes["/state"] == nil {
		t.Fatalf("the image runs as %q with the volumes %v", i.config.User, i.config.Volumes)
	}
	c := startContainer(t, i.root, imageUser, i.environment(nil), []volume{{host: state, path: "/state"}}, i.command(nil)...)
	i.waitHealthy(c)
	for path, want := range map[string]string{"/": "<title>", "/support.json": `"methods"`, "/library/": "<h1", "/llms.txt": "# "} {
		if status, body := c.get(10, "http://localhost:8402"+path); status != "200" || !strings.Contains(body, want) {
			t.Errorf("%s: status %s without %q", path, status, want)
		}
	}
	for _, want := range []string{"\nUid:\t65532\t65532\t65532\t65532\n", "\nGid:\t65532\t65532\t65532\t65532\n", "\nCapEff:\t0000000000000000\n", "\nCapPrm:\t0000000000000000\n"} {
		if status := c.process("status"); !strings.Contains(status, want) {
			t.Errorf("the process has not %q:\n%s", want, status)
		}
	}
	if !regexp.MustCompile(`(?m) / ro[, ]`).MatchString(c.process("mountinfo")) {
		t.Errorf("the root is not mounted read-only:\n%s", c.process("mountinfo"))
	}
	if status := c.stop(); status != 0 {
		t.Errorf("after SIGTERM the exit status is %d", status)
	}
}

// deployed returns the containers that the compose file runs from the image.
func deployed(t *testing.T) (list []deployedContainer) {
	t.Helper()
	cmd := exec.Command("go", "run", ".", "-containers", "../../../../deploy/compose/compose.yaml")
	cmd.Dir = "testdata/check"
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

type deployedContainer struct {
	File, Name   string
	Args         []string
	Env          map[string]string
	ReadOnlyRoot bool `json:"read_only_root"`
	Mounts       []struct {
		Path, Source string
		ReadOnly     bool `json:"read_only"`
	}
}

// TestImageDeployed runs what the compose file runs: the same variables, arguments and mounts, on the built image.
// PostgreSQL and lnd are not there, so that it is also shown that the free surfaces need neither, from the start.
func TestImageDeployed(t *testing.T) {
	i := builtImage(t)
	list := deployed(t)
	if len(list) != 1 {
		t.Fatalf("%d containers serve, want that of compose", len(list))
	}
	d := list[0]
	if !d.ReadOnlyRoot {
		t.Error("the root is not read-only")
	}
	secrets := writeSecrets(t)
	var volumes []volume
	for _, m := range d.Mounts {
		v := volume{path: m.Path, readOnly: m.ReadOnly}
		switch m.Source {
		case "secret":
			v.host = secrets
			if name, ok := map[string]string{"lnd-cert": "lnd.cert", "lnd-macaroon": "lnd.macaroon", "pgpass": "pgpass"}[filepath.Base(m.Path)]; ok {
				v.host = filepath.Join(secrets, name)
			}
		case "volume":
			v.host = t.TempDir()
			os.Chown(v.host, imageUser, imageUser)
			if m.ReadOnly { // the data
				if err := os.CopyFS(filepath.Join(v.host, strings.TrimPrefix(d.Env["ALMANAC_FIXTURES"], m.Path)), os.DirFS("../../httpmirror/testdata/small")); err != nil {
					t.Fatal(err)
				}
			}
		}
		volumes = append(volumes, v)
	}
	c := startContainer(t, i.root, imageUser, i.environment(d.Env), volumes, i.command(d.Args)...)
	i.waitHealthy(c)
	if _, body := c.get(10, "http://localhost:8404/readyz"); !strings.Contains(body, `"selling":false`) {
		t.Errorf("without database and node, /readyz says %s", body)
	}
	if status, body := c.get(10, "http://localhost:8402/"); status != "200" || !strings.Contains(body, "https://example.org/") {
		t.Errorf("the home page: status %s, and not of https://example.org", status)
	}
	if status := c.stop(); status != 0 {
		t.Errorf("after SIGTERM the exit status is %d", status)
	}
	if !strings.Contains(c.out.String(), `"entries":4,`) {
		t.Errorf("it does not serve the data that are mounted: %s", c.out.String())
	}
}

// writeSecrets writes the files that deploy/README.md asks for, readable by the container's user alone.
func writeSecrets(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"lnd"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret := make([]byte, 32)
	rand.Read(secret)
	macaroon, err := hex.DecodeString("0201036c6e64020169000006203022b39f0612f3fd7f8dd702040aec5342549ff75b2eaa800ba3ba46fa8de6d1")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"keys": []byte(hex.EncodeToString(secret) + "\n"), "pgpass": []byte("postgres:5432:almanac:almanac:secret\n"),
		"lnd.cert": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), "lnd.macaroon": macaroon,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Join(dir, name), imageUser, imageUser); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir, imageUser, imageUser); err != nil {
		t.Fatal(err)
	}
	return dir
}
