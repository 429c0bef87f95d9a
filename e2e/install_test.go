package e2e

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// installs puts an artefact of a release for an architecture into a bare root and returns the program in it.
var installs = map[string]func(t *testing.T, root, arch string) (program string){
	"archive": func(t *testing.T, root, arch string) string {
		extract(t, root, "tar", "xzf", released(t, "almanac_*_linux_"+arch+".tar.gz"), "--strip-components=1", "-C", root)
		return "/almanac"
	},
	"Debian package": func(t *testing.T, root, arch string) string {
		for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "bin"} {
			must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		}
		for _, file := range []string{"status", "available"} {
			must(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg", file), nil, 0o644))
		}
		extract(t, root, "cp", parttest.Everyday(t, "busybox"), filepath.Join(root, "bin/sh"))
		extract(t, root, "dpkg", "--root="+root, "--force-architecture", "--install", released(t, "almanac_*_"+arch+".deb"))
		unit, err := os.ReadFile(filepath.Join(root, "lib/systemd/system/almanac.service"))
		if err != nil || !strings.Contains(string(unit), "ExecStart=/usr/bin/almanac serve\n") {
			t.Errorf("the unit (%v): %s", err, unit)
		}
		return "/usr/bin/almanac"
	},
	"image": unpackImage,
}

func extract(t *testing.T, root, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// unpackImage follows the digests of the OCI layout of a release down to the layer of an architecture, checking each,
// and unpacks it.
func unpackImage(t *testing.T, root, arch string) string {
	t.Helper()
	f, err := os.Open(released(t, "almanac_*_oci.tar"))
	must(t, err)
	defer f.Close()
	files := map[string][]byte{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		files[h.Name], err = io.ReadAll(r)
		must(t, err)
	}
	type descriptor struct {
		Digest   string
		Platform struct{ Architecture, OS string }
	}
	type document struct {
		Manifests, Layers []descriptor
		Config            struct {
			Digest          string
			User            string
			Entrypoint, Cmd []string
			Env             []string
			Labels          map[string]string
		}
	}
	read := func(name string) (d document) {
		must(t, json.Unmarshal(files[name], &d))
		return d
	}
	blob := func(digest string) string {
		name := strings.TrimPrefix(digest, "sha256:")
		if sum := sha256.Sum256(files["blobs/sha256/"+name]); hex.EncodeToString(sum[:]) != name {
			t.Fatalf("blob %s has another digest", digest)
		}
		return "blobs/sha256/" + name
	}
	index := read(blob(read("index.json").Manifests[0].Digest))
	at := slices.IndexFunc(index.Manifests, func(d descriptor) bool { return d.Platform.OS == "linux" && d.Platform.Architecture == arch })
	if at < 0 {
		t.Fatalf("the image has no %s: %+v", arch, index)
	}
	manifest := read(blob(index.Manifests[at].Digest))
	config := read(blob(manifest.Config.Digest)).Config
	if config.User != "65532:65532" || !slices.Equal(config.Entrypoint, []string{"/almanac"}) || !slices.Equal(config.Cmd, []string{"serve"}) {
		t.Errorf("the image's configuration is %+v", config)
	}
	dockerfile, err := os.ReadFile("../Dockerfile")
	must(t, err)
	for _, set := range config.Env[1:] { // after PATH
		if !strings.Contains(string(dockerfile), set) {
			t.Errorf("the image sets %s, and the Dockerfile does not", set)
		}
	}
	cmd := exec.Command("tar", "xz", "-C", root)
	cmd.Stdin = bytes.NewReader(files[blob(manifest.Layers[0].Digest)])
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("unpack the layer: %v: %s", err, out)
	}
	return "/almanac"
}

// TestReleasedInstallations: on a bare root, in which there is nothing else, the program of each artefact of a release
// says the release's version, finds no fault, and serves: that for arm64 in an emulator, in which it takes 20 times as
// long, so that it serves once.
func TestReleasedInstallations(t *testing.T) {
	archive := filepath.Base(released(t, "almanac_*_linux_amd64.tar.gz"))
	version := "almanac v" + strings.TrimSuffix(strings.TrimPrefix(archive, "almanac_"), "_linux_amd64.tar.gz") + " "
	if os.Getuid() != 0 {
		parttest.Missing(t, "changing the root needs root")
	}
	emulator := parttest.Everyday(t, "qemu-aarch64-static")
	for name, install := range installs {
		for _, arch := range []string{"amd64", "arm64"} {
			t.Run(name+" for "+arch, func(t *testing.T) {
				root := t.TempDir()
				run := []string{install(t, root, arch)}
				for _, dir := range []string{"tmp", "dev"} {
					must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
				}
				if arch == "arm64" {
					extract(t, root, "cp", emulator, filepath.Join(root, "emulator"))
					run = append([]string{"/emulator"}, run...)
				}
				bare := func(args ...string) *exec.Cmd {
					args = append(slices.Clip(run), args...)
					return &exec.Cmd{Path: args[0], Args: args, Dir: "/", Env: []string{"TMPDIR=/tmp"}, SysProcAttr: &syscall.SysProcAttr{Chroot: root}}
				}
				out, err := bare("version").CombinedOutput()
				if err != nil || !strings.HasPrefix(string(out), version) || !strings.HasSuffix(string(out), " linux/"+arch+"\n") {
					t.Errorf("version: %v: %s, want %s", err, out, version)
				}
				if arch == "amd64" || name == "image" {
					checkService(t, bare)
				}
			})
		}
	}
}

// varying matches the parts of a transcript that differ from day to day and machine to machine: times, counts of data,
// and memory.
var varying = regexp.MustCompile(`time=\S+|\d+ entries|entries=\d+|(memory|heap)="[^"]*"|go1\.\d+\.\d+`)

// TestReleasedTranscript: what the owner of an arm64 node types, as deploy/README.md has it, line by line, and what the
// terminal shows, from the verification to the running service. On another machine the program runs in an emulator.
func TestReleasedTranscript(t *testing.T) {
	if os.Getuid() != 0 {
		parttest.Missing(t, "a network of its own needs root")
	}
	dir := t.TempDir()
	for _, pattern := range []string{"SHA256SUMS", "SHA256SUMS.sig", "allowed_signers", "almanac_*_linux_arm64.tar.gz"} {
		copyFile(t, released(t, pattern), filepath.Join(dir, filepath.Base(released(t, pattern))))
	}
	root, err := filepath.Abs("..")
	must(t, err)
	must(t, os.Symlink(filepath.Join(root, "deploy"), filepath.Join(dir, "deploy")))
	doc, err := os.ReadFile("../deploy/README.md")
	must(t, err)
	_, rest, _ := strings.Cut(string(doc), "### On an arm64 node")
	_, rest, _ = strings.Cut(rest, "```console\n$ ")
	block, _, _ := strings.Cut(rest, "```\n")
	steps := strings.Split(block, "\n$ ")
	if len(steps) != 5 {
		t.Fatalf("%d commands: %q", len(steps), steps)
	}
	emulator := parttest.Everyday(t, "qemu-aarch64-static")
	for i, step := range steps {
		line, want, _ := strings.Cut(strings.TrimSuffix(step, "\n"), "\n")
		cmd := exec.Command("sh", "-c", "exec "+line)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET} // in which its ports are free
		var got string
		if i < len(steps)-1 {
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			got = strings.TrimSuffix(string(out), "\n")
		} else {
			stderr, err := cmd.StderrPipe()
			must(t, err)
			must(t, cmd.Start())
			t.Cleanup(func() { cmd.Process.Kill() })
			log := bufio.NewReader(stderr)
			got, err = log.ReadString('\n')
			must(t, err)
			got = strings.TrimSuffix(got, "\n")
			must(t, cmd.Process.Signal(syscall.SIGTERM))
			io.Copy(io.Discard, log)
			must(t, cmd.Wait())
		}
		if got, want := varying.ReplaceAllString(got, "…"), varying.ReplaceAllString(want, "…"); got != want {
			t.Errorf("$ %s\n%s\nis documented as\n%s", line, got, want)
		}
		if strings.HasPrefix(line, "tar ") && runtime.GOARCH != "arm64" {
			program := filepath.Join(dir, strings.Fields(steps[i+1])[0])
			must(t, os.Rename(program, program+".arm64"))
			must(t, os.WriteFile(program, []byte("#!/bin/sh\nexec "+emulator+" "+program+".arm64 \"$@\"\n"), 0o755))
		}
	}
}

// checkService checks that a program finds no fault, serves, and ends when it is asked to.
func checkService(t *testing.T, program func(args ...string) *exec.Cmd) {
	t.Helper()
	flags := []string{"-http", "127.0.0.1:0", "-grpc", "off", "-admin", "127.0.0.1:0", "-state", "/tmp/state", "-log", "json"}
	if out, err := program(append([]string{"doctor"}, flags...)...).CombinedOutput(); err != nil {
		t.Errorf("doctor: %v:\n%s", err, out)
	}
	p := startProcess(t, program(append([]string{"serve"}, flags...)...), 5*servertest.Patience)
	res, body := servertest.Ask(t, "GET", p.base+"/notices.txt", "")
	if res.StatusCode != 200 || !strings.Contains(string(body), "SCOWL") {
		t.Errorf("GET /notices.txt: %s", res.Status)
	}
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	select {
	case err := <-ended:
		must(t, err)
	case <-time.After(5 * servertest.Patience):
		t.Error("SIGTERM does not end it")
	}
}
