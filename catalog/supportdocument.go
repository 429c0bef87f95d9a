package catalog

import "fmt"

// A Support is the support document: voluntary tips, which nothing depends on (docs/contract.md, "Support document").
type Support struct {
	Schema                     string          `json:"$schema"`
	Voluntary                  bool            `json:"voluntary"`
	Purpose                    string          `json:"purpose"`
	DataIsFree                 bool            `json:"data_is_free"`
	AccessConditionalOnPayment bool            `json:"access_conditional_on_payment"`
	Methods                    []SupportMethod `json:"methods"`
	SuggestedAmountsSats       []int64         `json:"suggested_amounts_sats"`
	SuggestedAmountsOptional   bool            `json:"suggested_amounts_optional"`
	Note                       string          `json:"note"`
	Updated                    Date            `json:"updated"`
	Warning                    string          `json:"warning"`
	USDCContractsSource        string          `json:"usdc_contracts_source"`
	PaidAPI                    *PaidAPI        `json:"paid_api,omitempty"` // only while the paid interface is live
}

// A PaidAPI describes the paid interface while it is live.
type PaidAPI struct {
	Paid     bool   `json:"paid"`
	Protocol string `json:"protocol"`
	Payment  string `json:"payment"`
	URL      string `json:"url"`
	Note     string `json:"note"`
}

const supportWarning = "send only USDC on the listed networks, otherwise tokens or networks may be lost"

// SupportIsSample reports whether the support document is sample data. It is published as any other; but pages make nothing of
// it that a person could pay to.
func (c *Catalog) SupportIsSample() bool { return c.support.IsSample() }

// Support returns the support document.
func (c *Catalog) Support() *Support {
	r := c.support
	doc := &Support{
		Schema:    c.Site().URL(SchemaPath("support")),
		Voluntary: true, Purpose: r.Purpose, DataIsFree: true,
		SuggestedAmountsSats: r.SuggestedAmountsSats, SuggestedAmountsOptional: true,
		Note: r.Note, Updated: r.Updated, Warning: supportWarning, USDCContractsSource: usdcContractsSource,
	}
	for _, m := range r.Methods {
		if method := m.Method(c.Site()); method != nil {
			doc.Methods = append(doc.Methods, method)
		}
	}
	if c.Payments() == PaymentsLive {
		t := c.Terms()
		doc.PaidAPI = &PaidAPI{
			Paid: true, Protocol: "L402", Payment: "Lightning", URL: c.Site().SearchURL(),
			Note: fmt.Sprintf("%d satoshis buy %d requests for %d days. All data files stay free.", t.PriceSats, t.Credits, t.ValidDays) + t.DemoNote(),
		}
	}
	return doc
}
