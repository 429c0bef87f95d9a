package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// A Door is a page of the site itself, with the names by which visitors ask for it.
type Door struct {
	ID, Kind, Title, Path, Line string
	Names                       string   // with commas between; their words are the page's own
	Asked                       []string // further names, which are the page's only as a whole
}

// Doors returns the pages of categories, of tags and of steps between versions, and the single documents.
func (c *Catalog) Doors() (list []Door) {
	for _, k := range c.Categories() {
		list = append(list, Door{ID: "category:" + k.ID, Kind: "category", Title: k.Label, Path: CategoryPath(k.ID), Names: k.ID})
	}
	for _, tag := range c.Tags() {
		list = append(list, Door{ID: "tag:" + tag.ID, Kind: "tag", Title: "Tag " + tag.ID, Path: TagPath(tag.ID), Names: tag.ID})
	}
	for _, id := range c.ProtocolPageIDs() {
		for _, u := range c.steps(id) {
			list = append(list, Door{ID: "upgrade:" + u.ID, Kind: "upgrade", Title: u.Name + " " + u.From + " to " + u.To, Path: UpgradePath(u.ID),
				Line: "What changed, field by field, with the words of both versions.",
				Names: fmt.Sprintf("what changed between %[1]s %[2]s and %[3]s, what changed from %[1]s %[2]s to %[3]s, %[1]s %[2]s vs %[3]s, "+
					"difference between %[1]s %[2]s and %[3]s, migrate from %[1]s %[2]s to %[3]s, upgrade from %[1]s %[2]s to %[3]s", u.Name, u.From, u.To)})
		}
	}
	month := func(n *NewsItem) string { return n.Date.Time().Format("January 2006") }
	months := slices.Compact(Convert(c.News(), month))
	monthName := func(month string) string { return strings.Fields(month)[0] }
	for _, page := range []struct {
		exists                       bool
		id, title, path, line, names string
	}{
		{len(c.Profiles()) > 0, "compare", "Compare payment protocols", ComparePath,
			"Payment protocols field by field, with the messages of a payment.", "side by side"},
		{len(c.Profiles()) > 0, "choose", "Choose a protocol", ChoosePath,
			"A few questions, and the payment protocols that fit.", "which protocol should I use"},
		{len(c.Clients()) > 0, "clients", "Clients", ClientsPath,
			"Paying clients, run against many forms of a 402.", "which client pays which 402, which client pays x402, L402 or MPP, client compatibility, clients, clients by scheme"},
		{len(c.ProtocolPageIDs()) > 0, "explain", "Explain a 402", ExplainPath,
			"Paste a 402 response, an invoice or a credential, and read what it means.", "decode an invoice, read a 402, explain my 402"},
		{true, "connect", "Connect an agent", ConnectPath, "Install commands for Claude, Cursor, VS Code and other MCP hosts.",
			"connect Claude, connect Claude Desktop, MCP server, install, add to Cursor, Claude Code, MCP URL, API"},
		{len(c.News()) > 0, "news", "News", NewsPath, "Releases, laws and changes, with feeds to subscribe to.",
			"what's new, what changed this month, what happened this week, feed, RSS feed, RSS, Atom, subscribe, " + strings.Join(months, ", ")},
		{true, "history", "All edits", HistoryPath,
			"Every edit and reading, day by day, with Atom and JSON feeds of all, of a tag and of a protocol; there is none of a category.",
			"history, changes, feed, what we checked"},
		{true, "report", "Report an error", TrustPath + "#report", "Where to say that something here is wrong.",
			"correction, report a mistake, contact, something is wrong, I found a mistake, a wrong fact, this fact is wrong, feedback"},
		{true, "own", "Run your own", TrustPath + "#own", "The program serves this site, or a library of yours, on your machine.",
			"publish my own library, self-host, source code, GitHub, download the program"},
		{true, "privacy", "Privacy", PrivacyPath, "What the service stores about you, and for how long.", "personal data, cookies, tracking"},
		{true, "datasets", "Datasets", DatasetsPath, "All data as JSON and CSV, free, without a key.",
			"get the data, download, CSV, JSON, bulk export"},
		{true, "trust", "Trust checklist", TrustPath,
			"What this service promises, each promise with a test, and its error codes.", "promises, error codes, about"},
		{true, "operator", "Who is responsible", TrustPath + "#contact",
			"Who wrote down the facts of this installation, and the contact if it lists one.",
			"who runs this site, who is behind this site, who operates this site, who makes this, operator, imprint"},
		{c.TakesTips(), "support", "Support document", SupportPath, "Voluntary ways to tip this service.",
			"tip, donate"},
		{c.HasCalendar(), "calendar", "Calendar", CalendarPath,
			"When drafts expire, laws apply, consultations close and support ends.", "deadlines, dates, deadlines of laws, which laws apply from when, upcoming dates, subscribe calendar ics, iCalendar, webcal"},
		{c.Payments() != PaymentsOff, "buy", "Buy searches", FindPath + "#buy",
			fmt.Sprintf("%d satoshis buy %d full-text searches, over Lightning: the tool search_passages or GET %s.",
				c.Terms().PriceSats, c.Terms().Credits, SearchPath), "paid full-text search, price of a search, cost, buy"},
		{c.Payments() != PaymentsOff, "terminal", "Buy from a terminal", FindPath + "#terminal",
			"The curl commands of a first purchase: ask, pay, and ask again with the proof.", "curl commands for a first purchase, buy with curl, pay from the command line"},
	} {
		if !page.exists {
			continue
		}
		door := Door{ID: page.id, Kind: page.id, Title: page.title, Line: page.line, Path: page.path, Names: page.names}
		if page.path == NewsPath { // but "x402" alone does not ask for news
			for _, of := range slices.Concat(c.NewsFeedIDs(), months, Convert(months, monthName)) {
				door.Asked = append(door.Asked, of+" feed", "feed of "+of, of+" news", "latest "+of+" news", "news "+of, "news from "+of, "news in "+of, "news about "+of, "what changed in "+of)
			}
		}
		list = append(list, door)
	}
	return list
}
