//go:build soak

package e2e

import (
	"testing"
)

// startPostgres starts a server without passwords, at a socket.
func startPostgres(t *testing.T) *postgres {
	t.Helper()
	pg := newPostgres(t)
	pg.run("initdb", "-D", pg.data, "-U", "almanac", "--auth=trust", "--no-instructions", "-E", "UTF8", "--locale=C")
	pg.start()
	pg.run("createdb", "-h", pg.dir, "-U", "almanac", "almanac")
	return pg
}

func (pg *postgres) start() { pg.listen("") }

func (pg *postgres) url() string { return "postgres://almanac@/almanac?host=" + pg.dir }
