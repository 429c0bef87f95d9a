package markdown

import (
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// Support renders the support document, with the paid interface where there is one.
func (r *Renderer) Support(w *Writer) {
	doc := phrase.Support(r.cat)
	lede := "Donations are voluntary. All data are free, and nothing here depends on a payment."
	if r.cat.SupportIsSample() {
		lede = phrase.SampleSupport
	}
	r.title(w, "Donate", lede, catalog.SupportPath, catalog.SupportJSONPath)
	w.Item("Updated", string(doc.Updated))
	if !r.cat.SupportIsSample() {
		supportMethods(w, doc)
	}
	if p := doc.PaidAPI; p != nil {
		w.Printf("\n## The paid interface\n\nNot a donation: %s sells searches by %s over %s, on these %s. %s\n",
			Address(p.URL), Text(p.Protocol), Text(p.Payment), r.link("terms", catalog.L402Path), Text(p.Note))
	}
}

// supportMethods writes the ways to donate.
func supportMethods(w *Writer, doc *catalog.Support) {
	w.Printf("\n%s\n", Text(doc.Purpose))
	w.Printf("\n%s\n", Text("Warning: "+doc.Warning+"."))
	for _, m := range doc.Methods {
		w.Printf("\n## %s\n\n", Text(m.Label()))
		for _, v := range phrase.MethodValues(m) {
			w.Item(v.Label, Code(v.Text))
		}
	}
	amounts := make([]string, len(doc.SuggestedAmountsSats))
	for i, n := range doc.SuggestedAmountsSats {
		amounts[i] = strconv.FormatInt(n, 10)
	}
	w.Printf("\n## Amounts\n\nSuggestions, all optional: %s satoshis.\n", strings.Join(amounts, ", "))
	w.Printf("\n## Note\n\n%s\n", Text(doc.Note))
}

// Bot renders who the link checker is and how to stop it.
func (r *Renderer) Bot(w *Writer) {
	doc := r.cat.BotDocument()
	b := doc.Bot
	r.title(w, b.Title, b.Purpose, catalog.BotPath, catalog.BotJSONPath)
	w.Item("Verified at", string(b.VerifiedAt))
	w.Item("User agent", Code(doc.UserAgent))
	w.Printf("\n## How it behaves\n\n")
	for _, s := range b.Behaviour {
		w.Printf("- %s\n", Text(s))
	}
	w.Printf("\n## How to opt out\n\n")
	for _, s := range b.LeaveAlone {
		w.Printf("- %s\n", Text(s))
	}
	w.Printf("\n%s", Fence("User-agent: "+b.Product+"\nDisallow: /", ""))
	w.Printf("\n## What it has observed\n\n")
	total := len(r.cat.Entries())
	if doc.Checked == 0 {
		w.Printf("It has not yet checked any link over the network from this installation. ")
	} else {
		w.Printf("It has observed the links of %s of %s. ", phrase.Count(doc.Checked, "source", "sources"),
			phrase.Thousands(total))
	}
	w.Printf("Its findings: %s\n", r.url(catalog.LinksMarkdownPath))
}

// Connect renders the ways to connect MCP hosts.
func (r *Renderer) Connect(w *Writer) {
	doc := r.cat.Connect()
	r.title(w, "Connect an agent", "The tool server is at "+doc.MCPURL+": free, read-only, no login.",
		catalog.ConnectPath, catalog.ConnectJSONPath)
	w.Item("Written at", string(doc.WrittenAt))
	w.Printf("\n%s\n", Text(doc.Basis))
	for _, h := range doc.Hosts {
		w.Printf("\n## %s\n\n", Text(h.Name))
		if h.Command != "" {
			w.Printf("In a shell:\n\n%s\n", Fence(h.Command, ""))
		}
		if h.Link != "" {
			w.Printf("Install link: %s\n\n", Code(h.Link))
		}
		w.Printf("In %s:\n\n%s\n", Code(h.File), Fence(h.Config, ""))
		if h.Note != "" {
			w.Printf("%s\n\n", Text(h.Note))
		}
		w.Printf("Documentation: %s\n", h.Documentation)
	}
}

// Links renders the findings of the link checker's last round.
func (r *Renderer) Links(w *Writer) {
	doc := r.cat.LinkDocument()
	r.title(w, "Link check", "When the addresses that records cite were last checked, and which of them need attention.", catalog.LinksPath, catalog.LinksJSONPath)
	w.Item("Generated at", doc.GeneratedAt)
	if doc.CheckedAt == nil {
		w.Printf("\nNo link has been checked over the network from this installation yet.\n")
		return
	}
	w.Printf("\nThe last round ended at %s. Of %s, %s answered with an HTTP status.\n",
		*doc.CheckedAt, phrase.Count(doc.Links, "link", "links"), phrase.Thousands(doc.Answered))
	w.Printf("\n## Links that need attention\n\n")
	if len(doc.Entries) == 0 {
		w.Printf("None: every link answered.\n")
		return
	}
	for _, f := range doc.Entries {
		record := r.cat.Record(f.ID) // the document lists only addresses of records that exist
		status := "no status"
		if f.Status != 0 {
			status = "status " + strconv.Itoa(f.Status)
		}
		if record.Kind == "library" {
			record.HTMLURL = r.url(catalog.EntryMarkdownPath(f.ID))
		} else {
			record.Title += ", " + f.URL // other records cite several addresses
		}
		w.Item(Link(record.Title, record.HTMLURL), status+", "+catalog.LinkFindingKinds[f.Kind]+": "+Text(f.Detail))
	}
}

// Find renders how to search, for those who do not browse.
func (r *Renderer) Find(w *Writer) {
	r.title(w, "Search", "How to find a record of this site.", catalog.FindPath, catalog.FindJSONPath)
	w.Printf("\nBy what records are called, free:\n\n")
	w.Item("People", r.url(catalog.FindPath))
	w.Item("Agents", "the tool search at "+Address(r.site.MCPURL()))
	w.Item("Programs", "the index "+r.url(catalog.FindJSONPath)+", whose schema is "+
		r.url(catalog.SchemaPath("search-index")))
	if r.cat.Payments() == catalog.PaymentsOff {
		return
	}
	t := r.cat.Terms()
	w.Printf("\nBy all that their texts say, paid: %s, %d satoshis for %d searches within %d days. See %s.%s %s\n",
		Address(r.site.SearchURL()), t.PriceSats, t.Credits, t.ValidDays, r.url(catalog.L402Path), t.DemoNote(),
		catalog.X402Note)
}
