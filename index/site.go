package index

import (
	"fmt"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
)

// pageRecords returns the pages of the site that only the free search finds: categories, tags and single documents.
func pageRecords(c *catalog.Catalog) (list []record) {
	add := func(page find.Record, labels string) {
		page.URL = c.Site().URL(page.Path)
		r := record{Record: page, labels: labels, passages: []Passage{{Kind: PassageSummary}}}
		r.names = slices.Compact(append([]string{r.ID, r.slug(), page.Title}, strings.Split(labels, ", ")...))
		list = append(list, r)
	}
	for _, k := range c.Categories() {
		add(find.Record{ID: "category:" + k.ID, Kind: "category", Title: k.Label, Path: catalog.CategoryPath(k.ID)}, k.ID)
	}
	for _, tag := range c.Tags() {
		add(find.Record{ID: "tag:" + tag.ID, Kind: "tag", Title: "Tag " + tag.ID, Path: catalog.TagPath(tag.ID)}, tag.ID)
	}
	month := func(n *catalog.NewsItem) string { return n.Date.Time().Format("January 2006") }
	months := slices.Compact(catalog.Convert(c.News(), month))
	monthName := func(month string) string { return strings.Fields(month)[0] }
	for _, page := range []struct {
		exists                        bool
		id, title, path, line, labels string
	}{
		{len(c.Profiles()) > 0, "compare", "Compare payment protocols", catalog.ComparePath,
			"Payment protocols field by field, with the messages of a payment.", "side by side"},
		{len(c.Profiles()) > 0, "choose", "Choose a protocol", catalog.ChoosePath,
			"A few questions, and the payment protocols that fit.", "which protocol should I use"},
		{len(c.Clients()) > 0, "clients", "Clients", catalog.ClientsPath,
			"Paying clients, run against many forms of a 402.", "which client pays which 402, which client pays x402, L402 or MPP, client compatibility, clients, clients by scheme"},
		{len(c.ProtocolPageIDs()) > 0, "explain", "Explain a 402", catalog.ExplainPath,
			"Paste a 402 response, an invoice or a credential, and read what it means.", "decode an invoice, read a 402, explain my 402"},
		{true, "connect", "Connect an agent", catalog.ConnectPath, "Install commands for Claude, Cursor, VS Code and other MCP hosts.",
			"connect Claude, connect Claude Desktop, MCP server, install, add to Cursor, Claude Code, MCP URL, API"},
		{len(c.News()) > 0, "news", "News", catalog.NewsPath, "Releases, laws and changes, with feeds to subscribe to.",
			"what's new, what changed this month, what happened this week, feed, RSS feed, RSS, Atom, subscribe, " + strings.Join(months, ", ")},
		{true, "history", "All edits", catalog.HistoryPath,
			"Every edit and reading, day by day, with Atom and JSON feeds of all, of a tag and of a protocol; there is none of a category.",
			"history, changes, feed, what we checked"},
		{true, "report", "Report an error", catalog.TrustPath + "#report", "Where to say that something here is wrong.",
			"correction, report a mistake, contact, something is wrong, I found a mistake, a wrong fact, this fact is wrong, feedback"},
		{true, "own", "Run your own", catalog.TrustPath + "#own", "The program serves this site, or a library of yours, on your machine.",
			"publish my own library, self-host, source code, GitHub, download the program"},
		{true, "privacy", "Privacy", catalog.PrivacyPath, "What the service stores about you, and for how long.", "personal data, cookies, tracking"},
		{true, "datasets", "Datasets", catalog.DatasetsPath, "All data as JSON and CSV, free, without a key.",
			"get the data, download, CSV, JSON, bulk export"},
		{true, "trust", "Trust checklist", catalog.TrustPath,
			"What this service promises, each promise with a test, and its error codes.", "promises, error codes, about"},
		{true, "operator", "Who is responsible", catalog.TrustPath + "#contact",
			"Who wrote down the facts of this installation, and the contact if it lists one.",
			"who runs this site, who is behind this site, who operates this site, who makes this, operator, imprint"},
		{c.TakesTips(), "support", "Support document", catalog.SupportPath, "Voluntary ways to tip this service.",
			"tip, donate"},
		{c.HasCalendar(), "calendar", "Calendar", catalog.CalendarPath,
			"When drafts expire, laws apply, consultations close and support ends.", "deadlines, dates, deadlines of laws, which laws apply from when, upcoming dates, subscribe calendar ics, iCalendar, webcal"},
		{c.Payments() != catalog.PaymentsOff, "buy", "Buy searches", catalog.FindPath + "#buy",
			fmt.Sprintf("%d satoshis buy %d full-text searches, over Lightning: the tool search_passages or GET %s.",
				c.Terms().PriceSats, c.Terms().Credits, catalog.SearchPath), "paid full-text search, price of a search, cost, buy"},
		{c.Payments() != catalog.PaymentsOff, "terminal", "Buy from a terminal", catalog.FindPath + "#terminal",
			"The curl commands of a first purchase: ask, pay, and ask again with the proof.", "curl commands for a first purchase, buy with curl, pay from the command line"},
	} {
		if !page.exists {
			continue
		}
		add(find.Record{ID: page.id, Kind: page.id, Title: page.title, Line: page.line, Path: page.path}, page.labels)
		if page.path == catalog.NewsPath { // but "x402" alone does not ask for news
			names := &list[len(list)-1].names
			for _, of := range slices.Concat(c.NewsFeedIDs(), months, catalog.Convert(months, monthName)) {
				*names = append(*names, of+" feed", of+" news", "latest "+of+" news", "news "+of, "news from "+of, "news in "+of, "news about "+of, "what changed in "+of)
			}
		}
	}
	return list
}

// PagePath returns the path of a page of the site that the free search finds, or "".
func PagePath(c *catalog.Catalog, id string) string {
	for _, r := range pageRecords(c) {
		if r.ID == id {
			return r.Path
		}
	}
	return ""
}
