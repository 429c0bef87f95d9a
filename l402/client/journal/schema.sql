CREATE TABLE IF NOT EXISTS purchases (
	hash TEXT PRIMARY KEY,
	state TEXT NOT NULL CHECK (state IN ('seen', 'reserved', 'paying', 'paid', 'used', 'failed')),
	origin TEXT NOT NULL, host TEXT NOT NULL, method TEXT NOT NULL, resource TEXT NOT NULL, scheme TEXT NOT NULL,
	invoice TEXT NOT NULL, network TEXT NOT NULL, payee TEXT NOT NULL, description TEXT NOT NULL, challenge BLOB NOT NULL,
	amount INTEGER NOT NULL, fee INTEGER NOT NULL DEFAULT 0, reserved INTEGER NOT NULL DEFAULT 0,
	preimage TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', receipt TEXT NOT NULL DEFAULT '',
	seen_at INTEGER NOT NULL, reserved_at INTEGER NOT NULL DEFAULT 0, paid_at INTEGER NOT NULL DEFAULT 0,
	used_at INTEGER NOT NULL DEFAULT 0, expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS purchases_open ON purchases (state) WHERE state IN ('seen', 'reserved', 'paying');
CREATE INDEX IF NOT EXISTS purchases_day ON purchases (reserved_at);
CREATE TABLE IF NOT EXISTS credentials (
	id TEXT PRIMARY KEY, origin TEXT NOT NULL, resource TEXT NOT NULL, scheme TEXT NOT NULL, header TEXT NOT NULL, value TEXT NOT NULL,
	total INTEGER NOT NULL, remaining INTEGER NOT NULL, valid_until INTEGER NOT NULL, bought_at INTEGER NOT NULL,
	presented INTEGER NOT NULL, accepted INTEGER NOT NULL, mistrusted INTEGER NOT NULL, spent INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS credentials_live ON credentials (origin) WHERE spent = 0;
PRAGMA user_version = 1;
