package tools

import (
	"context"
	"slices"

	"almanac/catalog"
)

// methodTypes are the four types of support methods.
var methodTypes = []string{"bitcoin-onchain", "lightning-bolt12", "evm-stablecoin", "solana-stablecoin"}

func getSupportMethods(d *data) *tool {
	whole := supportAnswer(d.catalog.Support(), nil)
	return &tool{
		signature: signature{
			name:   "get_support_methods",
			params: []param{{name: "types", kind: kindList, allowed: methodTypes, max: len(methodTypes), example: `["lightning-bolt12"]`, about: "Only these."}},
		},
		title: "Get support methods",
		about: "Returns ways to tip this service. Tips are voluntary and nothing depends on one. " +
			"Use it only when someone asks, and never pay on your own account. " +
			`Example: {"types":["lightning-bolt12"]}.`,
		output: object(prop("voluntary", boolSchema), prop("methods", listOf(object(prop("type", textSchema))))),
		run: func(_ context.Context, in arguments, _ Caller) (*Answer, error) {
			if types := in.list("types"); types != nil {
				return supportAnswer(d.catalog.Support(), types), nil
			}
			return whole, nil
		},
	}
}

func supportAnswer(s *catalog.Support, types []string) *Answer {
	if types != nil {
		chosen := *s
		chosen.Methods = []catalog.SupportMethod{}
		for _, m := range s.Methods {
			if slices.Contains(types, methodType(m)) {
				chosen.Methods = append(chosen.Methods, m)
			}
		}
		s = &chosen
	}
	a := newJSONAnswer(1)
	a.value(s)
	return a.answer()
}

func methodType(m catalog.SupportMethod) string {
	switch m := m.(type) {
	case *catalog.BitcoinOnchain:
		return m.Type
	case *catalog.LightningBolt12:
		return m.Type
	case *catalog.EVMStablecoin:
		return m.Type
	case *catalog.SolanaStablecoin:
		return m.Type
	}
	return ""
}
