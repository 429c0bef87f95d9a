package catalog

import (
	"regexp"
	"slices"
	"strings"
)

// An EvidenceRecord holds the readings for the members of a record: those on which each rests, and those that
// contradict it.
type EvidenceRecord struct {
	Record  string           `json:"record"` // as the history names it: "protocol:l402", "mqtt-5"
	Members []MemberEvidence `json:"members" form:"filled"`
}

// MemberEvidence is the evidence for one member of a record.
type MemberEvidence struct {
	Member   string          `json:"member"`   // "http_headers" of a protocol, "date_published" of an entry
	Readings []SourceReading `json:"readings"` // those that hold come first
}

// A SourceReading quotes a source, and says in which copy the quote was read. The copy itself is not stored: its hash
// tells whether another copy is the same.
type SourceReading struct {
	Holds    bool    `json:"holds"`            // the record follows this reading
	URL      string  `json:"url" form:"url"`   // permanent, where there is a permanent address
	Copy     string  `json:"copy" form:"copy"` // one of CopyKinds
	CopyDate *Date   `json:"copy_date"`        // the day of the copy: of the commit, or of the page
	ReadAt   Date    `json:"read_at"`
	SeenAt   *Date   `json:"seen_at,omitempty"` // a machine saw the section unchanged; nil if none has looked
	Quote    string  `json:"quote" form:"paragraph"`
	SHA256   *string `json:"sha256" form:"hash"` // of the whole copy; nil when only parts of it were seen
	Note     *string `json:"note" form:"summary"`
}

// The kinds of copies that are read.
const (
	CopyRepository = "repository"  // a file of a repository at the commit in the address
	CopyFile       = "stored-file" // a file of a repository at a commit, read in parts in a store
	CopyPage       = "stored-page" // a stored copy of a web page
	CopyLive       = "live-page"   // the page as it answered on the day of the reading
)

// CopyKinds are the kinds of copies that are read.
var CopyKinds = []string{CopyRepository, CopyFile, CopyPage, CopyLive}

// A SourceClass says how near a reading is to the source that a record names.
type SourceClass string

// The classes of readings, the nearest first.
const (
	ClassSource     SourceClass = "source"      // the source's own address, or a copy of it
	ClassRepository SourceClass = "repository"  // the repository of the source, at a commit
	ClassSecondary  SourceClass = "secondary"   // the source, which tells of or reprints what others published
	ClassAbout      SourceClass = "about"       // a page of the publisher or a register about the source, or a draft of it
	ClassThirdParty SourceClass = "third-party" // another text that describes the source
)

// SourceClasses are the classes of readings, the nearest first.
var SourceClasses = []SourceClass{ClassSource, ClassRepository, ClassSecondary, ClassAbout, ClassThirdParty}

// OfSource reports whether a reading of the class is of the source itself, in some copy.
func (c SourceClass) OfSource() bool { return c != ClassAbout && c != ClassThirdParty }

// A ClassedReading is a reading as documents show it.
type ClassedReading struct {
	SourceReading
	Class SourceClass `json:"class"`
}

// RepositoryRecord says which sites are generated from which repositories, and where no sources are published.
type RepositoryRecord struct {
	Sites     []SiteRepository `json:"sites"`
	About     []string         `json:"about,omitempty" form:"url"`     // beginnings of the addresses of readings
	Secondary []string         `json:"secondary,omitempty" form:"url"` // beginnings of the addresses of records
}

// A SiteRepository names the repository from which a site, or a part of it, is published. A site may have several.
type SiteRepository struct {
	Site       string `json:"site" form:"url"` // beginning of its addresses
	Repository string `json:"repository" form:"url"`
}

// publishing returns the repositories of the longest site to which an address belongs, as repositoryOf writes them.
func (r RepositoryRecord) publishing(address string) []string {
	var repositories []string
	longest, plain := 0, plainAddress(address)
	document := documentOf(plain)
	host, _, _ := strings.Cut(plain, "/")
	for _, s := range r.Sites {
		if len(s.Site) < longest || document == "" && !strings.Contains(strings.ToLower(s.Site), host) || !isPart(plain, document, s.Site) {
			continue
		}
		if len(s.Site) > longest {
			longest, repositories = len(s.Site), nil
		}
		repositories = append(repositories, repositoryOf(s.Repository))
	}
	return repositories
}

// Class returns the class of a reading for a record whose source has an address.
func (r RepositoryRecord) Class(address string, s SourceReading) SourceClass {
	class := ClassThirdParty
	repository := repositoryOf(s.URL)
	switch {
	case repository != "" && commitPattern.MatchString(s.URL) &&
		(repository == repositoryOf(address) || slices.Contains(r.publishing(address), repository)):
		class = ClassRepository
	case isBelow(ArchivedAddress(s.URL), address):
		class = ClassSource
	}
	below := func(address string) func(string) bool {
		return func(beginning string) bool { return strings.HasPrefix(address, beginning) }
	}
	switch {
	case class == ClassThirdParty:
	case slices.ContainsFunc(r.About, below(s.URL)):
		return ClassAbout
	case slices.ContainsFunc(r.Secondary, below(address)):
		return ClassSecondary
	}
	return class
}

// Best returns the reading of the best class that holds; ok is false when none does.
func (r RepositoryRecord) Best(address string, readings []SourceReading) (best ClassedReading, ok bool) {
	for _, s := range readings {
		class := r.Class(address, s)
		if s.Holds && (!ok || slices.Index(SourceClasses, class) < slices.Index(SourceClasses, best.Class)) {
			best, ok = ClassedReading{s, class}, true
		}
	}
	return best, ok
}

var (
	commitPattern  = regexp.MustCompile(`/[0-9a-f]{40}([/?#]|$)`)
	archivePattern = regexp.MustCompile(`^https?://(?:web\.archive\.org/web|archive\.org/web)/\d+[a-z_]*/`)
	codeHosts      = []string{"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"}
)

// Commit returns the commit to which the address of a reading is pinned, or "".
func (s SourceReading) Commit() string { return strings.Trim(commitPattern.FindString(s.URL), "/?#") }

// repositoryOf returns host, owner and name of the repository to which an address belongs, in lower case, or "".
func repositoryOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	parts := strings.FieldsFunc(strings.ToLower(rest), func(r rune) bool { return r == '/' || r == '?' || r == '#' })
	if len(parts) < 3 {
		return ""
	}
	host := strings.TrimPrefix(parts[0], "www.")
	if host == "raw.githubusercontent.com" {
		host = "github.com"
	}
	if !slices.Contains(codeHosts, host) {
		return ""
	}
	return host + "/" + parts[1] + "/" + strings.TrimSuffix(parts[2], ".git")
}

// ArchivedAddress returns the address of which an archive's address has a copy; other addresses are returned as they
// are.
func ArchivedAddress(address string) string {
	if prefix := archivePattern.FindString(address); prefix != "" {
		return address[len(prefix):]
	}
	return address
}

// isBelow reports whether an address is another one or that of a part of the same publication: the same document of a
// register, or a page below the other's path.
func isBelow(address, base string) bool {
	plain := plainAddress(address)
	return isPart(plain, documentOf(plain), base)
}

// isPart is isBelow for a plain address with its document.
func isPart(plain, document, base string) bool {
	b := plainAddress(base)
	rest, ok := strings.CutPrefix(plain, b)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?') || document != "" && document == documentOf(b)
}

// plainAddress returns an address without its scheme, "www.", fragment and the endings that lead to the same page.
func plainAddress(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	rest, _, _ = strings.Cut(rest, "#")
	host, path, _ := strings.Cut(rest, "/")
	path = strings.TrimSuffix(path, "/")
	for _, ending := range []string{"index.html", ".html", ".md", "/"} {
		path = strings.TrimSuffix(path, ending)
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(host), "www.")+"/"+path, "/")
}

// registers are the ends of the hosts in documentForms.
var registers = []string{"rfc-editor.org", "ietf.org", "arxiv.org", "oasis-open.org", "europa.eu", "whatwg.org"}

// documentForms are the addresses at which registers have one document in several forms.
var documentForms = []struct {
	pattern *regexp.Regexp
	id      string
}{
	{regexp.MustCompile(`^(?:rfc-editor|datatracker\.ietf|tools\.ietf|ietf)\.(?:org)/.*\brfc(\d+)\b`), "rfc$1"},
	{regexp.MustCompile(`^(?:datatracker\.ietf|tools\.ietf|ietf)\.org/.*\b(draft-[a-z0-9-]+?)(?:-\d\d)?(?:[/.]|$)`), "$1"},
	{regexp.MustCompile(`^html\.spec\.whatwg\.org/(?:multipage/)?([a-z-]+)$`), "html $1"},
	{regexp.MustCompile(`^arxiv\.org/(?:abs|pdf|html)/(\d+\.\d+)`), "arxiv $1"},
	{regexp.MustCompile(`^docs\.oasis-open\.org/([a-z0-9-]+)/[a-z0-9-]+/v(\d+)\.(\d+)/(?:os/)?[^/]+$`), "oasis $1 $2 $3"},
	{regexp.MustCompile(`^oasis-open\.org/standard/([a-z0-9-]+?)-v(\d+)-(\d+)-os$`), "oasis $1 $2 $3"},
	{regexp.MustCompile(`^((?:[a-z-]+\.)*europa\.eu/.+)_[a-z]{2}$`), "$1"},
	{regexp.MustCompile(`^eur-lex\.europa\.eu/eli/[a-z_]+/(\d{4})/0*(\d+)\b`), "eu $1 $2"},
	{regexp.MustCompile(`^eur-lex\.europa\.eu/legal-content/[A-Z/]*(?:TXT|ALL)/.*CELEX(?::|%3A)[03](\d{4})[A-Z]0*(\d+)`), "eu $1 $2"},
	{regexp.MustCompile(`^eur-lex\.europa\.eu/legal-content/.*OJ(?::|%3A)L_(\d{4})0*(\d+)`), "eu $1 $2"},
}

// documentOf returns the name of the document that a register has at a plain address, or "".
func documentOf(plain string) string {
	host, _, _ := strings.Cut(plain, "/")
	if !slices.ContainsFunc(registers, func(r string) bool { return strings.HasSuffix(host, r) }) {
		return ""
	}
	for _, f := range documentForms {
		if m := f.pattern.FindStringSubmatchIndex(plain); m != nil {
			return string(f.pattern.ExpandString(nil, f.id, plain, m))
		}
	}
	return ""
}

// ReadAt returns the newest day of a reading that holds.
func (m MemberEvidence) ReadAt() (newest Date) {
	for _, r := range m.Readings {
		if r.Holds {
			newest = max(newest, r.ReadAt)
		}
	}
	return newest
}

// ReadAt returns the newest day of a reading.
func (e *EvidenceRecord) ReadAt() Date {
	return newestOf(e.Members, func(m MemberEvidence) Date {
		return newestOf(m.Readings, func(r SourceReading) Date { return r.ReadAt })
	})
}

// Member returns the evidence for a member.
func (e *EvidenceRecord) Member(name string) (MemberEvidence, bool) {
	return find(e.Members, func(m MemberEvidence) bool { return m.Member == name })
}

// A StatementRecord holds statements about a library entry, beyond its summary.
type StatementRecord struct {
	Record     string      `json:"record"` // id of the entry
	Statements []Statement `json:"statements"`
}

// A Statement is a sentence or two about the source of an entry, with the readings that show it.
type Statement struct {
	ID       string          `json:"id" form:"slug"`     // unique among those of the entry; the anchor on its page
	About    string          `json:"about" form:"about"` // one of StatementSubjects
	Text     string          `json:"text" form:"quote"`
	Example  *Example        `json:"example,omitempty"` // of statements about ExampleSubject
	Calendar *CalendarDate   `json:"calendar,omitempty"`
	Readings []SourceReading `json:"readings"` // those that hold come first
}

// An Example is literal text from a specification.
type Example struct {
	MediaType string `json:"media_type" form:"title"`
	Text      string `json:"text" form:"lines"`
}

// ExampleSubject is the subject of the statements that have an example.
const ExampleSubject = "example"

// StatementSubjects are the subjects of statements; fixtures/README.md has their meanings.
var StatementSubjects = []string{"addresses", "dates", "errors", ExampleSubject, "failure", "function", "licence",
	"limits", "names", "needs", "people", "price", "relations", "status", "version"}

// MaxStatements is the most statements that an entry has.
const MaxStatements = 8

// A QuestionRecord holds questions that a record answers, in the words of those who ask. Search finds the record by
// them, and orders its passages by theirs.
type QuestionRecord struct {
	Record    string            `json:"record"` // id as in the change feed: "lnd", "protocol:l402"
	Questions []string          `json:"questions" form:"list"`
	Passages  map[string]string `json:"passages,omitempty"` // the question that each passage answers, by PassageKey
}
