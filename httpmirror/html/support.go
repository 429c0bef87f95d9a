package html

import (
	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// Support returns the page of the support document. It describes the paid interface where there is one, whether or not
// that can sell at the moment: only support.json follows the state of the node. Of sample data it shows nothing to pay to.
func (p *Pages) Support() Page {
	doc := phrase.Support(p.cat)
	pg := Page{
		Title:       "Donate",
		Description: "Voluntary ways to donate. All data are free, and nothing depends on a payment.",
		Lede:        "Donations are voluntary. All data are free, and nothing here depends on a payment.",
		Verified:    phrase.OneDay(doc.Updated),
	}
	if p.cat.SupportIsSample() {
		pg.Lede = phrase.SampleSupport
		pg.Description = "This installation takes no donations. All data are free, and nothing depends on a payment."
		pg.content = paidAPI(doc.PaidAPI)
		return pg
	}
	data := supportPage{Support: doc}
	for _, m := range doc.Methods {
		v := methodView{Name: m.Name(), Label: m.Label(), Picture: catalog.QRPath(m.Name()), Values: phrase.MethodValues(m)}
		if m, ok := m.(*catalog.EVMStablecoin); ok {
			v.Primary = m.Primary
		}
		data.Methods = append(data.Methods, v)
	}
	pg.content = supportContent(data)
	return pg
}
