package sources

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/catalog/load"
	"almanac/scratch"
)

// TestWrite: only a quote that was found at the address of today moves the day of a record or a fact; no other member of any
// file changes, no day goes back, and the files stay canonical.
func TestWrite(t *testing.T) {
	dir := scratch.Dir(t)
	if err := os.CopyFS(dir, os.DirFS("../../fixtures")); err != nil {
		t.Fatal(err)
	}
	cat, err := load.Load(os.DirFS(dir), catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	claim := func(record, member string) Claim {
		return Claim{Record: record, Member: member, Quote: quote, Own: true}
	}
	other := claim("lnd", "")
	other.Own = false
	unquoted := claim("eclair", "")
	unquoted.Quote = ""
	findings := []Finding{
		{Claim: claim("mqtt-5", ""), Verdict: Stands, Read: day},
		{Claim: claim("protocol:l402", "http_headers"), Verdict: Stands, Read: day},
		{Claim: claim("protocol:l402", "pay_flow"), Verdict: Superseded, Read: day},
		{Claim: claim("protocol:l402", "notes"), Verdict: Stands, Read: day},
		{Claim: claim("protocol:l402", "notes"), Verdict: Gone, Read: day}, // of two quotes one
		{Claim: claim("protocol:x402", "notes"), Verdict: Gone, Read: day},
		{Claim: claim("protocol:nwc", "notes"), Verdict: Unread, Read: day},
		{Claim: claim("rfc-7252-coap", ""), Verdict: Moved, Read: day},
		{Claim: claim("bolt-12-offers", ""), Verdict: Stands, Read: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Claim: other, Verdict: Stands, Read: day},
		{Claim: unquoted, Verdict: Answers, Read: day},
	}
	changed, err := Write(dir, cat, findings)
	if err != nil || changed != 2 {
		t.Fatalf("%d records changed, want 2: %v", changed, err)
	}
	var got []string
	before, after := os.DirFS("../../fixtures"), os.DirFS(dir)
	if _, err := load.Load(after, catalog.Options{Site: catalog.DefaultSite}); err != nil {
		t.Fatal(err)
	}
	old, err := load.ReadVersion(before)
	if err != nil {
		t.Fatal(err)
	}
	now, err := load.ReadVersion(after)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(load.CheckHistory(old, now).Error()), "\n") {
		path, rest, _ := strings.Cut(line, ": ")
		member, _, _ := strings.Cut(rest, ":")
		got = append(got, path+" "+member)
	}
	want := []string{"library/iot/mqtt-5.json verified_at", "protocols/l402.json http_headers.verified_at", "protocols/l402.json pay_flow.verified_at"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members that changed (-want +got):\n%s", diff)
	}
}
