package load

import (
	"fmt"
	"slices"

	"almanac/catalog"
)

// maxDecimals is above what any token divides its unit into.
const maxDecimals = 30

// lintAssets judges what is known of the assets of networks: each is of a network that the facts of its protocol name, with
// the contract that they name.
func lintAssets(l *faultList, records []located[*catalog.AssetRecord], protocols []located[*catalog.Protocol]) {
	for _, r := range records {
		at := linter{l, r.path, ""}
		if r.record.Protocol != fileID(r.path) {
			at.add("protocol", "is %q and the file is named %q; make them equal", r.record.Protocol, fileID(r.path))
		}
		if len(r.record.Assets) == 0 {
			at.add("assets", "is empty; write one, or remove the file")
		}
		networks := networksOf(r.record.Protocol, protocols)
		for i, a := range r.record.Assets {
			at.prefix = fmt.Sprintf("assets[%d].", i)
			at.asset(a, networks)
			if slices.ContainsFunc(r.record.Assets[:i], func(b catalog.Asset) bool { return a.CAIP2 == b.CAIP2 && a.Contract == b.Contract }) {
				at.add("contract", "%s on %s occurs twice; remove one", a.Contract, a.CAIP2)
			}
		}
	}
}

func (at linter) asset(a catalog.Asset, networks []catalog.Network) {
	at.text("symbol", a.Symbol, maxTitle)
	at.text("transfer_method", a.TransferMethod, maxTitle)
	at.optionalText("eip712_name", a.EIP712Name)
	at.optionalText("eip712_version", a.EIP712Version)
	if (a.EIP712Name == nil) != (a.EIP712Version == nil) {
		at.add("eip712_version", "is null without eip712_name, or the other way round; a payer signs both or neither")
	}
	if a.Decimals < 0 || a.Decimals > maxDecimals {
		at.add("decimals", "%d is not from 0 to %d; correct it", a.Decimals, maxDecimals)
	}
	at.url("source", a.Source)
	at.date("verified_at", a.VerifiedAt)
	is := func(n catalog.Network) bool {
		return n.CAIP2 != nil && *n.CAIP2 == a.CAIP2 && n.Contract != nil && *n.Contract == a.Contract
	}
	switch i := slices.IndexFunc(networks, is); {
	case i < 0:
		at.add("caip2", "the facts of the protocol name no network %s with the contract %s; correct one of the two", a.CAIP2, a.Contract)
	case networks[i].Asset == nil || *networks[i].Asset != a.Symbol:
		at.add("symbol", "is %q and the facts of the protocol name the asset differently; make them agree", a.Symbol)
	}
}

// networksOf returns the networks that the facts of a protocol name.
func networksOf(protocol string, protocols []located[*catalog.Protocol]) []catalog.Network {
	for _, p := range protocols {
		if p.record.ID == protocol && p.record.Networks != nil {
			return p.record.Networks.Value
		}
	}
	return nil
}
