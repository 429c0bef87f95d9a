package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"
	currencies "golang.org/x/text/currency"

	"go.almanac.example/catalog"
	"go.almanac.example/fixtures"
	"go.almanac.example/http402/explain"
	"go.almanac.example/http402/shape"
	"go.almanac.example/internal/wirejson"
)

// tempoToken finds a token of MPP's charges on Tempo in a statement of the library.
var tempoToken = regexp.MustCompile(`address of (\w+) on Tempo is (0x[0-9a-f]{40}), with (\d+) decimals`)

// oldNames are names of x402 version 1 that are not those of the data.
var oldNames = map[string]string{"avalanche": "eip155:43114", "solana": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"}

// knownAssets returns the assets in the built-in data: of x402, by their networks, CAIP-2 or, as version 1 has it, the
// name; and of MPP on Tempo. Without a network, they are found by the contract alone; a currency
// of ISO 4217 needs none.
var knownAssets = sync.OnceValue(func() explain.Assets {
	var record catalog.AssetRecord
	var protocol struct {
		Networks struct{ Value []catalog.Network }
	}
	for name, to := range map[string]any{"assets/x402.json": &record, "protocols/x402.json": &protocol} {
		b, err := fixtures.FS.ReadFile(name)
		if err != nil || json.Unmarshal(b, to) != nil {
			return nil // other data are built in
		}
	}
	statements, _ := fixtures.FS.ReadFile("statements/mpp-tempo-charge.json")
	tempo := tempoToken.FindSubmatch(statements)
	names := map[string]string{"eip155:4217": "Tempo", "eip155:42431": "Tempo testnet"} // by CAIP-2
	for _, caip2 := range slices.Sorted(maps.Keys(names)) {
		if tempo != nil {
			decimals, _ := strconv.Atoi(string(tempo[3]))
			record.Assets = append(record.Assets, catalog.Asset{CAIP2: caip2, Symbol: string(tempo[1]), Contract: string(tempo[2]), Decimals: decimals})
		}
	}
	for _, n := range protocol.Networks.Value {
		names[catalog.OrEmpty(n.CAIP2)] = n.Name
	}
	return func(network, currency string) (explain.Asset, bool) {
		for _, a := range record.Assets {
			name := cmp.Or(names[a.CAIP2], a.CAIP2)
			if (currency == "" || strings.EqualFold(a.Contract, currency)) &&
				(network == "" || a.CAIP2 == cmp.Or(oldNames[network], network) || strings.EqualFold(strings.ReplaceAll(name, " ", "-"), network)) {
				return explain.Asset{Symbol: a.Symbol, Decimals: a.Decimals, Network: name, Name: catalog.OrEmpty(a.EIP712Name)}, true
			}
		}
		money, err := currencies.ParseISO(currency)
		if err != nil || network != "" {
			return explain.Asset{}, false
		}
		decimals, _ := currencies.Standard.Rounding(money)
		return explain.Asset{Symbol: money.String(), Decimals: decimals}, true
	}
})

// explainText returns the meaning of a text from a payment, for the command and for the service.
func explainText(text string) explain.Reading {
	return explain.Read(text, time.Now(), shape.Measured(), knownAssets())
}

// explainCommand names the thing that somebody holds from a payment.
func explainCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "explain", "almanac explain [-json] [FILE|TEXT|-]",
		"explain a 402, an invoice, an offer, a macaroon, a credential or a receipt")
	cmd.LongHelp = "Reads FILE, the text itself where there is no such file, or the standard input, and fetches nothing. It shows no secret: no preimage, signature or token.\n\n" +
		"Exit status: 0 explained, 1 nothing known or not readable, 2 wrong command line."
	asJSON := cmd.FlagSet.Bool("json", false, "print JSON, for programs")
	cmd.Exec = func(_ context.Context, args []string) error {
		if len(args) > 1 {
			return usageError("give one file, or - for the standard input, for example: curl -si URL | almanac explain")
		}
		in := io.Reader(os.Stdin)
		if len(args) == 1 && args[0] != "-" {
			in = strings.NewReader(args[0])
			if _, err := os.Stat(args[0]); err == nil { // an error would quote what may be a secret
				f, err := os.Open(args[0])
				if err != nil {
					return fmt.Errorf("open what to explain: %w", err)
				}
				defer f.Close()
				in = f
			}
		}
		text, err := io.ReadAll(io.LimitReader(in, explain.MaxInput+1))
		if err != nil {
			return fmt.Errorf("read what to explain: %w", err)
		}
		r := explainText(string(text))
		answer := []byte(r.Text())
		if *asJSON {
			answer = wirejson.Must(wirejson.Indent(r))
		}
		if _, err = stdout.Write(answer); err == nil && r.Kind == explain.None {
			err = errors.New("nothing known is there. " + r.Reason)
		}
		return err
	}
	return cmd
}
