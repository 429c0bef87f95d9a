package server

import (
	"math"

	"github.com/dustin/go-humanize"

	"almanac/index"
)

// memoryText returns a limit of memory for the log.
func memoryText(bytes uint64) string {
	if bytes == 0 || bytes >= math.MaxInt64 {
		return "not limited"
	}
	return humanize.IBytes(bytes)
}

// indexPlace returns where the index is, for the log.
func indexPlace(x *index.Index) string {
	if x.OnDisk() {
		return "disk"
	}
	return "memory"
}
