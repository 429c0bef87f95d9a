package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"

	"almanac/index"
)

// indexProcesses builds indexes on disk, each in a process of its own: what building takes is given back when the process ends, requests go
// before it, and if memory runs out it is what the kernel ends.
type indexProcesses struct {
	command []string // which the directory follows; empty: none
	memory  uint64   // that the service may use; 0: not limited
	log     *slog.Logger
	warning sync.Once
}

// builder returns the function that builds until ctx ends; nil if there is no command.
func (p *indexProcesses) builder(ctx context.Context) index.BuildFunc {
	if len(p.command) == 0 {
		return nil
	}
	return func(dir string, write func(io.Writer) error) error { return p.build(ctx, dir, write) }
}

// build starts a process, writes to its standard input and waits until it ends.
func (p *indexProcesses) build(ctx context.Context, dir string, write func(io.Writer) error) error {
	runtime.LockOSThread() // the process ends with the thread that starts it
	defer runtime.UnlockOSThread()
	share := shareOf(p.memory)
	cmd := exec.CommandContext(ctx, p.command[0], append(p.command[1:len(p.command):len(p.command)], dir)...)
	cmd.Env = append(os.Environ(), share.environ()...)
	said := &firstBytes{most: 1 << 10}
	cmd.Stderr = said
	endWithParent(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start the process that builds the index: %w", err)
	}
	if err := cmd.Start(); err != nil {
		p.warning.Do(func() {
			p.log.Warn("no process can be started for the index; it is built in this one, and requests wait longer meanwhile", "err", err)
		})
		return index.ErrBuildHere
	}
	goAfterOthers(cmd.Process.Pid)
	defer share.take()()
	written := errors.Join(write(stdin), stdin.Close())
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("build the index: %w", ctx.Err())
	case err != nil:
		return explain(err, said.String())
	case written != nil: // though the process is content
		return fmt.Errorf("write the documents to the process that builds the index: %w", written)
	}
	return nil
}

// explain returns the error for a process that failed.
func explain(err error, said string) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return errors.New("the process that builds the index was killed, as the kernel does when memory runs out: give the service more memory, or a smaller library")
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line = strings.TrimPrefix(line, "almanac: "); line == "" {
		return fmt.Errorf("the process that builds the index ended: %w", err)
	}
	return fmt.Errorf("the process that builds the index ended: %s", line)
}

// A processShare is what the process that builds an index may use.
type processShare struct {
	memory   uint64 // bytes of the heap; 0: not limited
	builders int
}

// The share of the memory of the service.
const (
	shareOfMemory = 3
	builderMemory = 80 << 20 // of each builder: 512 MB have room for two
)

func shareOf(memory uint64) processShare {
	all := runtime.GOMAXPROCS(0)
	if memory == 0 {
		return processShare{builders: all}
	}
	s := processShare{memory: memory / shareOfMemory}
	s.builders = int(min(max(s.memory/builderMemory, 1), uint64(all)))
	return s
}

// environ returns the variables that hold the process to its share.
func (s processShare) environ() []string {
	list := []string{fmt.Sprintf("GOMAXPROCS=%d", s.builders)}
	if s.memory > 0 {
		list = append(list, fmt.Sprintf("GOMEMLIMIT=%d", s.memory), "GOGC=50")
	}
	return list
}

// take lowers the limit of the heap of this process by the share, and returns the function that gives it back.
func (s processShare) take() (giveBack func()) {
	limit := debug.SetMemoryLimit(-1)
	if s.memory == 0 || limit == math.MaxInt64 {
		return func() {}
	}
	debug.SetMemoryLimit(limit - int64(min(s.memory, uint64(limit)/shareOfMemory)))
	return func() { debug.SetMemoryLimit(limit) }
}

// firstBytes is a writer that keeps the first bytes it gets.
type firstBytes struct {
	strings.Builder
	most int
}

func (b *firstBytes) Write(p []byte) (int, error) {
	b.Builder.Write(p[:min(len(p), max(0, b.most-b.Len()))])
	return len(p), nil
}
