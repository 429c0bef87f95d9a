package links

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// archiveBytes is how much of an availability answer is read.
const archiveBytes = 64 << 10

// archived asks an availability API for the newest archived copy of an address, and returns "" when there is none. The API is
// called with ?url=… and answers {"archived_snapshots":{"closest":{"available":true,"status":"200","url":"…"}}}, as the
// Internet Archive's does (https://archive.org/help/wayback_api.php).
func (c *Checker) archived(ctx context.Context, api, address string) (string, error) {
	u, err := parse(api)
	if err != nil {
		return "", fmt.Errorf("archive API: %w", err)
	}
	q := u.Query()
	q.Set("url", address)
	u.RawQuery = q.Encode()
	var a *answer
	for try := 1; ; try++ {
		if a, err = c.fetch.send(ctx, http.MethodGet, u, archiveBytes); err == nil {
			err = a.cut
		}
		again := err != nil && mayPass(err) || err == nil && isTemporary(a.status)
		if !again || try >= c.cfg.Attempts {
			break
		}
		if err := sleep(ctx, c.cfg.Backoff<<(try-1)); err != nil {
			return "", err
		}
	}
	if err != nil {
		_, detail := classify(err)
		return "", errors.New("archive API: " + detail)
	}
	if a.status != http.StatusOK {
		return "", fmt.Errorf("archive API answers %d", a.status)
	}
	return snapshot(a.body)
}

func snapshot(body []byte) (string, error) {
	var found struct {
		Snapshots struct {
			Closest struct {
				Available bool   `json:"available"`
				Status    string `json:"status"`
				URL       string `json:"url"`
			} `json:"closest"`
		} `json:"archived_snapshots"`
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return "", fmt.Errorf("archive API: not an availability answer: %s", oneLine(err.Error()))
	}
	copied := found.Snapshots.Closest
	if !copied.Available || copied.Status != "200" {
		return "", nil
	}
	u, err := url.Parse(copied.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || strings.TrimSpace(copied.URL) != copied.URL || oneLine(copied.URL) != copied.URL {
		return "", errors.New("archive API: the address of its copy is not a web address")
	}
	return copied.URL, nil
}
