package ledger

import "database/sql"

// A sqliteStore settles batches in a cache of accounts and makes each batch durable as one record in a log: one short
// statement and one sync, however many accounts it touches. The table of accounts is updated later, when several records have
// superseded each other.
//
// The ids of the records are consecutive, so inserting the next one is also an optimistic lock: it succeeds only for a process that
// has read all others. When another process was first, the insertion fails, the cache is read again, and the batch settled again.
type sqliteStore struct {
	db *sql.DB
	sqliteBounds

	loaded  bool  // the fields below are the state of the file
	version int64 // the id of the last record
	horizon int64 // the latest end of a pruned account
	cache   rows
	queue   []loggedRow // oldest first

	record []byte // of the current batch
}

// A loggedRow is an account whose state is in a log record. It is outdated once the account is in a later record.
type loggedRow struct {
	*row
	id int64
}

// sqliteBounds bound the memory and the log.
type sqliteBounds struct {
	cached int // accounts, about 200 bytes each
	logged int // states in the log, before some are moved to the table
	step   int // states moved at once, in addition to those above the bound
}

var defaultBounds = sqliteBounds{cached: 1 << 16, logged: 1 << 15, step: 1 << 11}
