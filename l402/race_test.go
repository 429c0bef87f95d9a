//go:build race

package l402_test

// raceDetector makes everything ten times slower; what counts to a million counts less far under it.
const raceDetector = true
