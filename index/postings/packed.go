package postings

// Fields are indexed in groups, each of which is one field of Bleve: a term then has one list of postings in
// a segment for several fields. The frequencies of the term in the fields of a group are packed into one
// number, that of the commonest field lowest, so that most numbers take a byte.
const (
	groupText  = iota // Title, Labels and Text
	groupOther        // Questions and Addresses
	groups
	groupStops = groups // the stop words, which only a query of stop words searches
)

// groupNames are the groups as Bleve knows them.
var groupNames = [...]string{groupText: "t", groupOther: "o", groupStops: "s"}

// groupFields are the fields of each group.
var groupFields = [groups][]int{groupText: {Title, Labels, Text}, groupOther: {Questions, Addresses}}

// shifts are where the frequency of each field is in the packed number of its group. Each has ten bits, and a
// higher frequency counts as the highest that fits.
var shifts = [Fields]uint{Text: 0, Title: 10, Labels: 20, Addresses: 0, Questions: 10}

const mostPacked = 1<<10 - 1

// packedOne returns the packed number of a term that a field has once.
func packedOne(field int) int { return 1 << shifts[field] }

// packedSum returns the sum of a packed number and that of a term that one field has once.
func packedSum(packed, one int) int {
	if full := one * mostPacked; packed&full == full {
		return packed
	}
	return packed + one
}

// unpack returns the frequency of a field.
func unpack(packed uint64, field int) uint64 { return packed >> shifts[field] & mostPacked }
