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
