package sources

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/curate/links"
)

var update = flag.Bool("update", false, "rewrite the expected files")

// A watch is a claim that somebody could have read in a repository on a day, and what became of it.
type watch struct {
	since  string // the day of the reading
	claim  Claim
	change string // what truly changed: the words with which the table says it; "" when what the claim says stayed true
}

func onGitHub(repository, ref, file string) string {
	return "https://github.com/" + repository + "/blob/" + ref + "/" + file
}

const (
	x402 = "coinbase/x402"
	mpp  = "tempoxyz/mpp-specs"
	ucp  = "Universal-Commerce-Protocol/ucp"
	a2a  = "a2aproject/A2A"
	ap2  = "google-agentic-commerce/AP2"
	nuts = "cashubtc/nuts"
	nips = "nostr-protocol/nips"
)

var replayed = []string{x402, mpp, ucp, a2a, ap2, nuts, nips}

func claimed(repository, ref, file, quote string) Claim {
	return Claim{Record: "protocol:" + path.Base(repository), Member: path.Base(file), Quote: quote, Source: onGitHub(repository, ref, file), Own: true}
}

// watches are readings of repositories whose texts changed while facts were made of them.
var watches = map[string][]watch{
	x402: {
		{"2025-06-01", claimed(x402, "HEAD", "README.md", "A standard header X-PAYMENT that is set by clients paying for resources"), "version 2 names the header PAYMENT-SIGNATURE"},
		{"2025-06-01", claimed(x402, "HEAD", "README.md", "the x402 protocol will never force reliance on a single party"), ""},
		{"2025-06-01", claimed(x402, "HEAD", "README.md", "x402 is meant to seamlessly compliment the existing HTTP request made by traditional web services"), ""},
		{"2025-10-10", claimed(x402, "HEAD", "specs/transports/http.md", "Clients send payment data using the X-PAYMENT HTTP header."), "version 2 names the header PAYMENT-SIGNATURE, and the text of version 1 has another place"},
		{"2025-10-10", claimed(x402, "HEAD", "specs/transports/http.md", "Servers communicate payment settlement results using the X-PAYMENT-RESPONSE header."), "version 2 names the header PAYMENT-RESPONSE, and the text of version 1 has another place"},
		{"2025-10-10", claimed(x402, "HEAD", "specs/x402-specification.md", "Blockchain network identifier (e.g., \"base-sepolia\", \"ethereum-mainnet\")"), "networks beside EVM; then version 2 names them by CAIP-2, and the text of version 1 has another place"},
		{"2025-12-12", claimed(x402, "HEAD", "specs/transports-v2/http.md", "Clients send payment data using the PAYMENT-SIGNATURE HTTP header."), ""},
		{"2025-12-12", claimed(x402, "HEAD", "specs/transports-v2/http.md", "Servers communicate payment settlement results using the PAYMENT-RESPONSE header."), "the body of a failed settlement"},
	},
	mpp: {
		{"2026-03-18", claimed(mpp, "HEAD", "specs/core/draft-httpauth-payment-00.md", "Unknown parameters MUST be ignored by clients."), "draft -01, then -02"},
		{"2026-03-18", claimed(mpp, "HEAD", "specs/core/draft-httpauth-payment-00.md", "A payment proof MUST be usable exactly once; subsequent attempts to use the same proof MUST be rejected"), "draft -01, then -02"},
		{"2026-03-18", claimed(mpp, "HEAD", "specs/core/draft-httpauth-payment-00.md", "Servers MUST bind this value to the challenge parameters (Section 5.1.3) to enable verification."), "the parameter id must not be empty; then drafts -01 and -02"},
	},
	ucp: {
		{"2026-01-11", claimed(ucp, "v2026-01-11", "docs/specification/overview.md", "Platforms MUST communicate their profile URI with each request to enable capability negotiation."), "versions 2026-01-23 and 2026-04-08"},
		{"2026-01-11", claimed(ucp, "HEAD", "docs/specification/overview.md", "Businesses publish their profile at /.well-known/ucp."), "members of a service in the profile; then the text has another place"},
		{"2026-01-11", claimed(ucp, "HEAD", "docs/specification/overview.md", "Platforms MUST use Dictionary Structured Field syntax (RFC 8941)"), "the text has another place, docs/specification/overview/"},
		{"2026-01-11", claimed(ucp, "HEAD", "docs/specification/overview.md", "Version: 2026-01-11"), "the member data is named instruments; then the text has another place"},
		{"2026-01-11", claimed(ucp, "HEAD", "docs/specification/overview.md", "Credentials flow Platform → Business only."), "the text has another place, docs/specification/overview/"},
	},
	a2a: {
		{"2025-08-25", claimed(a2a, "HEAD", "docs/specification.md", "A2A communication MUST occur over HTTP(S)."), "version 1.0 is another text"},
		{"2025-08-25", claimed(a2a, "HEAD", "docs/specification.md", "Agents MUST implement at least one of the three core transport protocols"), "version 1.0 is another text"},
		{"2025-08-25", claimed(a2a, "HEAD", "docs/specification.md", "The Content-Type header for HTTP requests and responses containing JSON-RPC payloads MUST be application/json."), "version 1.0 is another text"},
		{"2025-08-25", claimed(a2a, "HEAD", "docs/specification.md", "MUST use Protocol Buffers version 3 for message serialization."), "version 1.0 is another text"},
	},
	ap2: {
		{"2025-09-25", claimed(ap2, "HEAD", "docs/specification.md", "The Merchant must sign the Cart that they create"), "version 0.2 has another place"},
		{"2025-09-25", claimed(ap2, "HEAD", "docs/specification.md", "The user must always be the ultimate authority."), "version 0.2 has another place"},
	},
	nuts: {
		{"2025-07-01", claimed(nuts, "HEAD", "18.md", "The unit of the requested payment (MUST be set if a is set)"), ""},
		{"2025-07-01", claimed(nuts, "HEAD", "24.md", "The token MUST be from one of the mints listed in the mints array"), "the rule for an empty transport is gone"},
	},
	nips: {
		{"2025-07-22", claimed(nips, "HEAD", "47.md", "The result_type field MUST contain the name of the method that this event is responding to."), "encryption by NIP-44, and a note on older wallets"},
		{"2025-07-22", claimed(nips, "HEAD", "47.md", "If the command was successful, the error field must be null."), "encryption by NIP-44, and a note on older wallets"},
		{"2025-07-22", claimed(nips, "HEAD", "47.md", "If from is not specified, it defaults to 0."), "transactions have a state"},
	},
}

// A step is the state of a repository from a day on, as far as the claims need it. Of a text it has the opening and the sections with
// the quotes, if they are there.
type step struct {
	Day    string              `json:"day"`
	Commit string              `json:"commit"`
	Files  map[string]*string  `json:"files"` // null: there is no such file
	Lists  map[string][]string `json:"lists,omitempty"`
	Tags   []string            `json:"tags,omitempty"`
	Note   string              `json:"note,omitempty"` // of a step that no commit tells
}

// at returns what a round would have found at an address on the day of the step.
func (s *step) at(address string, a *ask) *found {
	p := links.Page{Observation: links.Observation{URL: address, Status: 200}, Type: "text/plain; charset=utf-8"}
	u, _ := url.Parse(address)
	parts := strings.SplitN(strings.TrimPrefix(u.Path, "/"), "/", 4)
	switch u.Host {
	case "raw.githubusercontent.com": // owner, name, ref, path
		text, ok := s.Files[parts[2]+":"+parts[3]]
		if !ok || text == nil {
			p.Status, p.Kind, p.Detail = 404, "status", "404 Not Found"
			break
		}
		p.Body = []byte(*text + " ")
	case "api.github.com":
		type named struct {
			Name string `json:"name"`
		}
		names := s.Tags
		if _, dir, ok := strings.Cut(u.Path, "/contents/"); ok {
			names = s.Lists[dir]
		}
		list := []named{}
		for _, n := range names {
			list = append(list, named{n})
		}
		p.Body, _ = json.Marshal(list)
	}
	f := look(p, a)
	return &f
}

// TestReplay: the verdicts of check -facts on each day of the histories, with the true change. The committed extracts have the sections
// that are compared; with ALMANAC_REPLAY=DIR they are compared with repositories in DIR/<owner>+<name>/repo, and -update rewrites
// them.
func TestReplay(t *testing.T) {
	var table strings.Builder
	table.WriteString("| repository | read on | the quote, or what is watched | verdict | on | what truly changed |\n|---|---|---|---|---|---|\n")
	var counts strings.Builder
	counts.WriteString("| repository | from | to | quotes | changed | told | missed | false alarms |\n|---|---|---|---|---|---|---|---|\n")
	var quotes, allChanged, allTold, allAlarms int
	for _, repository := range replayed {
		all, from := steps(t, repository), "9999"
		var changed, told, alarms int
		for _, w := range watches[repository] {
			lines := replay(all, []watch{w})
			for _, line := range lines {
				fmt.Fprintf(&table, "| %s | %s |\n", repository, line)
			}
			from = min(from, w.since)
			quiet := strings.Contains(lines[0], "| "+Stands+" |")
			switch {
			case w.change == "" && !quiet:
				alarms++
			case w.change != "":
				changed++
				if !quiet {
					told++
				}
			}
		}
		fmt.Fprintf(&counts, "| %s | %s | %s | %d | %d | %d | %d | %d |\n", repository, from, all[len(all)-1].Day, len(watches[repository]),
			changed, told, changed-told, alarms)
		quotes += len(watches[repository])
		allChanged, allTold, allAlarms = allChanged+changed, allTold+told, allAlarms+alarms
	}
	golden(t, "testdata/replay/table.md", []byte(counts.String()+"\n"+table.String()))
	doc, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("Of %d quotes, %d truly changed at their source: %d reported, %d missed, %d false alarms.",
		quotes, allChanged, allTold, allChanged-allTold, allAlarms)
	if !bytes.Contains(doc, []byte(sum)) {
		t.Errorf("docs/sources.md does not say %q", sum)
	}
}

// replay returns, for each claim, each change of its verdict.
func replay(all []step, claims []watch) []string {
	var lines []string
	for _, w := range claims {
		asks, _ := questions([]Claim{w.claim}, nil)
		var baseline *section // as it was read
		last, changed := Stands, false
		add := func(verdict, detail, day string) {
			change := w.change
			if change == "" {
				change = "nothing: false alarm"
			}
			if verdict == Stands {
				change = "nothing: no alarm"
				if w.change != "" {
					change = w.change + ": missed"
				}
			}
			if detail != "" {
				verdict += ": " + detail
			}
			lines = append(lines, strings.Join([]string{w.since, "`" + w.claim.Member + "`: " + w.claim.Quote, verdict, day, change}, " | "))
		}
		for i := range all {
			s := &all[i]
			if i+1 < len(all) && all[i+1].Day <= w.since {
				continue
			}
			f := judge(w.claim, func(address string) *found { return s.at(address, asks[address]) }, baseline)
			if baseline == nil && f.Verdict == Stands {
				baseline = &f.section
			}
			if now := f.Verdict + f.Newer; now != last {
				last, changed = now, true
				day := s.Day
				if s.Note != "" {
					day = s.Note
				}
				add(f.Verdict, f.Detail, day)
			}
		}
		if !changed {
			add(Stands, "", "to "+all[len(all)-1].Day)
		}
	}
	return lines
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); look at it, then run with -update:\n%s", name, diff)
	}
}

// steps returns the committed extract of a repository, after comparing it with the repository if there is one.
func steps(t *testing.T, repository string) []step {
	t.Helper()
	name := filepath.Join("testdata", "replay", strings.ReplaceAll(repository, "/", "-")+".jsonl")
	var all []step
	read := func() {
		all = nil
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) && *update {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		for dec.More() {
			var s step
			if err := dec.Decode(&s); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
	}
	if dir := os.Getenv("ALMANAC_REPLAY"); dir != "" {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		for _, s := range extract(t, filepath.Join(dir, strings.ReplaceAll(repository, "/", "+"), "repo"), watches[repository]) {
			enc.Encode(s)
		}
		if *update {
			read()
			for _, s := range all { // what no commit tells stays
				if s.Note != "" {
					enc.Encode(s)
				}
			}
			if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if data, err := os.ReadFile(name); err != nil || !bytes.HasPrefix(data, b.Bytes()) {
			t.Errorf("%s is not what the repository has: %v", name, err)
		}
	}
	read()
	return all
}

// extract returns the steps of a repository: each commit of its first-parent history that changed what the claims look for.
func extract(t *testing.T, dir string, claims []watch) []step {
	t.Helper()
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"--git-dir", dir}, args...)...).Output()
		return string(out), err
	}
	files, lists := make(map[string][]string), make(map[string]bool)
	for _, w := range claims {
		parts := strings.SplitN(strings.TrimPrefix(readable(w.claim.Source), "https://raw.githubusercontent.com/"), "/", 4)
		files[parts[2]+":"+parts[3]] = append(files[parts[2]+":"+parts[3]], w.claim.Quote)
		if listings[0].source.MatchString(w.claim.Source) {
			lists[path.Dir(parts[3])] = true
		}
	}
	log, err := git("log", "--reverse", "--first-parent", "--format=%H %cs", "HEAD")
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	tags, _ := git("for-each-ref", "--format=%(refname:short) %(creatordate:short)", "refs/tags")
	var all []step
	for line := range strings.Lines(log) {
		commit, day, _ := strings.Cut(strings.TrimSpace(line), " ")
		s := step{Day: day, Commit: commit, Files: make(map[string]*string)}
		for name, quotes := range files {
			ref, file, _ := strings.Cut(name, ":")
			if ref == "HEAD" {
				ref = commit
			}
			s.Files[name] = extractOf(git, ref, file, quotes)
		}
		for list := range lists {
			out, _ := git("ls-tree", "--name-only", commit, list+"/")
			for file := range strings.Lines(out) {
				if s.Lists == nil {
					s.Lists = make(map[string][]string)
				}
				s.Lists[list] = append(s.Lists[list], path.Base(strings.TrimSpace(file)))
			}
		}
		for tag := range strings.Lines(tags) {
			if name, since, _ := strings.Cut(strings.TrimSpace(tag), " "); date.MatchString(name) && since <= day {
				s.Tags = append(s.Tags, name)
			}
		}
		all = append(all, s)
	}
	return turns(all, claims)
}

// turns returns the steps at which a claim was read or its verdict changed, and the last one.
func turns(all []step, claims []watch) []step {
	wanted := map[int]bool{len(all) - 1: true}
	for _, w := range claims {
		asks, _ := questions([]Claim{w.claim}, nil)
		var baseline *section
		last := ""
		for i := range all {
			s := &all[i]
			if i+1 < len(all) && all[i+1].Day <= w.since {
				continue
			}
			f := judge(w.claim, func(address string) *found { return s.at(address, asks[address]) }, baseline)
			if baseline == nil && f.Verdict == Stands {
				baseline = &f.section
			}
			if f.Verdict+f.Newer != last {
				last, wanted[i] = f.Verdict+f.Newer, true
			}
		}
	}
	var list []step
	for i, s := range all {
		if wanted[i] {
			list = append(list, s)
		}
	}
	return list
}

// extractOf returns the opening of a file and its sections with the quotes, or nil if there is no such file.
func extractOf(git func(...string) (string, error), ref, file string, quotes []string) *string {
	text, err := git("show", ref+":"+file)
	if err != nil {
		return nil
	}
	parts := strings.Split(markSections(text), sectionMark)
	var list []string
	for i, part := range parts {
		has := func(q string) bool { return says(part, q) }
		if slices.ContainsFunc(quotes, has) {
			list = append(list, part)
		} else if head := strings.Fields(part); i < 2 {
			list = append(list, strings.Join(head[:min(len(head), openingWords)], " ")+"\n")
		}
	}
	joined := strings.Join(list, "")
	return &joined
}
