//go:build race

package mcpserver

// raceDetector makes everything ten times slower: waits that suit a thousand clients without it are too short under it.
const raceDetector = true
