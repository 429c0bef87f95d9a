//go:build soak

package e2e

import "testing"

// TestSoakSales is TestSales with PostgreSQL.
func TestSoakSales(t *testing.T) {
	sales(t, "-state", t.TempDir(), "-ledger", startPostgres(t).url())
}
