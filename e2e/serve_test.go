package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
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
		servertest.Edit(t, dir, aperture, `"verified_at": "2026-11-22"`, `"verified_at": "2026-02-30"`)
		p.signal(syscall.SIGHUP)
		p.waitLog("2026-02-30")
		if got := title(); got != reloaded {
			t.Errorf("title = %q after the failed reload", got)
		}
		if !strings.Contains(p.logged(), aperture) {
			t.Errorf("the log does not name the file:\n%s", p.logged())
		}
	})
	t.Run("mended data", func(t *testing.T) {
		servertest.Edit(t, dir, aperture, "2026-02-30", "2026-11-22")
		servertest.Edit(t, dir, aperture, reloaded, before)
		p.signal(syscall.SIGHUP)
		servertest.WaitUntil(t, "the title is "+before, func() bool { return title() == before })
	})
}

func TestWatch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	dir := servertest.CopyFixtures(t)
	p := startServe(t, "-fixtures", dir, "-watch")
	servertest.Edit(t, dir, aperture, `"featured": true`, `"featured": false`) // not canonical: a reload must see and refuse it
	p.waitLog("reload failed")
}

// TestIndexOnDisk: the same search from an index on disk, also after a reload and a restart over it.
func TestIndexOnDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	dir, state := servertest.CopyFixtures(t), t.TempDir()
	for range 2 {
		p := startServe(t, "-fixtures", dir, "-index", "disk", "-state", state)
		s := &servertest.Client{T: t, URL: p.base}
		credential := s.Buy()
		for reload := range 2 {
			res, body := s.Do(http.MethodGet, "/v1/search?q=mqtt&limit=1", "", "Authorization", credential)
			if hits := servertest.Decode[struct{ Entries []struct{ ID string } }](t, body).Entries; res.StatusCode != http.StatusOK || len(hits) != 1 || hits[0].ID != "mqtt-5" {
				t.Fatalf("reload %d: status %d: %s", reload, res.StatusCode, body)
			}
			servertest.Edit(t, dir, "library/iot/mqtt-5.json", `"title": "`, `"title": "Again, `)
			p.signal(syscall.SIGHUP)
			p.waitMetric(fmt.Sprintf(`almanac_reloads_total{outcome="ok"} %d`, reload+2))
		}
		p.signal(syscall.SIGTERM)
		if status := p.wait(); status != 0 {
			t.Fatalf("exit status %d", status)
		}
	}
	if _, err := os.Stat(filepath.Join(state, "index")); err != nil {
		t.Error(err)
	}
}

func TestStop(t *testing.T) {
	p := startServe(t)
	p.signal(syscall.SIGTERM)
	if status := p.wait(); status != 0 {
		t.Errorf("exit status %d after SIGTERM, want 0\n%s", status, p.logged())
	}
}
