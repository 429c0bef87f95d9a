package ledger

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// A sqliteConn is a connection of the driver.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// A session is a connection with the statements of batches, each parsed once. Through database/sql a batch starts four
// goroutines, which wait for the end of a context, and takes half as long again.
type session struct {
	sqliteConn
	prepared map[string]driver.Stmt // by query
}

// A connector opens sessions.
type connector struct{ driver.Connector }

// Connect implements [driver.Connector].
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &session{sqliteConn: conn.(sqliteConn), prepared: make(map[string]driver.Stmt)}, nil
}

// Close implements [driver.Conn]. SQLite keeps a file open as long as a statement is left
// (https://sqlite.org/c3ref/close.html).
func (s *session) Close() error {
	var errs []error
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, s.sqliteConn.Close())...)
}

func (s *session) statement(query string) (driver.Stmt, error) {
	stmt, ok := s.prepared[query]
	if ok {
		return stmt, nil
	}
	stmt, err := s.Prepare(query)
	if err == nil {
		s.prepared[query] = stmt
	}
	return stmt, err
}

func namedValues(args []any) []driver.NamedValue {
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return named
}

// exec runs a statement, and returns the number of rows it changed. The arguments are integers and bytes.
func (s *session) exec(query string, args ...any) (changed int64, err error) {
	stmt, err := s.statement(query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.(driver.StmtExecContext).ExecContext(context.Background(), namedValues(args))
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// A record is a row of a result, or an error.
type record struct {
	values []driver.Value
	err    error
}

// queryRow returns the first row, or [sql.ErrNoRows].
func (s *session) queryRow(query string, args ...any) record {
	stmt, err := s.statement(query)
	if err != nil {
		return record{err: err}
	}
	found, err := stmt.(driver.StmtQueryContext).QueryContext(context.Background(), namedValues(args))
	if err != nil {
		return record{err: err}
	}
	values := make([]driver.Value, len(found.Columns()))
	if err = found.Next(values); err == io.EOF {
		err = sql.ErrNoRows
	}
	return record{values, errors.Join(err, found.Close())}
}

// Scan implements scanner, for integers and bytes: the tables are STRICT.
func (r record) Scan(to ...any) error {
	if r.err != nil {
		return r.err
	}
	for i, value := range r.values {
		var ok bool
		switch to := to[i].(type) {
		case *int64:
			*to, ok = value.(int64)
		case *[]byte:
			*to, ok = value.([]byte)
		}
		if !ok {
			return fmt.Errorf("column %d has a %T", i, value)
		}
	}
	return nil
}
