package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"go.almanac.example/server/servertest"
)

const aperture = "library/bitcoin-lightning/aperture-l402-proxy.json"

func TestReload(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	dir := servertest.CopyFixtures(t)
	p := startServe(t, "-fixtures", dir)
	title := func() string {
		status, body := p.get("/api/entries/aperture-l402-proxy.json")
		var doc struct{ Entry struct{ Title string } }
		if err := json.Unmarshal([]byte(body), &doc); err != nil || status != http.StatusOK {
			t.Fatalf("status %d, %v, body %s", status, err, body)
		}
		return doc.Entry.Title
	}
	before := title()
	const reloaded = "Aperture, reloaded"

	t.Run("new data", func(t *testing.T) {
		servertest.Edit(t, dir, aperture, before, reloaded)
		p.signal(syscall.SIGHUP)
		p.waitLog(`"msg":"reloaded"`)
		if got := title(); got != reloaded {
			t.Errorf("title = %q after the reload", got)
		}
	})
	t.Run("faulty data leave the old ones up", func(t *testing.T) {
		servertest.Edit(t, dir, aperture, `"verified_at": "`, `"verified_at": "no-day-`)
		p.signal(syscall.SIGHUP)
		p.waitLog("no-day-")
		if got := title(); got != reloaded {
			t.Errorf("title = %q after the failed reload", got)
		}
		if !strings.Contains(p.logged(), aperture) {
			t.Errorf("the log does not name the file:\n%s", p.logged())
		}
	})
	t.Run("mended data", func(t *testing.T) {
		servertest.Edit(t, dir, aperture, "no-day-", "")
		servertest.Edit(t, dir, aperture, reloaded, before)
		p.signal(syscall.SIGHUP)
		servertest.WaitUntil(t, "the title is "+before, func() bool { return title() == before })
	})
}
