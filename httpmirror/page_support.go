package httpmirror

import (
	"strings"

	"almanac/catalog"
)

// A supportPage is what the support page shows.
type supportPage struct {
	*catalog.Support
	Methods []methodView
	Sample  bool // the text itself says that nothing must be sent
}

// A methodView is a way to tip, with the lines a person copies from.
type methodView struct {
	Name, Label, Picture string
	Primary              bool
	Lines                []methodLine
}

// A methodLine is a value with its name.
type methodLine struct{ Label, Text string }

// support renders the support page. It depends on the state of the paid interface, as the
// support document does.
func (p *pages) support() error {
	doc := p.cat.Support()
	data := supportPage{Support: doc, Sample: saysSample(doc.Purpose) || saysSample(doc.Note)}
	for _, m := range doc.Methods {
		data.Methods = append(data.Methods, viewOfMethod(m))
	}
	return p.add("support", page{
		Title:       "Support",
		Description: "Voluntary ways to tip. All data are free, and nothing depends on a payment.",
		Lede:        "Tips are voluntary. All data are free, and nothing here depends on a payment.",
		Path:        catalog.SupportPath,
		Twins:       []twin{jsonTwin(catalog.SupportJSONPath)},
		Verified:    oneDay(doc.Updated),
	}, data)
}

// saysSample tells whether the operator's text calls itself sample data, so that the page can
// say it where nobody misses it.
func saysSample(text string) bool { return strings.Contains(strings.ToLower(text), "sample data") }

func viewOfMethod(m catalog.SupportMethod) methodView {
	v := methodView{Name: m.Name(), Label: m.Label(), Picture: catalog.QRPath(m.Name())}
	switch m := m.(type) {
	case *catalog.BitcoinOnchain:
		v.Lines = []methodLine{{"Address", m.Address}, {"BIP 21", m.BIP21URI}}
	case *catalog.LightningBolt12:
		v.Lines = []methodLine{{"Offer", m.Offer}, {"Lightning URI", m.URI}, {"BIP 21", m.BIP21URI}}
	case *catalog.EVMStablecoin:
		v.Primary = m.Primary
		v.Lines = []methodLine{{"Address", m.Address}, {"USDC contract", m.TokenContract}, {"EIP-681", m.EIP681URI}}
	case *catalog.SolanaStablecoin:
		v.Lines = []methodLine{{"Address", m.Address}, {"USDC mint", m.Mint}, {"Solana Pay", m.URI}}
	}
	return v
}
