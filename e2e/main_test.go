// Package e2e tests the program from outside, as its users and operators meet it: it builds almanac once and starts it
// as a process.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// program is the path of the program under test.
var program string

// builtProgram is the variable with the program, where the tests need not build it.
const builtProgram = "ALMANAC_TEST_PROGRAM"

// TestMain builds the program as it is shipped.
func TestMain(m *testing.M) {
	if copied := os.Getenv(bareOf); copied != "" {
		serveBare(copied)
		return
	}
	os.Exit(testProgram(m))
}

func testProgram(m *testing.M) int {
	if program = os.Getenv(builtProgram); program != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "almanac-e2e-")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "almanac")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "go.almanac.example/cmd/almanac")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		log.Printf("go build: %v", err)
		return 1
	}
	return m.Run()
}

// A process is a running almanac serve.
type process struct {
	t       testing.TB
	cmd     *exec.Cmd
	base    string // http://localhost:port
	grpc    string
	admin   string
	serving map[string]any // the line of the log that says where

	mu  sync.Mutex
	log strings.Builder
}

// command makes a command that runs almanac with args.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return exec.Command(program, args...)
}

// almanac runs the program to its end.
func almanac(t testing.TB, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := command(t, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// hurried are the flags of a service of which one block of addresses asks for more challenges than buyers would.
var hurried = []string{"-challenge-rate", "1000"}

// startServe starts almanac serve on free ports with a state of its own, and waits until it serves.
func startServe(t testing.TB, args ...string) *process {
	t.Helper()
	return startProcess(t, command(t, serveArgs(t, args...)...), servertest.Patience)
}

// serveArgs are the arguments of almanac serve on free ports with a state of its own. Where the real parts run, it has
// the whole data; else few, with which it starts in a tenth of the time, unless args have others.
func serveArgs(t testing.TB, args ...string) []string {
	serve := []string{"serve", "-log", "json", "-http", "localhost:0", "-grpc", "localhost:0", "-admin", "localhost:0", "-state", t.TempDir()}
	if !parttest.Wanted(t) {
		serve = append(serve, "-fixtures", "../httpmirror/testdata/small")
	}
	return append(serve, args...)
}

// startProcess starts a command that plays almanac serve, and waits until it serves.
func startProcess(t testing.TB, cmd *exec.Cmd, patience time.Duration) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		if t.Failed() {
			t.Logf("log of the process:\n%s", p.logged())
		}
	})
	serving := make(chan map[string]any, 1)
	go p.follow(stderr, serving)
	select {
	case at, ok := <-serving:
		if !ok {
			t.Fatalf("the program ended before it served:\n%s", p.logged())
		}
		p.serving = at
		p.base, p.grpc, p.admin = at["base"].(string), at["grpc"].(string), at["admin"].(string)
	case <-time.After(patience):
		t.Fatalf("the program does not serve after %s:\n%s", patience, p.logged())
	}
	return p
}

// follow keeps the log and tells the line that says where it serves.
func (p *process) follow(stderr io.Reader, serving chan<- map[string]any) {
	defer close(serving)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		p.mu.Lock()
		p.log.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
		var line map[string]any
		if json.Unmarshal(lines.Bytes(), &line) == nil && line["msg"] == "serving" {
			serving <- line
		}
	}
}

func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// waitLog waits until the log holds text.
func (p *process) waitLog(text string) {
	p.t.Helper()
	servertest.WaitUntil(p.t, fmt.Sprintf("the log says %q", text), func() bool { return strings.Contains(p.logged(), text) })
}

// get gives the status and the body of an address of the process.
func (p *process) get(path string, header ...string) (int, string) {
	p.t.Helper()
	res, body := servertest.Ask(p.t, http.MethodGet, p.base+path, "", header...)
	return res.StatusCode, string(body)
}

// signal sends s to the process.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// wait waits until the process ends, and gives its exit status.
func (p *process) wait() int {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), servertest.Patience)
	defer cancel()
	done := make(chan struct{})
	go func() { p.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		p.t.Fatal("the process does not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
