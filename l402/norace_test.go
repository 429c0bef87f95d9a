//go:build !race

package l402_test

const raceDetector = false
