package simnet

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes cmd end when the test is killed.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
