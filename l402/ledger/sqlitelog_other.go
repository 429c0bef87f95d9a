//go:build !linux

package ledger

// statLog returns the state of a write-ahead log.
func statLog(file string) (fileState, error) { return statFile(file) }
