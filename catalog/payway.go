package catalog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// A PayWay is a way in which responses ask for a payment: what a client is made for, or is not.
type PayWay struct {
	Protocol, Label string
	shapes          []string // well-formed responses that ask in no other way, and are no trap
}

// Count returns how many of the responses a client paid, and how many it met.
func (w PayWay) Count(k *Client) (paid, met int) {
	for _, id := range w.shapes {
		switch k.Cell(id).Result {
		case NotMeasured:
			continue
		case "pays":
			paid++
		}
		met++
	}
	return paid, met
}

// PayWays returns the ways in which clients were asked, by protocol in published order. The list is not to be changed.
func (c *Catalog) PayWays() []PayWay { return c.payWays() }

// offerProtocols are the protocols of the schemes of offers.
var offerProtocols = map[string]string{"l402": "l402", "payment": "mpp", "x402": "x402", "cashu": "cashu-nut-24",
	"crawler-price": "cloudflare-pay-per-crawl"}

// OfferProtocol returns the protocol of the offers of a scheme, which almanac explain names, or "".
func OfferProtocol(scheme string) string { return offerProtocols[scheme] }

func (c *Catalog) readPayWays() (ways []PayWay) {
	for _, s := range c.records.Shapes {
		var read struct{ Offers []shapeOffer }
		if !s.Legal || s.Trap != "" || json.Unmarshal(s.Reading, &read) != nil || len(read.Offers) == 0 {
			continue
		}
		label := read.Offers[0].way()
		if slices.ContainsFunc(read.Offers, func(o shapeOffer) bool { return o.way() != label }) {
			continue
		}
		i := slices.IndexFunc(ways, func(w PayWay) bool { return w.Label == label })
		if i < 0 {
			i, ways = len(ways), append(ways, PayWay{Protocol: OfferProtocol(read.Offers[0].Scheme), Label: label})
		}
		ways[i].shapes = append(ways[i].shapes, s.ID)
	}
	ways = slices.DeleteFunc(ways, func(w PayWay) bool {
		return !slices.ContainsFunc(c.records.Clients, func(k *Client) bool { _, met := w.Count(k); return met > 0 })
	})
	order := c.ProtocolPageIDs()
	slices.SortFunc(ways, func(a, b PayWay) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Protocol), slices.Index(order, b.Protocol)), cmp.Compare(a.Label, b.Label))
	})
	return ways
}

// A shapeOffer is a way to pay that a shape offers.
type shapeOffer struct{ Scheme, Method, Intent, Network string }

// way names an offer as clients tell it apart: by the scheme with its version, method and intent, and by a network that takes
// another wallet than most of the scheme.
func (o shapeOffer) way() string {
	switch o.Scheme {
	case "l402":
		return "L402"
	case "payment":
		first := min(1, len(o.Method))
		return "MPP " + strings.ToUpper(o.Method[:first]) + o.Method[first:] + " " + o.Intent
	case "cashu":
		return "Cashu NUT-24"
	}
	version, network := "x402 v1 ", o.Network
	if before, _, isCAIP2 := strings.Cut(network, ":"); isCAIP2 { // as version 2 writes networks
		version, network = "x402 v2 ", before
	}
	switch {
	case network == "bip122" || network == "lnbtc":
		return version + o.Method + " on Lightning"
	case strings.HasPrefix(network, "solana"):
		return version + o.Method + " on Solana"
	}
	return version + o.Method
}

// A Payer is a client that paid in a way of a protocol.
type Payer struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Version  string `json:"version"`
	Day      Date   `json:"day"`
	Way      string `json:"way"`
	Pays     int    `json:"pays"`
	Measured int    `json:"measured"`
}

// Payers returns the clients that pay a protocol, once for each way in which they do.
func (c *Catalog) Payers(protocol string) (payers []Payer) {
	for _, w := range c.PayWays() {
		for _, k := range c.records.Clients {
			if paid, met := w.Count(k); w.Protocol == protocol && paid > 0 {
				payers = append(payers, Payer{k.ID, k.Name, k.Version, k.Day, w.Label, paid, met})
			}
		}
	}
	return payers
}
