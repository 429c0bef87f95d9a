package catalog

// An Article is an original text of this service, grounded in its facts and entries.
type Article struct {
	ID            string   `json:"id"` // the slug
	Title         string   `json:"title"`
	Summary       string   `json:"summary"`
	DatePublished *Date    `json:"date_published"`
	VerifiedAt    Date     `json:"verified_at"`
	Tags          []string `json:"tags"`
	Protocols     []string `json:"protocols"` // ids of the protocols it speaks of
	Entries       []string `json:"entries"`   // ids of the library entries it rests on
	Body          string   `json:"-"`         // Markdown, without the title
}

// An ArticleIndex lists the articles, newest first.
type ArticleIndex struct {
	SchemaVersion string        `json:"schema_version"`
	GeneratedAt   string        `json:"generated_at"`
	Count         int           `json:"count"`
	Articles      []ArticleItem `json:"articles"`
}

// An ArticleItem is an article with its addresses.
type ArticleItem struct {
	*Article
	URL   string `json:"url"`
	MDURL string `json:"md_url"`
}

// ArticleIndex builds the document that lists the articles.
func (c *Catalog) ArticleIndex() *ArticleIndex {
	items := make([]ArticleItem, len(c.articles))
	for i, a := range c.articles {
		items[i] = ArticleItem{a, c.Site().URL(ArticlePath(a.ID)), c.Site().URL(ArticleMarkdownPath(a.ID))}
	}
	return &ArticleIndex{SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(), Count: len(items), Articles: items}
}

// A Bot is a program of this service that visits other sites, and how to be left alone by it.
type Bot struct {
	ID            string   `json:"id"`
	Title         string   `json:"title"`
	Product       string   `json:"product"` // the product token it obeys in robots.txt
	Purpose       string   `json:"purpose"`
	Behaviour     []string `json:"behaviour"`
	LeaveAlone    []string `json:"leave_alone"` // how a site owner stops it
	DatePublished *Date    `json:"date_published"`
	VerifiedAt    Date     `json:"verified_at"`
	Note          string   `json:"note"`
}

// LinkChecker gives the bot that looks at the links of the library.
func (c *Catalog) LinkChecker() *Bot {
	for _, b := range c.bots {
		if b.ID == linkCheckerID {
			return b
		}
	}
	return nil // Load refuses files without it
}

const linkCheckerID = "link-checker"

// UserAgent is what the bot calls itself: its product token with the address that explains it.
func (b *Bot) UserAgent(s Site) string { return b.Product + "/1.0 (+" + s.URL(BotPath) + ")" }
