package simnet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A daemon is a program that may be started and stopped again and again. What it prints goes to one file.
type daemon struct {
	name string
	path string
	args []string
	out  string // file
	cert string // file, which the daemon makes itself

	cmd    *exec.Cmd     // of the last start
	exited chan struct{} // closed when it ended
	client *http.Client  // that trusts the certificate and no other; nil before the first run
}

func newDaemon(name, path, dir, cert string, args ...string) *daemon {
	return &daemon{name: name, path: path, args: args, out: filepath.Join(dir, "out.log"), cert: filepath.Join(dir, cert)}
}

// run starts the daemon and calls f, which may use the client, until it succeeds.
func (d *daemon) run(ctx context.Context, what string, f func(context.Context) error) error {
	if err := d.start(); err != nil {
		return err
	}
	return d.until(ctx, what, func(ctx context.Context) error {
		if d.client == nil {
			client, err := pinned(d.cert)
			if err != nil {
				return err
			}
			d.client = client
		}
		return f(ctx)
	})
}

func (d *daemon) start() error {
	if err := os.MkdirAll(filepath.Dir(d.out), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(d.out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(d.path, d.args...)
	cmd.Stdout, cmd.Stderr = out, out
	dieWithParent(cmd)
	started, exited := make(chan error), make(chan struct{})
	go func() {
		// The kernel takes the death of the thread that started it for that of the parent: it must live as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer out.Close()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
		close(exited)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", d.name, err)
	}
	d.cmd, d.exited = cmd, exited
	return nil
}

// stop asks the daemon to end and waits until it has.
func (d *daemon) stop(timeout time.Duration) error {
	if d.cmd == nil {
		return nil
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
		return nil
	case <-time.After(timeout):
		d.kill()
		return fmt.Errorf("%s did not end within %s", d.name, timeout)
	}
}

func (d *daemon) kill() {
	if d.cmd != nil {
		d.cmd.Process.Kill()
		<-d.exited
	}
}

// until calls f until it succeeds. It gives up when ctx ends or the daemon does.
func (d *daemon) until(ctx context.Context, what string, f func(context.Context) error) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		call, cancel := context.WithTimeout(ctx, 2*time.Minute)
		err := f(call)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-d.exited:
			return fmt.Errorf("%s ended while waiting until %s", d.name, what)
		case <-ctx.Done():
			return fmt.Errorf("%s: waited in vain until %s: %w", d.name, what, err)
		case <-tick.C:
		}
	}
}

// tail returns the end of what the daemon printed, under a heading.
func (d *daemon) tail() string {
	const lines = 25
	b, err := os.ReadFile(d.out)
	if err != nil {
		return fmt.Sprintf("--- %s printed nothing\n", d.name)
	}
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	return fmt.Sprintf("--- the last of %s:\n%s\n", d.name, strings.Join(all[max(0, len(all)-lines):], "\n"))
}

func portTaken(output string) bool { return strings.Contains(output, "address already in use") }

// freePorts finds ports of 127.0.0.1 that nobody listens on. They are below those that the system gives to outgoing
// connections, so that none is taken while its daemon is stopped.
func freePorts(count int) ([]int, error) {
	var ports []int
	for range 1000 {
		port := 20000 + rand.IntN(12000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		defer l.Close() // all at the end, so that none comes twice
		if ports = append(ports, port); len(ports) == count {
			return ports, nil
		}
	}
	return nil, errors.New("no free ports between 20000 and 32000")
}
