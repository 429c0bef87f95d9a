package server

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// endWithParent lets a process end when this one does, and not with it when a terminal interrupts both.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// goAfterOthers lets a process that endWithParent prepared wait for all others, and makes it the first to be killed when memory runs out
// (setpriority(2), proc_pid_oom_score_adj(5)). Where that is forbidden, it works without.
func goAfterOthers(pid int) {
	const nice, first = 15, "1000"
	syscall.Setpriority(syscall.PRIO_PGRP, pid, nice) // of all its threads; PRIO_PROCESS means one
	os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte(first), 0)
}
