package load

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/payaddr"
)

// minMethods is the least number of ways to tip (docs/contract.md, "Support document").
const minMethods = 6

// maxOffer is how many characters an offer may have, so that its QR code can be drawn: with error correction M a code holds 2,331 bytes
// (ISO/IEC 18004, table 7), and the address around the offer takes some.
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

func lintSupport(l *faultList, r catalog.SupportRecord) {
	at := linter{l, supportFile, ""}
	at.text("purpose", r.Purpose, maxParagraph)
	at.text("note", r.Note, maxParagraph)
	at.date("updated", r.Updated)
	if len(r.Methods) < minMethods {
		at.add("methods", "has %d; write at least %d", len(r.Methods), minMethods)
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
		name := m.Method(catalog.Site{}).Name()
		if names[name] {
			at.add(member, "is a second %s; keep one", name)
		}
		names[name] = true
	}
	if r.SuggestedAmountsSats == nil {
		at.add("suggested_amounts_sats", "is missing; write [] for none")
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
