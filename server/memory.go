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

// makeRoom lets what is kept only for speed take less memory while the next snapshot is built beside this one, and returns what ends that.
func (b *builder) makeRoom(s *snapshot) (restore func()) {
	if s == nil {
		return func() {}
	}
	return s.search.Lend()
}
