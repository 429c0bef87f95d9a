package load

import (
	"slices"
	"strings"

	"almanac/catalog"
)

// maxName is the longest name of an installation: it stands in every title.
const maxName = 80

func lintIdentity(l *faultList, i catalog.Identity) {
	at := linter{l, siteFile, ""}
	at.text("name", i.Name, maxName)
	at.text("headline", i.Headline, maxTitle)
	at.text("description", i.Description, maxSummary)
	at.text("license.name", i.License.Name, maxTitle)
	at.url("license.url", i.License.URL)
	at.text("verifier", i.Verifier, maxTitle)
	at.reachable("contact", i.Contact)
	at.reachable("report", i.Report)
	for _, part := range []string{catalog.ReportTitle, catalog.ReportAddress} {
		if i.Report != "" && strings.Count(i.Report, part) != 1 {
			at.add("report", "must have %s once, where the page that is wrong is named", part)
		}
	}
	at.comparedProtocols(i.Protocols)
}

// reachable checks an address at which a person answers; "" is none.
func (at linter) reachable(member, address string) {
	switch {
	case address == "":
	case strings.HasPrefix(address, "mailto:"):
		at.text(member, address, maxSummary)
		if box, _, _ := strings.Cut(strings.TrimPrefix(address, "mailto:"), "?"); strings.Count(box, "@") != 1 || strings.ContainsAny(address, " <>\"") {
			at.add(member, "%q is not the address of a mailbox: write mailto:name@host", address)
		}
	case strings.HasPrefix(address, "https://"):
		at.url(member, strings.NewReplacer(catalog.ReportTitle, "x", catalog.ReportAddress, "x").Replace(address))
	default:
		at.add(member, "%q does not begin with mailto: or https://; write such an address, or \"\" for none", address)
	}
}

// comparedProtocols checks the list of the protocols that the facts document has.
func (at linter) comparedProtocols(ids []string) {
	if len(ids) == 0 {
		at.add("protocols", "is empty; list at least one of %s", strings.Join(catalog.ProtocolIDs, ", "))
	}
	last := -1
	for _, id := range ids {
		place := slices.Index(catalog.ProtocolIDs, id)
		if place < 0 {
			at.add("protocols", "%q is not a protocol of the facts document; they are %s", id, strings.Join(catalog.ProtocolIDs, ", "))
		} else if place <= last {
			at.add("protocols", "%q is not in its place; the order is %s", id, strings.Join(catalog.ProtocolIDs, ", "))
		}
		last = max(last, place)
	}
}
