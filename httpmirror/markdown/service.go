package markdown

import (
	"strconv"

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
	r.write(w, "support", doc)
}

// Bot renders who the link checker is and how to stop it.
func (r *Renderer) Bot(w *Writer) {
	doc := r.cat.BotDocument()
	r.title(w, doc.Bot.Title, doc.Bot.Purpose, catalog.BotPath, catalog.BotJSONPath)
	r.write(w, "bot", doc)
}

// Connect renders the ways to connect MCP hosts.
func (r *Renderer) Connect(w *Writer) {
	doc := r.cat.Connect()
	r.title(w, "Connect an agent", "The tool server is at "+doc.MCPURL+": free, read-only, no login.",
		catalog.ConnectPath, catalog.ConnectJSONPath)
	r.write(w, "connect", doc)
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
	w.Printf("\nFree search by title, ID, tag or question:\n\n")
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
