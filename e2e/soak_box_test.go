//go:build soak

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A box is a control group with a limit of memory, or, where none can be made, the limit as the program is told it.
type box struct {
	t     testing.TB
	limit int64
	dir   string // of the control group; "" without one
	v2    bool

	mu   sync.Mutex
	most int64 // anonymous memory seen so far
}

// newBox makes a control group with a limit of memory.
func newBox(t testing.TB, limit int64) *box {
	b := &box{t: t, limit: limit}
	name := fmt.Sprintf("almanac-soak-%d", os.Getpid())
	for _, at := range []struct {
		root, limit string
		v2          bool
	}{{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", false}, {"/sys/fs/cgroup", "memory.max", true}} {
		dir := filepath.Join(at.root, name)
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(dir) })
		if os.WriteFile(filepath.Join(dir, at.limit), []byte(strconv.FormatInt(limit, 10)), 0) == nil {
			b.dir, b.v2 = dir, at.v2
			os.WriteFile(filepath.Join(dir, "memory.swap.max"), []byte("0"), 0) // where there is swap in a group of its own
			return b
		}
	}
	t.Logf("NO CONTROL GROUP CAN BE MADE HERE: the kernel does not hold the program to %d MB. It is told the limit (-memory), and its anonymous memory is held against it", limit>>20)
	return b
}

// command makes a command that plays almanac serve in the box.
func (b *box) command(args ...string) *exec.Cmd {
	if b.dir == "" {
		return command(b.t, append(args, "-memory", fmt.Sprintf("%d", b.limit))...)
	}
	cmd := command(b.t, args...)
	into := exec.Command("sh", append([]string{"-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(b.dir, "cgroup.procs")}, cmd.Args...)...)
	into.Args[4] = cmd.Path
	into.Env = cmd.Env
	return into
}

// watch looks at the anonymous memory of a process, and of those that it starts, until it ends.
func (b *box) watch(p *process) {
	tick := time.NewTicker(50 * time.Millisecond)
	b.t.Cleanup(tick.Stop)
	go func() {
		for range tick.C {
			now, err := b.resident(p)
			if err != nil {
				return
			}
			b.mu.Lock()
			b.most = max(b.most, now)
			b.mu.Unlock()
		}
	}()
}

// anonymous returns the anonymous memory of a process, and of those that it started, now.
func (b *box) anonymous(p *process) int64 {
	now, err := b.resident(p)
	if err != nil {
		b.t.Fatal(err)
	}
	return now
}

// resident returns the anonymous memory of a process and of all others in its control group, where it has one.
func (b *box) resident(p *process) (bytes int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	bytes = kilobytes(string(status), "RssAnon:") << 10
	if b.dir == "" {
		return bytes, nil
	}
	for _, pid := range strings.Fields(b.read("cgroup.procs")) {
		if pid != strconv.Itoa(p.cmd.Process.Pid) {
			status, _ := os.ReadFile("/proc/" + pid + "/status") // nothing is left of one that has ended
			bytes += kilobytes(string(status), "RssAnon:") << 10
		}
	}
	return bytes, nil
}

// work returns the processor time in seconds that a process has taken, with those that it started and that have ended.
func (b *box) work(p *process) float64 {
	b.t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		b.t.Fatal(err)
	}
	const utime, cstime, second = 11, 14, 100 // proc_pid_stat(5): fields after the name, in ticks
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	ticks := 0
	for _, field := range fields[utime : cstime+1] {
		n, err := strconv.Atoi(field)
		if err != nil {
			b.t.Fatal(err)
		}
		ticks += n
	}
	return float64(ticks) / second
}

// peak returns the most anonymous memory since it was asked for last.
func (b *box) peak() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	most := b.most
	b.most = 0
	return most
}

// check reports a process that the kernel killed, or that took more than it may.
func (b *box) check(most int64) {
	b.t.Helper()
	if most > b.limit {
		b.t.Errorf("%d MB of anonymous memory, with a limit of %d MB", most>>20, b.limit>>20)
	}
	if b.dir == "" {
		return
	}
	file, peak := "memory.oom_control", "memory.max_usage_in_bytes"
	if b.v2 {
		file, peak = "memory.events", "memory.peak"
	}
	events := b.read(file)
	b.t.Logf("%s: %s; %s: %s; pages of files that were read again: %d", peak, b.read(peak), file,
		strings.Join(strings.Fields(events), " "), kilobytes(b.read("memory.stat"), "pgmajfault"))
	for line := range strings.Lines(events) {
		if killed, ok := strings.CutPrefix(line, "oom_kill "); ok && strings.TrimSpace(killed) != "0" {
			b.t.Errorf("the kernel killed %s processes in the control group", strings.TrimSpace(killed))
		}
	}
}

func (b *box) read(name string) string {
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(data))
}

// kilobytes returns a value of /proc/PID/status.
func kilobytes(status, name string) int64 {
	_, rest, _ := strings.Cut(status, name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[0], 10, 64) // the kernel writes numbers
	return n
}
