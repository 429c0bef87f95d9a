package l402

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
