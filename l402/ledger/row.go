package ledger

import "github.com/lightningnetwork/lnd/lntypes"

// A row is an account as it is stored. Times are Unix seconds, 0 for never.
type row struct {
	hash      lntypes.Hash
	credits   int64
	expiresAt int64
	serial    int64   // of the last debit
	live      serials // debits not given back
	// deliveries are the named requests of the last minute, oldest first.
	deliveries []delivery
	firstUsed  int64
	lastUsed   int64
	revokedAt  int64

	sale         int64 // an l402.SaleKind
	price        int64 // in satoshis
	soldAt       int64
	reimbursedAt int64
	branches     branches

	stored   bool  // the account is in the store
	dirty    bool  // the row must be written
	loggedAt int64 // SQLite: the log record that holds the state, 0 when the table of accounts does
}

// A delivery is one arrival of a named request, or the debit that several arrivals of it share. It is remembered for a while:
// a client that had no answer repeats its request, or a proxy brings it to another replica, and the buyer pays for one answer.
//
// The deliveries of one request share its debit, and each has a receipt of its own: the credit goes back when all of them were
// refunded, which means that none was answered. While there is only one delivery, debit and receipt have the same serial. With the
// second one the debit, which is the entry of the name that is live, moves to a serial that nobody holds, so that a receipt that
// was forgotten changes nothing.
type delivery struct {
	name   [16]byte
	serial int64
	at     int64 // of the debit, Unix seconds
}

// rows are the accounts that a batch of operations touches.
type rows map[lntypes.Hash]*row

// at returns the row for hash, an empty one if there is none yet.
func (rs rows) at(hash lntypes.Hash) *row {
	r := rs[hash]
	if r == nil {
		r = &row{hash: hash}
		rs[hash] = r
	}
	return r
}
