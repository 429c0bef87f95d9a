package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"almanac/catalog/catalogtest"
	"almanac/index"
	"almanac/server/servertest"
)

// playing says what the test binary plays when tests start it as a process.
const playing = "ALMANAC_TEST_PLAYING"

// TestMain lets the test binary play a process that builds indexes, and a service that waits for one.
func TestMain(m *testing.M) {
	switch os.Getenv(playing) {
	case "builder":
		if err := index.BuildStreamed(os.Args[1], os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, "almanac:", err)
			os.Exit(1)
		}
	case "service":
		p := &indexProcesses{command: []string{"sh", "-c", `echo $$ >"$0"; exec sleep 1000`}, log: slog.New(slog.DiscardHandler)}
		p.build(context.Background(), os.Args[1], func(io.Writer) error { select {} })
	default:
		os.Exit(m.Run())
	}
}

// played is the command line of a shell command that has the directory as $0. "$BUILDER" in it is the process that builds indexes.
func played(t *testing.T, script string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"sh", "-c", strings.ReplaceAll(script, "$BUILDER", playing+"=builder exec '"+exe+`' "$0"`)}
}

// onDisk is a configuration whose index is on disk, built by a shell command.
func onDisk(t *testing.T, script string) Config {
	t.Helper()
	cfg := testConfig(t)
	cfg.Index = index.Options{Dir: filepath.Join(cfg.State, "index"), DiskFrom: 1}
	cfg.IndexCommand = played(t, script)
	return cfg
}

// nothing is written to processes that read nothing.
func nothing(io.Writer) error { return nil }

// TestIndexProcess: a service whose index another process has built answers searches.
func TestIndexProcess(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	client := newService(t, onDisk(t, `touch `+started+`; $BUILDER`))
	if _, body := client.Do("GET", "/v1/search?q=macaroon", "", "Authorization", client.Buy()); !bytes.Contains(body, []byte(`"entries"`)) {
		t.Errorf("a search answers %.200s", body)
	}
	if _, err := os.Stat(started); err != nil {
		t.Errorf("no process was started: %v", err)
	}
}

// TestIndexProcessFails: a process that fails, or that the kernel kills, fails the load with the reason and what to do, and leaves nothing
// behind; the next load works.
func TestIndexProcessFails(t *testing.T) {
	for name, tt := range map[string]struct{ script, want string }{
		"an error":          {`echo "almanac: write words.txt: no space left on device" >&2; exit 1`, "the process that builds the index ended: write words.txt: no space left on device"},
		"a long complaint":  {`i=0; while [ $i -lt 3000 ]; do echo goroutine $i >&2; i=$((i+1)); done; exit 2`, "the process that builds the index ended: goroutine 0"},
		"no word":           {`exit 3`, "exit status 3"},
		"killed":            {`mkdir -p "$(dirname "$0")/building-1"; kill -9 $$`, "give the service more memory"},
		"another signal":    {`kill -TERM $$`, "signal: terminated"},
		"it reads nothing":  {`exit 0`, "write the documents to the process that builds the index"},
		"it builds nothing": {`cat >/dev/null`, "open index"},
	} {
		t.Run(name, func(t *testing.T) {
			fine := filepath.Join(t.TempDir(), "fine")
			cfg := onDisk(t, `if [ -e `+fine+` ]; then $BUILDER; fi; `+tt.script)
			s, err := Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.listeners.close)
			t.Cleanup(s.publisher.payments.close)
			if err := s.publisher.publish(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the load ends with %v, want %q", err, tt.want)
			}
			if left, _ := filepath.Glob(filepath.Join(cfg.Index.Dir, "*")); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
			if err := os.WriteFile(fine, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := s.publisher.publish(t.Context()); err != nil {
				t.Errorf("the next load: %v", err)
			}
		})
	}
}

// TestReloadWithoutIndex: when the process that builds the index of a reload is killed, the data before it are served on, and the log says
// what to do; the next reload works.
func TestReloadWithoutIndex(t *testing.T) {
	killing := filepath.Join(t.TempDir(), "killing")
	cfg := onDisk(t, `if [ -e `+killing+` ]; then kill -9 $$; fi; $BUILDER`)
	var log bytes.Buffer
	cfg.Source.Dir, cfg.Log = editedFixtures(t), slog.New(slog.NewTextHandler(&log, nil))
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.listeners.close)
	t.Cleanup(s.publisher.payments.close)
	p := &s.publisher
	if err := p.publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := p.current.p.Load()
	p.cfg.Source.Dir = "../fixtures"
	if err := os.WriteFile(killing, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.reload(t.Context())
	if p.current.p.Load() != first || !strings.Contains(log.String(), "give the service more memory") {
		t.Errorf("after a reload that failed, the log is\n%s", log.String())
	}
	if _, err := first.search.Search(t.Context(), index.Query{Text: "macaroon"}); err != nil {
		t.Errorf("a search after a reload that failed: %v", err)
	}
	if err := os.Remove(killing); err != nil {
		t.Fatal(err)
	}
	p.reload(t.Context())
	if p.current.p.Load() == first {
		t.Errorf("after the next reload, the log is\n%s", log.String())
	}
}

// editedFixtures returns a directory with the published files, of which every entry has another title.
func editedFixtures(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../fixtures")); err != nil {
		t.Fatal(err)
	}
	catalogtest.Retitle(t, dir)
	return dir
}

// TestNoIndexProcess: where no process can be started, the index is built in this one, with one warning.
func TestNoIndexProcess(t *testing.T) {
	var log bytes.Buffer
	p := &indexProcesses{command: []string{filepath.Join(t.TempDir(), "missing")}, log: slog.New(slog.NewTextHandler(&log, nil))}
	for range 2 {
		if err := p.build(t.Context(), t.TempDir(), nothing); !errors.Is(err, index.ErrBuildHere) {
			t.Errorf("without a process: %v", err)
		}
	}
	if n := strings.Count(log.String(), "no process can be started"); n != 1 {
		t.Errorf("%d warnings, want 1:\n%s", n, log.String())
	}
	if (&indexProcesses{}).builder(t.Context()) != nil {
		t.Error("without a command there is a process")
	}
}

// TestIndexProcessEnds: the process ends with what it works for: the context of the load, or the whole service, however that ends.
func TestIndexProcessEnds(t *testing.T) {
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		file := filepath.Join(t.TempDir(), "pid")
		p := &indexProcesses{command: played(t, `echo $$ >"$0"; exec sleep 1000`), log: slog.New(slog.DiscardHandler)}
		ended := make(chan error)
		go func() { ended <- p.build(ctx, file, nothing) }()
		pid := waitForPID(t, file)
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the build ends with %v", err)
		}
		waitGone(t, pid)
	})
	t.Run("kill -9 of the service", func(t *testing.T) {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "pid")
		service := exec.Command(exe, file)
		service.Env = append(os.Environ(), playing+"=service")
		if err := service.Start(); err != nil {
			t.Fatal(err)
		}
		pid := waitForPID(t, file)
		service.Process.Kill()
		service.Wait()
		waitGone(t, pid)
	})
}

// waitForPID waits until a process has written its id into a file.
func waitForPID(t *testing.T, file string) (pid int) {
	t.Helper()
	servertest.WaitUntil(t, "a process has started", func() bool {
		data, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	return pid
}

// waitGone waits until a process has ended, whether or not anybody has taken notice of it.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	servertest.WaitUntil(t, "the process has ended", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil && syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ")
	})
}

// TestProcessShare: the process gets a share of the memory of the service, which uses less meanwhile and has it back afterwards, and yields to
// others.
func TestProcessShare(t *testing.T) {
	was := debug.SetMemoryLimit(400 << 20)
	defer debug.SetMemoryLimit(was)
	p := &indexProcesses{
		command: played(t, `cat >/dev/null; echo $GOMEMLIMIT $GOMAXPROCS $GOGC $(cat /proc/$$/oom_score_adj; cut -d" " -f19 /proc/$$/stat) >&2; exit 1`),
		memory:  255 << 20, log: slog.New(slog.DiscardHandler),
	}
	var meanwhile int64
	err := p.build(t.Context(), t.TempDir(), func(io.Writer) error { meanwhile = debug.SetMemoryLimit(-1); return nil })
	want := fmt.Sprintf("%d 1 50", 85<<20)
	if _, statErr := os.Stat("/proc/self/oom_score_adj"); statErr == nil {
		want += " 1000 15"
	}
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("the process has %v, want %s", err, want)
	}
	if meanwhile != 315<<20 || debug.SetMemoryLimit(-1) != 400<<20 {
		t.Errorf("the limit of the heap is %d meanwhile and %d afterwards", meanwhile, debug.SetMemoryLimit(-1))
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if err := p.build(t.Context(), t.TempDir(), func(io.Writer) error { meanwhile = debug.SetMemoryLimit(-1); return nil }); err == nil || meanwhile != math.MaxInt64 {
		t.Errorf("without a limit of the heap it is %d meanwhile, %v", meanwhile, err)
	}
}
