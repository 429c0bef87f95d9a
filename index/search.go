package index

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"almanac/index/postings"
	"almanac/problem"
)

// Search answers a query. Errors are *problem.Problem: query_missing, query_invalid,
// parameter_invalid, cursor_invalid, timeout, overloaded, or internal.
func (x *Index) Search(ctx context.Context, q Query) (*Results, error) {
	var p parsed
	if err := x.parse(&p, q); err != nil {
		return nil, err
	}
	r := new(Results)
	if err := x.search(ctx, &p, func(s *scratch) { *r = x.results(s, &p, new(answerRoom)) }); err != nil {
		return nil, err
	}
	return r, nil
}

// Check returns the error with which Search would refuse a query, without searching.
func (x *Index) Check(q Query) error {
	var p parsed
	return x.parse(&p, q)
}

// search calls do with what a parsed query has found, within the bounds of time and concurrency.
func (x *Index) search(ctx context.Context, p *parsed, do func(*scratch)) error {
	d := &postings.Deadline{Ctx: ctx, Until: time.Now().Add(x.options.Timeout)}
	if err := x.wait(d); err != nil {
		return err
	}
	defer func() { <-x.slots }()
	if err := x.store.Acquire(); err != nil {
		return asProblem(err)
	}
	defer x.store.Release()
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	pl, err := x.plan(d, &s.planning, p)
	if err != nil {
		return asProblem(err)
	}
	if err := x.collect(d, s, p, pl); err != nil {
		return asProblem(err)
	}
	do(s)
	return nil
}

// wait waits for a slot.
func (x *Index) wait(d *postings.Deadline) error {
	if err := d.Ctx.Err(); err != nil {
		return asProblem(err)
	}
	select {
	case x.slots <- struct{}{}:
		return nil
	default:
	}
	over := time.NewTimer(time.Until(d.Until))
	defer over.Stop()
	select {
	case x.slots <- struct{}{}:
		return nil
	case <-over.C:
		return &problem.Problem{Code: problem.Overloaded, RetryAfter: time.Second}
	case <-d.Ctx.Done():
		return asProblem(d.Ctx.Err())
	}
}

func asProblem(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &problem.Problem{Code: problem.Timeout, RetryAfter: time.Second, Err: err}
	}
	return &problem.Problem{Code: problem.Internal, Err: err}
}

// appendAnswer appends the JSON of the answer to a query, without credits and the final brace, and
// reports whether it has no hits.
func (x *Index) appendAnswer(ctx context.Context, b []byte, p *parsed) (body []byte, empty bool, err error) {
	key := ""
	if x.answers != nil {
		var room [512]byte
		key = string(binary.AppendUvarint(binary.AppendUvarint(p.appendKey(room[:0]), uint64(p.offset)), uint64(p.limit)))
		if a, ok := x.answers.kept.Get(key); ok {
			return append(b, a.body...), a.empty, nil
		}
	}
	err = x.search(ctx, p, func(s *scratch) {
		r := x.results(s, p, &s.answer)
		b, empty = r.append(b), r.Count == 0
	})
	if err != nil {
		return nil, false, err
	}
	if x.answers != nil {
		x.answers.put(key, b, empty)
	}
	return b, empty, nil
}
