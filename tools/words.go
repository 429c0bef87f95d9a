package tools

import (
	"encoding/json"
	"strconv"

	"almanac/nearest"
	"almanac/problem"
)

// An inputError explains to the model the fault of its call and the remedy: the allowed values, or an example. It
// becomes an answer marked as a failure.
type inputError string

func (e inputError) Error() string { return string(e) }

const maxEchoed = 80 // bytes of the caller's input that a message repeats

func shorten(s string) string { return problem.Shorten(s, maxEchoed) }

// echo returns raw JSON of the caller's, shortened.
func echo(raw json.RawMessage) string { return shorten(string(raw)) }

// quote returns a string of the caller's, shortened and quoted, with everything invisible made
// visible.
func quote(s string) string { return strconv.Quote(shorten(s)) }

// didYouMean names the nearest words of a vocabulary, to be put at the end of a clause, or
// returns "".
func didYouMean(s string, vocabulary []string) string {
	return nearest.DidYouMean(s, vocabulary, maxNear)
}

const maxNear = 3 // words that a "did you mean" names

// countOf returns a number with its noun: 1 entry, 2 entries.
func countOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}
