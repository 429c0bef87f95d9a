package sources

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWriteJSON: the document has every finding, what has to be looked at first, and null for what is not known.
func TestWriteJSON(t *testing.T) {
	var b bytes.Buffer
	err := Report{Findings: []Finding{
		{Claim: Claim{Record: "mqtt-5", Source: "https://example.org/mqtt"}, Verdict: Unread, Detail: "was not asked for"},
		{
			Claim:   Claim{Record: "protocol:l402", Member: "status_code", Quote: "402", Source: "https://example.org/HEAD", Pinned: "https://example.org/1"},
			Verdict: Superseded, Newer: "v2", Pinned: Stands, Read: time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC),
		},
	}, News: []News{{Signal{Kind: Release, Subject: "a/b", Read: "https://github.com/a/b/releases", Records: []string{"b"}}, "v1", "v2"}}}.WriteJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "claims": 2,
  "verdicts": {
    "answers": 0,
    "changed": 0,
    "gone": 0,
    "moved": 0,
    "stands": 0,
    "superseded": 1,
    "unread": 1
  },
  "findings": [
    {
      "verdict": "superseded",
      "record": "protocol:l402",
      "member": "status_code",
      "source": "https://example.org/HEAD",
      "pinned": "https://example.org/1",
      "pinned_verdict": "stands",
      "quote": "402",
      "detail": null,
      "moved_to": null,
      "newer": "v2",
      "read_at": "2026-11-22T08:00:00Z"
    },
    {
      "verdict": "unread",
      "record": "mqtt-5",
      "member": null,
      "source": "https://example.org/mqtt",
      "pinned": null,
      "pinned_verdict": null,
      "quote": null,
      "detail": "was not asked for",
      "moved_to": null,
      "newer": null,
      "read_at": null
    }
  ],
  "news": [
    {
      "kind": "release",
      "subject": "a/b",
      "read": "https://github.com/a/b/releases",
      "was": "v1",
      "is": "v2",
      "records": [
        "b"
      ]
    }
  ]
}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}
