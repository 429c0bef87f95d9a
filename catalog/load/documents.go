package load

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/payaddr"
)

// minMethods is the least number of ways to tip (docs/contract.md, "Support document").
const minMethods = 6

// maxOffer is how many characters an offer may have, so that its QR code can be drawn: with error correction M a code
// holds 2,331 bytes (ISO/IEC 18004, table 7), and the address around the offer takes some.
const maxOffer = 2_331 - len("bitcoin:?lno=")

// sampleAddresses are those of the sample data, and of earlier ones: examples of specifications and null addresses.
var sampleAddresses = []string{
	"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
	"lno1pgx9getnwss8vetrw3hhyuckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg",
	"0x0000000000000000000000000000000000000000",
	"11111111111111111111111111111111",
	"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
	"0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
	"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
	"mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN",
}

func lintSupport(src *source, _ *targets) {
	r := src.Support
	at := src.lintFile(supportFile, r)
	if n := len(r.Methods); n > 0 && n < minMethods {
		at.add("methods", "has %d; write at least %d, or [] for a library without tips", n, minMethods)
	}
	names := make(set)
	for i, m := range r.Methods {
		member := fmt.Sprintf("methods[%d]", i)
		if err := checkMethod(m); err != nil {
			at.add(member, "%v", err)
			continue
		}
		if place := m.Address + m.Offer; !r.IsSample() && slices.Contains(sampleAddresses, place) {
			at.add(member, "%s is sample data, and what is sent there is lost; write your own, or \"sample data\" into purpose", place)
		}
		name := m.Method(catalog.Site{}).Name
		if names[name] {
			at.add(member, "is a second %s; keep one", name)
		}
		names[name] = true
	}
	for i, n := range r.SuggestedAmountsSats {
		if n < 1 {
			at.add(fmt.Sprintf("suggested_amounts_sats[%d]", i), "%d is less than 1 satoshi; correct or remove it", n)
		}
	}
}

// checkMethod checks that a method has the members of its type, and the place to pay to by its own rule.
func checkMethod(m catalog.MethodRecord) error {
	for _, member := range []struct {
		name             string
		present, belongs bool
	}{
		{"network", m.Network != "", m.Type == catalog.TypeEVM},
		{"primary", m.Primary, m.Type == catalog.TypeEVM},
		{"offer", m.Offer != "", m.Type == catalog.TypeBOLT12},
		{"address", m.Address != "", m.Type != catalog.TypeBOLT12},
	} {
		if member.present && !member.belongs {
			return fmt.Errorf("%s does not belong in a method of type %q; remove it", member.name, m.Type)
		}
	}
	switch m.Type {
	case catalog.TypeBitcoin:
		return payaddr.CheckSegwit(m.Address)
	case catalog.TypeBOLT12:
		if len(m.Offer) > maxOffer {
			return fmt.Errorf("offer has %d characters, but %d fit into its QR code; make one with fewer paths or a shorter description", len(m.Offer), maxOffer)
		}
		return payaddr.CheckOffer(m.Offer)
	case catalog.TypeEVM:
		if networks := catalog.USDCNetworks(); !slices.Contains(networks, m.Network) {
			return fmt.Errorf("network %q is unknown; use one of %s", m.Network, strings.Join(networks, ", "))
		}
		return payaddr.CheckEVM(m.Address)
	case catalog.TypeSolana:
		return payaddr.CheckSolana(m.Address)
	}
	return fmt.Errorf("type %q is unknown; use one of %s", m.Type, strings.Join(catalog.MethodTypes, ", "))
}

func lintIdentity(src *source, _ *targets) {
	i := src.Identity
	at := src.lintFile(siteFile, i)
	if strings.HasSuffix(i.Subject, ".") {
		at.add("subject", "ends with a full stop; write a noun phrase that completes \"Checked data on …\"")
	}
	at.reachable("contact", i.Contact)
	at.reachable("report", i.Report)
	for _, part := range []string{catalog.ReportTitle, catalog.ReportAddress} {
		if i.Report != "" && strings.Count(i.Report, part) != 1 {
			at.add("report", "must have %s once, where the page that is wrong is named", part)
		}
	}
	if i.Logo != "" {
		linter{src.faults, logoFile, ""}.logo(i.Logo)
	}
}

// maxLogo is the most bytes of a logo, which every page loads.
const maxLogo = 20_000

// activeSVG finds parts of a picture that would run or load something.
var activeSVG = regexp.MustCompile(`(?i)<(script|foreignobject)\b|\son\w+\s*=|href\s*=\s*["'][^#]`)

// logo checks that a picture is SVG that neither runs nor loads anything.
func (at linter) logo(svg string) {
	var root struct {
		XMLName xml.Name `xml:"svg"`
	}
	if err := xml.Unmarshal([]byte(svg), &root); err != nil {
		at.add("logo", "is not an SVG picture: %v", err)
	} else if part := activeSVG.FindString(svg); part != "" {
		at.add("logo", "has %q; a logo is a picture of shapes alone", part)
	} else if len(svg) > maxLogo {
		at.add("logo", "has %d bytes; make it smaller than %d", len(svg), maxLogo)
	}
}

// reachable checks an address at which a person answers; "" is none.
func (at linter) reachable(member, address string) {
	switch {
	case address == "":
	case strings.HasPrefix(address, "mailto:"):
		at.text(member, address, limits["summary"])
		if box, _, _ := strings.Cut(strings.TrimPrefix(address, "mailto:"), "?"); strings.Count(box, "@") != 1 ||
			strings.ContainsAny(address, " <>\"") {
			at.add(member, "%q is not the address of a mailbox: write mailto:name@host", address)
		}
	case strings.HasPrefix(address, "https://"):
		at.url(member, strings.NewReplacer(catalog.ReportTitle, "x", catalog.ReportAddress, "x").Replace(address))
	default:
		at.add(member, "%q does not begin with mailto: or https://; write such an address, or \"\" for none", address)
	}
}

func lintBots(src *source, _ *targets) {
	for _, b := range src.Bots {
		at := src.lintRecord(b, "id", b.ID)
		if len(b.Behaviour) == 0 || len(b.LeaveAlone) == 0 {
			at.add("behaviour", "or leave_alone is empty; write both")
		}
	}
}

func lintTrust(src *source, _ *targets) {
	at := src.lintFile(trustFile, src.Trust)
	if len(src.Trust.Checks) == 0 && !src.broken[trustFile] {
		at.add("checks", "is empty; write what the service promises")
	}
}

// EncodeLinkReport returns the bytes of the file of the link checker's report.
func EncodeLinkReport(r *catalog.LinkReport) []byte { return canonical(r) }

func lintLinkReport(src *source, _ *targets) {
	r := src.Links
	if r == nil {
		return
	}
	at := src.lintFile(LinkReportFile, r)
	for i, f := range r.Findings {
		at.prefix = fmt.Sprintf("findings[%d].", i)
		_, id := catalog.HistoryRecord(f.ID)
		at.slug("id", id)
		if f.Status < 0 || f.Status > 999 {
			at.add("status", "%d is not a status that a server can send; use that of the last answer, or 0 for none", f.Status)
		}
		if slices.ContainsFunc(r.Findings[:i], func(g catalog.LinkFinding) bool { return g.ID == f.ID && g.URL == f.URL }) {
			at.add("id", "occurs twice with this address; remove one")
		}
	}
}

func lintArticles(src *source, t *targets) {
	for _, a := range src.Articles {
		at := src.lintRecord(a, "id", a.ID)
		at.tags(a.Tags, t)
		at.refer("protocols", a.Protocols, t.records["protocol"], "protocol")
		at.refer("entries", a.Entries, t.records["library"], "library entry")
		at.listed("entries", a.Entries, entryLink.linked(a.Body, t))
		at.listed("protocols", a.Protocols, protocolLink.linked(a.Body, t))
		linter{src.faults, siblingFile(at.path, "article.md"), ""}.markdown(a.Body, t)
	}
}

func lintNews(src *source, t *targets) {
	for _, n := range src.News {
		at := src.lintRecord(n, "id", n.ID)
		if !strings.HasPrefix(n.ID, string(n.Date)+"-") {
			at.add("id", "%q does not begin with the date and a hyphen; name the file %s-….json", n.ID, n.Date)
		}
		at.refer("protocols", n.Protocols, t.pages, "protocol")
		for i, l := range n.Links {
			if member := fmt.Sprintf("links[%d].url", i); strings.HasPrefix(l.URL, "/") {
				linter{src.faults, at.path, member + ": "}.markdown("[link]("+l.URL+")", t)
			} else {
				at.url(member, l.URL)
			}
		}
		at.prefix = "source."
		at.reading("", n.Source.Reading())
	}
}

// lintDatasets judges the datasets, of which each catalogue has that of its library.
func lintDatasets(src *source, t *targets) {
	derived := catalog.DatasetColumns()
	for _, d := range src.Datasets {
		at := src.lintRecord(d, "id", d.ID)
		if columns, ok := derived[d.ID]; ok {
			names := catalog.Convert(d.Columns, func(c catalog.Column) string { return c.Name })
			if described, actual := strings.Join(names, ", "), strings.Join(columns, ", "); described != actual {
				at.add("columns", "are %s; the derived rows have %s", described, actual)
			}
		} else {
			at.add("id", "no rows are derived for the dataset %q; the datasets are %s", d.ID, strings.Join(sortedKeys(derived), ", "))
		}
		linter{src.faults, siblingFile(at.path, "README.md"), ""}.markdown(d.Readme, t)
	}
	if !t.records["dataset"]["library"] {
		src.faults.add("datasets/library/card.json", "is missing; write a card for the derived dataset \"library\"")
	}
}

// lintClients judges the measured clients and the shapes with which they were measured.
func lintClients(src *source, t *targets) {
	if src.broken[clientFile] || src.broken[shapeFile] {
		return
	}
	shapes := catalog.Convert(src.Shapes, func(s *catalog.Shape) string { return s.ID })
	at := src.lintFile(shapeFile, src.Shapes)
	at.unique("[%d].id", shapes)
	for i, s := range src.Shapes {
		at.prefix = fmt.Sprintf("[%d].", i)
		at.refer("protocols", s.Protocols, t.pages, "protocol")
	}
	at = src.lintFile(clientFile, src.Clients)
	at.ascending("[%d].id", catalog.Convert(src.Clients, func(k *catalog.Client) string { return k.ID }))
	for i, k := range src.Clients {
		at.prefix = fmt.Sprintf("[%d].", i)
		at.cells(k, setOf(shapes))
	}
}

// cells checks the cells of a client, and that its deviations name shapes.
func (at linter) cells(k *catalog.Client, shapes set) {
	for i, cell := range k.Cells {
		if !shapes[cell.Shape] {
			at.add(fmt.Sprintf("cells[%d].shape", i), "%q is no shape; correct it", cell.Shape)
		}
	}
	for i, d := range k.Deviations {
		member := fmt.Sprintf("deviations[%d].shapes", i)
		at.refer(member, d.Shapes, shapes, "shape")
		for _, id := range d.Shapes {
			if result := k.Cell(id).Result; result == "pays" || result == catalog.NotMeasured {
				at.add(member, "with %q the result is %q, which is no deviation; remove it", id, result)
			}
		}
	}
}
