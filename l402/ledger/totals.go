package ledger

import (
	"strings"
	"time"

	"almanac/l402"
)

// totalColumns are the columns of the table of pruned sales, of which the first two are its key.
const totalColumns = "day, sale, accounts, sats, credits, used, reimbursed, reimbursed_sats"

// totals returns the query for those columns over the accounts that from names. An account that was revoked and never
// used is not a sale: nobody knows whether it was paid for.
func totals(from string) string {
	from, where, filtered := strings.Cut(from, " WHERE ")
	if filtered {
		where = " AND " + where
	}
	return `SELECT sold_at / 86400, sale, count(*), coalesce(sum(price), 0), coalesce(sum(credits), 0), coalesce(sum(used), 0),
		coalesce(sum(CASE WHEN reimbursed_at > 0 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN reimbursed_at > 0 THEN price ELSE 0 END), 0)
		FROM ` + from + ` WHERE ` + isSale + where + ` GROUP BY 1, 2`
}

// isSale is the condition for an account that was used or granted.
const isSale = `(first_used > 0 OR sale > 0)`

// addTotals returns the assignments that add the totals of an upsert to those of a table.
func addTotals(table string) string {
	var sets []string
	for _, column := range strings.Split(totalColumns, ", ")[2:] {
		sets = append(sets, column+" = "+table+"."+column+" + excluded."+column)
	}
	return strings.Join(sets, ", ")
}

// salesQuery returns the query for the totals of all accounts, and of the credits open at the time in the parameter
// now.
func salesQuery(accounts, pruned, now string) string {
	open := isSale + ` AND revoked_at = 0 AND expires_at > ` + now
	var sums []string // PostgreSQL's sum of integers is no integer
	for _, column := range [...]string{"accounts", "sats", "credits", "used", "reimbursed", "reimbursed_sats", "open", "open_msat"} {
		sums = append(sums, "CAST(sum("+column+") AS bigint)")
	}
	return `SELECT day, sale, ` + strings.Join(sums, ", ") + ` FROM (
			SELECT ` + totalColumns + `, 0 AS open, 0 AS open_msat FROM ` + pruned + `
		UNION ALL
			SELECT t.*, 0, 0 FROM (` + totals(accounts) + `) AS t
		UNION ALL
			SELECT sold_at / 86400, sale, 0, 0, 0, 0, 0, 0, sum(credits - used), sum(CASE WHEN credits > 0 THEN price * 1000 * (credits - used) / credits ELSE 0 END)
			FROM ` + accounts + ` WHERE ` + open + ` GROUP BY 1, 2
		) AS s GROUP BY day, sale ORDER BY day, sale`
}

// scanDay reads a row of salesQuery.
func scanDay(from scanner) (d l402.DayOfSales, err error) {
	var day int64
	err = from.Scan(&day, &d.Kind, &d.Accounts, &d.Sats, &d.Credits, &d.Used, &d.Reimbursed, &d.ReimbursedSats, &d.OpenCredits, &d.OpenMilliSats)
	if day > 0 {
		d.Day = time.Unix(day*86400, 0).UTC()
	}
	return d, err
}
