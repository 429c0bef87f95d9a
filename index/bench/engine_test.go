package bench

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/index"

	_ "github.com/mattn/go-sqlite3"
	_ "modernc.org/sqlite"
)

// An engine searches a corpus and tells how many hits it gives, ten at most.
type engine interface {
	search(query) (int, error)
	close() error
}

// The engines, in the order of the table.
var engines = []struct {
	name  string
	build func(c *corpus, dir string) (engine, error)
}{
	{"floor", func(c *corpus, _ string) (engine, error) { return newFloor(c), nil }},
	{"almanac", newAlmanac},
	{"fts5-c", func(c *corpus, dir string) (engine, error) { return newFTS(c, "sqlite3", dir) }},
	{"fts5-go", func(c *corpus, dir string) (engine, error) { return newFTS(c, "sqlite", dir) }},
}

// almanac is the search of the service whole: hits with passages and totals.
type almanac struct{ index *index.Index }

func newAlmanac(c *corpus, dir string) (engine, error) {
	records := catalog.Records{Entries: c.entries}
	for _, id := range categories {
		records.Categories = append(records.Categories, catalog.CategoryRecord{ID: id, Label: id})
	}
	x, err := index.New(catalog.New(records, catalog.Options{Site: catalog.DefaultSite}),
		index.Options{Timeout: 1e12})
	return &almanac{x}, err
}

func (a *almanac) search(q query) (int, error) {
	r, err := a.index.Search(context.Background(), index.Query{
		Text: q.text, Category: one(q.category), Tag: one(q.tag), Limit: keep,
	})
	if err != nil {
		return 0, err
	}
	return r.Count, nil
}

func one(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

func (a *almanac) close() error { return nil }

// fts is SQLite's FTS5 with the Porter stemmer and the same weights, asked for ids only, through
// a prepared statement on a read-only file.
type fts struct {
	db   *sql.DB
	stmt *sql.Stmt
}

func newFTS(c *corpus, driver, dir string) (engine, error) {
	path := filepath.Join(dir, driver+".db")
	db, err := sql.Open(driver, path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	f := &fts{db: db}
	if err := f.fill(c); err != nil {
		db.Close()
		return nil, fmt.Errorf("fill %s: %w", driver, err)
	}
	f.stmt, err = db.Prepare("SELECT rowid FROM d WHERE d MATCH ? ORDER BY rank LIMIT 10")
	return f, err
}

func (f *fts) fill(c *corpus) error {
	for _, s := range []string{
		"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -200000",
		"PRAGMA mmap_size = 4000000000",
		"CREATE VIRTUAL TABLE d USING fts5(title, labels, summary, content='', tokenize='porter unicode61')",
		"INSERT INTO d(d, rank) VALUES('rank', 'bm25(3.0, 1.5, 1.0)')",
	} {
		if _, err := f.db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	tx, err := f.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert, err := tx.Prepare("INSERT INTO d(rowid, title, labels, summary) VALUES(?, ?, ?, ?)")
	if err != nil {
		return err
	}
	for i, e := range c.entries {
		labels := strings.Join(append([]string{categoryTerm(e.Category), e.Type}, e.Tags...), " ")
		if _, err := insert.Exec(i+1, e.Title, labels, e.Summary); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = f.db.Exec("INSERT INTO d(d) VALUES('optimize')")
	return err
}

// categoryTerm makes one token of a category.
func categoryTerm(c string) string { return strings.ReplaceAll(c, "-", "") }

func (f *fts) search(q query) (int, error) {
	match := strings.Join(q.words, " OR ")
	if strings.HasPrefix(q.text, `"`) {
		match = q.text
	}
	if q.category != "" {
		match = fmt.Sprintf("(%s) AND labels:%s AND labels:%s", match, categoryTerm(q.category), q.tag)
	}
	rows, err := f.stmt.Query(match)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
		n++
	}
	return n, rows.Err()
}

func (f *fts) close() error { return f.db.Close() }
