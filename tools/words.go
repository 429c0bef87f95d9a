package tools

import (
	"encoding/json"
	"strconv"
	"strings"

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

const (
	maxName     = 160 // bytes of an id that anything is near to
	minNameWord = 3
)

// nearestIDs returns up to three ids that someone who wrote another one may have meant.
func nearestIDs(id string, ids []string) []string {
	if len(id) > maxName {
		return []string{}
	}
	if near := nearest.Words(id, ids, 3); len(near) > 0 {
		return near
	}
	return sharingWords(id, ids)
}

// sharingWords returns the ids that have most in common with the words of an invented one, which
// often names the subject in another order or with another ending.
func sharingWords(id string, ids []string) []string {
	words := strings.Split(strings.ToLower(id), "-")
	found, most := []string{}, minNameWord
	for _, candidate := range ids {
		shared := 0 // letters
		for _, word := range words {
			if len(word) >= minNameWord && strings.Contains("-"+candidate, "-"+word) {
				shared += len(word)
			}
		}
		if shared > most {
			found, most = found[:0], shared
		}
		if shared == most && len(found) < 3 {
			found = append(found, candidate)
		}
	}
	return found
}
