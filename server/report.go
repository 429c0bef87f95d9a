package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
)

// reports stores what readers report of errors, where the operator names no address that takes them.
type reports struct {
	file  string // JSON Lines
	limit *peer.Limiter
	mu    sync.Mutex // of the file
}

// A report is a line of the file. It has nothing of its sender but what the sender wrote.
type report struct {
	At    time.Time `json:"at"`
	Page  string    `json:"page"`
	Text  string    `json:"text"`
	Reply string    `json:"reply,omitempty"`
}

// The limits of reports. A network may send ten at once, and then one in ten minutes.
const (
	maxReport      = 2000    // characters of a text
	maxReportBytes = 4 << 20 // of the file
	reportBurst    = 10
	reportInterval = 10 * time.Minute
	reportNetworks = 1 << 10
)

// openReports returns the reports of a state directory; nil if there is none.
func openReports(state string) *reports {
	if isGone(state) {
		return nil
	}
	return &reports{file: filepath.Join(state, "reports.jsonl"),
		limit: peer.NewLimiter(1/reportInterval.Seconds(), reportBurst, reportNetworks)}
}

// takesReports reports whether pages have a form for errors.
func (p *publisher) takesReports(c *catalog.Catalog) bool {
	return p.reports != nil && c.Identity().Report == ""
}

// reportPage stores what the form of a mirror's pages sends, and leads to the page that says so.
func (p *publisher) reportPage(mirror *httpmirror.Mirror) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rep, err := p.readReport(w, r)
		if err == nil {
			if err = p.reports.add(rep); err != nil {
				p.cfg.Log.Warn("a report of an error was not stored", "err", err)
			}
		}
		if err != nil {
			mirror.Refused(w, r, err)
			return
		}
		p.cfg.Log.Info("a reader reported an error", "page", rep.Page, "file", p.reports.file)
		httpmirror.SetSecurityHeaders(w.Header(), p.site)
		http.Redirect(w, r, catalog.Root(p.site.Base)+catalog.TrustPath+"#reported", http.StatusSeeOther)
	}
}

// readReport returns the report of a form, if the network of its sender may send one.
func (p *publisher) readReport(w http.ResponseWriter, r *http.Request) (rep report, err error) {
	if (&http.CrossOriginProtection{}).Check(r) != nil {
		return rep, problem.Errorf(problem.OriginForbidden, "Only the form of this site takes reports. Open the page here, and send it again.")
	}
	field, err := readForm(w, r)
	if err != nil {
		return rep, err
	}
	rep = report{time.Now().UTC().Truncate(time.Second),
		strings.TrimSpace(field("page")), strings.TrimSpace(field("text")), strings.TrimSpace(field("reply"))}
	switch n := utf8.RuneCountInString(rep.Text); {
	case n == 0:
		return rep, problem.Errorf(problem.ParameterInvalid, "The report is empty. Say what is wrong, and what its source says.")
	case n > maxReport, len(rep.Page)+len(rep.Reply) > maxReport:
		return rep, problem.Errorf(problem.BodyTooLarge, "The report is too long. Send %d characters at most.", maxReport)
	}
	if wait := p.reports.limit.Take(peer.FromContext(r.Context()), time.Now()); wait > 0 {
		return rep, &problem.Problem{Code: problem.RateLimited, RetryAfter: wait,
			Detail: fmt.Sprintf("Your network has sent %d reports. Send the next in ten minutes.", reportBurst)}
	}
	return rep, nil
}

// add appends a report to the file.
func (rs *reports) add(rep report) error {
	line, err := json.Marshal(rep)
	if err != nil {
		return err
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	f, err := os.OpenFile(rs.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("store a report: %w; give the service the right to write in -state", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("store a report: %w", err)
	case info.Size()+int64(len(line)) >= maxReportBytes:
		return &problem.Problem{Code: problem.Overloaded, RetryAfter: 24 * time.Hour,
			Detail: "The file of reports is full, until the operator has read and emptied it (docs/operate.md). Try again tomorrow."}
	}
	if _, err = f.Write(append(line, '\n')); err != nil {
		return errors.Join(fmt.Errorf("store a report: %w; free space for %s", err, rs.file), f.Truncate(info.Size()))
	}
	return nil
}
