package main

import (
	"fmt"
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

// limitMemory keeps the heap below a limit of memory, that of the control group if it is 0, unless GOMEMLIMIT says otherwise, and returns the
// limit; 0 when there is none. The garbage collector then works harder when memory is short, where it would grow until the kernel ends the
// process.
func limitMemory(limit uint64) uint64 {
	provider := memlimit.FromCgroup
	if limit > 0 {
		provider = memlimit.Limit(limit)
	}
	limit, err := provider()
	if err != nil {
		return 0
	}
	const share = 0.9 // the rest is for what the garbage collector does not manage
	if _, err := memlimit.SetGoMemLimitWithOpts(memlimit.WithRatio(share), memlimit.WithProvider(provider)); err != nil {
		return 0
	}
	return limit
}

// leastMemory is the least that the service can work in with the published library.
const leastMemory = 64 << 20

// parseMemory returns the bytes of -memory; 0 for auto.
func parseMemory(size string) (uint64, error) {
	if size == "auto" {
		return 0, nil
	}
	bytes, err := humanize.ParseBytes(size)
	if err != nil || bytes < leastMemory || bytes > math.MaxInt64 {
		return 0, usageError(fmt.Sprintf("-memory %q is not a size of at least 64 MiB; write it as 512MiB, or auto", size))
	}
	return bytes, nil
}
