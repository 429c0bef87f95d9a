package catalog

// A Bot is a program of this service that visits other sites, with how a site can keep it away.
type Bot struct {
	ID            string   `json:"id"`
	Title         string   `json:"title"`
	Product       string   `json:"product"` // the product token that it obeys in robots.txt
	Purpose       string   `json:"purpose"`
	Behaviour     []string `json:"behaviour"`
	LeaveAlone    []string `json:"leave_alone"` // how the owner of a site stops it
	DatePublished *Date    `json:"date_published"`
	VerifiedAt    Date     `json:"verified_at"`
	Note          string   `json:"note"`
}

// LinkCheckerID is the id of the bot that checks the links of the library. Every catalog has it.
const LinkCheckerID = "link-checker"

// UserAgent returns what the bot calls itself: its product token with the address that explains it.
func (b *Bot) UserAgent(s Site) string { return b.Product + "/1.0 (+" + s.URL(BotPath) + ")" }
