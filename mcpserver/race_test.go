//go:build race

package mcpserver

// raceEnabled: the race detector makes everything several times slower, so that times mean little.
const raceEnabled = true
