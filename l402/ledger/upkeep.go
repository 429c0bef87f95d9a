package ledger

import (
	"slices"

	"almanac/l402"
)

// pruneStep is how many accounts are deleted in one transaction.
const pruneStep = 1000

// pruneInSteps repeats step until it deletes fewer accounts than it may, and returns their number.
func pruneInSteps(step func() (int64, error)) (int64, error) {
	total := int64(0)
	for {
		n, err := step()
		total += n
		if err != nil || n < pruneStep {
			return total, err
		}
	}
}

// mayAdopt reports whether a ledger that was kept under the known keys may be used with keys.
func mayAdopt(known, keys []l402.KeyID) bool {
	return len(known) == 0 || slices.ContainsFunc(keys, func(k l402.KeyID) bool { return slices.Contains(known, k) })
}
