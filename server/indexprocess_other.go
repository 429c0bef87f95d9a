//go:build !linux

package server

import "os/exec"

// endWithParent does nothing here: the process ends when its input does.
func endWithParent(*exec.Cmd) {}

// goAfterOthers does nothing here.
func goAfterOthers(int) {}
