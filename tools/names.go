package tools

import (
	"strings"

	"almanac/nearest"
)

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
