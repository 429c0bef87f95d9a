package ops

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A container is a process with namespaces of its own for files and network, as a container engine starts one: an
// image's root folder, read-only; what is mounted; the loopback interface; a user without capabilities.
type container struct {
	t    *testing.T
	root string
	env  []string
	cmd  *exec.Cmd
	out  strings.Builder
}

// A volume is mounted into a container.
type volume struct {
	host, path string // no host: memory
	readOnly   bool
}

// enter changes into the namespaces: it mounts, brings the loopback interface up, and runs the rest of the line as the
// user.
const enter = `
root=$1 user=$2 mounts=$3
shift 3
ip link set lo up
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
while IFS='|' read -r host path options; do
	[ -n "$path" ] || continue
	if [ -n "$host" ]; then
		mount --bind "$host" "$root$path"
		mount -o "remount,bind,$options" "$root$path"
	else
		mount -t tmpfs -o "size=1m,uid=$user,gid=$user,mode=0770" tmpfs "$root$path"
	fi
done <<END
$mounts
END
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user:$user" --groups="$user" "$root" "$@"
`

// startContainer runs a command in a container whose root is a copy of the image's.
func startContainer(t *testing.T, image string, user int64, env map[string]string, volumes []volume, command ...string) *container {
	t.Helper()
	c := &container{t: t, root: filepath.Join(t.TempDir(), "root")}
	if out, err := exec.Command("cp", "-a", image, c.root).CombinedOutput(); err != nil {
		t.Fatalf("copy the image: %v: %s", err, out)
	}
	var mounts []string
	for _, v := range volumes {
		options := "rw"
		if v.readOnly {
			options = "ro"
		}
		mounts = append(mounts, v.host+"|"+v.path+"|"+options)
		at := filepath.Join(c.root, v.path)
		if info, err := os.Stat(v.host); err == nil && !info.IsDir() {
			c.write(v.path, "") // a file is mounted on a file
		} else if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(c.root, "proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.write("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n") // as every engine does
	for _, key := range slices.Sorted(maps.Keys(env)) {
		c.env = append(c.env, key+"="+env[key])
	}
	args := []string{"--mount", "--net", "--propagation", "private", "sh", "-ec", enter, "enter", c.root, fmt.Sprint(user), strings.Join(mounts, "\n")}
	c.cmd = exec.Command("unshare", append(args, command...)...)
	c.cmd.Env = append(slices.Clone(c.env), "PATH="+os.Getenv("PATH"))
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.out
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.cmd.Process.Kill()
		c.cmd.Wait()
		if t.Failed() {
			t.Logf("the container wrote:\n%s", c.out.String())
		}
	})
	return c
}

func (c *container) write(path, text string) {
	c.t.Helper()
	name := filepath.Join(c.root, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// inside runs a program of this machine in the container's network, or with root a program of the image, as the
// container's user.
func (c *container) inside(root bool, user int64, command ...string) (string, error) {
	args := []string{"--target", fmt.Sprint(c.cmd.Process.Pid), "--net"}
	if root {
		args = append(args, "--mount", "--root", "--wd", "--setuid", fmt.Sprint(user), "--setgid", fmt.Sprint(user))
	}
	cmd := exec.Command("nsenter", append(args, command...)...)
	cmd.Env = append(slices.Clone(c.env), "PATH="+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// get returns status and body of an address, asked for in the container's network.
func (c *container) get(timeout int32, url string) (status, body string) {
	out, _ := c.inside(false, 0, "curl", "--silent", "--max-time", fmt.Sprint(timeout), "--write-out", "\n%{http_code}", url)
	at := strings.LastIndexByte(out, '\n')
	return out[at+1:], out[:max(at, 0)]
}

// eventually asks once a period until f holds, as often as a probe may fail.
func (c *container) eventually(what string, period time.Duration, failures int, f func() bool) {
	c.t.Helper()
	tick := time.NewTicker(period)
	defer tick.Stop()
	for range failures {
		if f() {
			return
		}
		<-tick.C
	}
	c.t.Fatalf("%s: not after %d tries", what, failures)
}

// process returns a file of /proc about the container's process.
func (c *container) process(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", c.cmd.Process.Pid, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

// stop ends the container as an engine does, and returns the exit status.
func (c *container) stop() int {
	c.t.Helper()
	c.cmd.Process.Signal(syscall.SIGTERM)
	c.cmd.Wait()
	return c.cmd.ProcessState.ExitCode()
}
