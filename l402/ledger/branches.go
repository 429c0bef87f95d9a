package ledger

import (
	"encoding/binary"
	"slices"

	"go.almanac.example/l402"
)

// maxWithin bounds how many branches in use the account has, how many a branch of it, and so on. The holder of a branch
// can only fill that one. A branch in use holds a credit that was paid for, so 100 credits make at most 32 + 100 + 100
// branches, of 5 kB.
var maxWithin = [...]int{32, 8, 4}

// branches are the branches in use of an account, or those within one of them.
type branches []branch

// A branch is a part of an account that was delegated, and counts its own credits. Those of the branches within it
// count in it too.
type branch struct {
	id     l402.BranchID
	used   int64
	within branches
}

// index returns the index of a branch, -1 if it is not in use.
func (bs branches) index(id l402.BranchID) int {
	return slices.IndexFunc(bs, func(b branch) bool { return b.id == id })
}

// check reports why a credit cannot be counted in every branch of budgets.
func (bs branches) check(budgets []l402.Budget) error {
	full := false
	for level, b := range budgets {
		var used int64
		if i := bs.index(b.Branch); i >= 0 {
			used, bs = bs[i].used, bs[i].within
		} else {
			full = full || level >= len(maxWithin) || len(bs) >= maxWithin[level]
			bs = nil
		}
		if used >= int64(b.Limit) {
			return l402.ErrBudgetExhausted
		}
	}
	if full {
		return l402.ErrTooManyBranches
	}
	return nil
}

// take counts a credit in every branch of budgets.
func (bs *branches) take(budgets []l402.Budget) {
	for _, b := range budgets {
		i := bs.index(b.Branch)
		if i < 0 {
			i = len(*bs)
			*bs = append(*bs, branch{id: b.Branch})
		}
		(*bs)[i].used++
		bs = &(*bs)[i].within
	}
}

// uses returns the state of every branch of budgets.
func (bs branches) uses(budgets []l402.Budget) (uses []l402.BranchUse) {
	for _, b := range budgets {
		use := l402.BranchUse{Branch: b.Branch}
		if i := bs.index(b.Branch); i >= 0 {
			use.Used, bs = int(bs[i].used), bs[i].within
		} else {
			bs = nil
		}
		uses = append(uses, use)
	}
	return uses
}

// giveBack undoes take, and forgets branches that are no longer in use.
func (bs *branches) giveBack(uses []l402.BranchUse) {
	for _, u := range uses {
		i := bs.index(u.Branch)
		if i < 0 {
			return
		}
		b := &(*bs)[i]
		if b.used--; b.used <= 0 {
			*bs = slices.Delete(*bs, i, i+1) // branches within it have used no more
			return
		}
		bs = &b.within
	}
}

// all appends the state of every branch, at every depth.
func (bs branches) all(uses []l402.BranchUse) []l402.BranchUse {
	for _, b := range bs {
		uses = b.within.all(append(uses, l402.BranchUse{Branch: b.id, Used: int(b.used)}))
	}
	return uses
}

// appendBinary encodes branches: id, credits in use, and the number of branches within, which follow.
func (bs branches) appendBinary(out []byte) []byte {
	for _, b := range bs {
		out = append(out, b.id[:]...)
		out = binary.AppendUvarint(out, uint64(b.used))
		out = binary.AppendUvarint(out, uint64(len(b.within)))
		out = b.within.appendBinary(out)
	}
	return out
}

// parseBranches is the inverse of appendBinary.
func parseBranches(b []byte) (bs branches, err error) {
	in := decoder{rest: b}
	for len(in.rest) > 0 {
		bs = append(bs, parseBranch(&in, 1))
	}
	return bs, in.err()
}

func parseBranch(in *decoder, depth int) (b branch) {
	copy(b.id[:], in.bytes(uint64(len(b.id))))
	used, within := in.uvarint(), in.uvarint()
	if depth > len(maxWithin) || used == 0 || used > 1<<62 {
		in.damage()
	}
	b.used = int64(used)
	for ; within > 0 && !in.damaged; within-- {
		b.within = append(b.within, parseBranch(in, depth+1))
	}
	return b
}
