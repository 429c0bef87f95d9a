package server

import "golang.org/x/sys/unix"

// clockSynchronized reports whether the system keeps its clock synchronized, and whether it says so at all
// (adjtimex(2)).
func clockSynchronized() (synchronized, known bool) {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	return state != unix.TIME_ERROR, err == nil
}
