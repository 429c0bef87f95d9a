package l402

import (
	"crypto/sha256"
	"regexp"
	"slices"
	"strings"

	"go.almanac.example/internal/problem"
)

// A BranchID identifies a branch of an account: a part of its credits that somebody delegated.
type BranchID [16]byte

// A Budget is how many credits a branch may use, in a [Debit].
type Budget struct {
	Branch BranchID
	Limit  int
}

// A BranchUse is how many credits a branch has in use.
type BranchUse struct {
	Branch BranchID
	Used   int
}

// branchOf returns the id of the branch that the names lead to from the account, outermost first. Branches of one name
// within different branches are different ones, so nobody can use up the budget of somebody else by taking its name.
func branchOf(path string) BranchID {
	sum := sha256.Sum256([]byte(path))
	return BranchID(sum[:len(BranchID{})])
}

// maxBranchDepth bounds the branches in a credential. Ledgers bound how many branches an account has.
const maxBranchDepth = 3

// A delegation is the branches of a credential, each within the one before it.
type delegation struct {
	paths   []string // their names from the account on, joined by slashes
	budgets []Budget // the same branches, as ledgers know them
}

// add returns d with another branch in it, which an almanac_budget caveat states as <branch>:<credits>. most is how
// many credits the credential could use without the caveat: a branch can only have less, because a holder of a
// credential can append to it.
func (d delegation) add(caveat string, most int) (delegation, error) {
	name, number, _ := strings.Cut(caveat, ":")
	n, err := parseNumber(number)
	if err != nil || n < 1 || !branchName.MatchString(name) {
		return d, invalidBudget("The caveat almanac_budget=%.64q cannot be read: write <branch>:<credits>, the branch as 1 to 32 lower-case letters, digits and hyphens, and the credits as a number from 1.", caveat)
	}
	if len(d.paths) == maxBranchDepth {
		return d, invalidBudget("The branch %q would be the fourth within another: at most %d may be.", name, maxBranchDepth)
	}
	path := name
	if outer := len(d.paths) - 1; outer >= 0 {
		if slices.Contains(strings.Split(d.paths[outer], "/"), name) {
			return d, invalidBudget("The branch %q is named twice in this credential: give a smaller part of its budget to a branch of another name.", name)
		}
		path, most = d.paths[outer]+"/"+name, min(most, d.budgets[outer].Limit)
	}
	if n > int64(most) {
		return d, invalidBudget("The branch %q asks for %d credits, but what it is a part of may use %d: give it at most as many.", name, n, most)
	}
	// Copied, because the credential without the branch may be in use.
	return delegation{
		paths:   append(d.paths[:len(d.paths):len(d.paths)], path),
		budgets: append(d.budgets[:len(d.budgets):len(d.budgets)], Budget{branchOf(path), int(n)}),
	}, nil
}

// merge returns the budgets that two copies of one credential share: one of them must be of the other's branch, or of
// one within it.
func (d delegation) merge(other delegation) (delegation, error) {
	if len(d.paths) < len(other.paths) {
		d, other = other, d
	}
	budgets := slices.Clone(d.budgets)
	for i, b := range other.budgets {
		if budgets[i].Branch != b.Branch {
			return delegation{}, invalidBudget(
				"Two macaroons were sent, of the branches %q and %q: send the one that the request is for.",
				d.paths[len(d.paths)-1], other.paths[len(other.paths)-1])
		}
		budgets[i].Limit = min(budgets[i].Limit, b.Limit)
	}
	return delegation{d.paths, budgets}, nil
}

func invalidBudget(format string, args ...any) error {
	return problem.Errorf(problem.BudgetInvalid, format, args...)
}

// branchName matches the name of a branch.
var branchName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// A BranchBalance is the balance of a branch.
type BranchBalance struct {
	Path      string `json:"branch"`  // of names, such as research/summaries
	Credits   int    `json:"credits"` // its budget
	Remaining int    `json:"remaining"`
}

// balances returns the balance of each branch, given those in use.
func (d delegation) balances(uses []BranchUse) []BranchBalance {
	var all []BranchBalance
	for i, b := range d.budgets {
		left := b.Limit
		for _, u := range uses {
			if u.Branch == b.Branch {
				left = max(0, b.Limit-u.Used)
			}
		}
		all = append(all, BranchBalance{d.paths[i], b.Limit, left})
	}
	return all
}
