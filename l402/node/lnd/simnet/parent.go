//go:build !linux

package simnet

import "os/exec"

// dieWithParent does nothing here: a test that is killed leaves its daemons behind.
func dieWithParent(*exec.Cmd) {}
