// Package catalog is what almanac publishes: the records, the documents made of them, and every address.
//
// New puts records in order and returns a Catalog, which never changes afterwards and is shared freely: the mirror, the
// index and the tools all hand out the same *Entry. A Catalog builds the documents that docs/contract.md promises, so that
// whoever publishes one publishes the same value. Reading and judging the curated files is the work of catalog/load; this
// package believes its records.
//
// It reads from the bottom up: dates, the site and its paths; the record types, one a file; the Catalog and New; and on them
// the documents.
package catalog
