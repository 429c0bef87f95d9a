package challenge_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.almanac.example/http402/challenge"
)

// forms are requests of every method and intent of mpp-specs, as their drafts have them. The members after the bar must
// be there; the network is the one that the request means.
var forms = []struct{ offer, request, required, network string }{
	{"card charge", `{"amount":"500","currency":"usd","methodDetails":{"acceptedNetworks":["visa"],"merchantName":"m"}}`, "amount currency methodDetails.acceptedNetworks methodDetails.merchantName", ""},
	{"evm charge", `{"amount":"1","currency":"0x1","methodDetails":{"chainId":8453,"permit2Address":"0x2"},"recipient":"0x3"}`, "amount currency recipient methodDetails.chainId methodDetails.permit2Address", "eip155:8453"},
	{"evm session", `{"amount":"1","currency":"0x1","methodDetails":{"chainId":8453,"escrowContract":"0x2"},"recipient":"0x3"}`, "recipient methodDetails.chainId methodDetails.escrowContract", "eip155:8453"},
	{"hedera charge", `{"amount":"1","currency":"0.0.1","methodDetails":{"chainId":296},"recipient":"0.0.2"}`, "amount currency recipient", "eip155:296"},
	{"hedera session", `{"amount":"1","currency":"0.0.1","methodDetails":{"escrowContract":"0x2"},"recipient":"0.0.2"}`, "recipient methodDetails.escrowContract", "eip155:295"},
	{"lightning session", `{"amount":"1","currency":"sat","paymentHash":"` + strings.Repeat("ab", 32) + `"}`, "paymentHash", ""},
	{"nearintents charge", `{"amount":"1","currency":"x","methodDetails":{"amountOut":"1","destinationAsset":"a","destinationNetwork":"n","destinationRecipient":"r","minAmountIn":"1","originNetwork":"near:mainnet","refundTo":"f"},"recipient":"r"}`, "amount currency recipient methodDetails.originNetwork methodDetails.destinationNetwork methodDetails.destinationAsset methodDetails.destinationRecipient methodDetails.amountOut methodDetails.minAmountIn methodDetails.refundTo", "near:mainnet"},
	{"solana charge", `{"amount":"1","currency":"sol","recipient":"r"}`, "amount currency recipient", "mainnet"},
	{"solana charge", `{"amount":"1","currency":"sol","methodDetails":{"network":"devnet"},"recipient":"r"}`, "amount currency recipient", "devnet"},
	{"solana session", `{"amount":"1","currency":"sol","methodDetails":{"channelProgram":"c","network":"devnet"},"recipient":"r"}`, "recipient methodDetails.network methodDetails.channelProgram", "devnet"},
	{"stellar charge", `{"amount":"1","currency":"c","methodDetails":{"network":"stellar:testnet"},"recipient":"r"}`, "amount currency recipient methodDetails.network", "stellar:testnet"},
	{"stripe charge", `{"amount":"5","currency":"usd","methodDetails":{"networkId":"n","paymentMethodTypes":["card"]}}`, "amount currency methodDetails.networkId methodDetails.paymentMethodTypes", ""},
	{"stripe subscription", `{"amount":"5","currency":"usd","methodDetails":{"networkId":"n","paymentMethodTypes":["card"]},"periodCount":"1","periodUnit":"month"}`, "amount currency periodUnit periodCount methodDetails.networkId methodDetails.paymentMethodTypes", ""},
	{"tempo charge", `{"amount":"1","currency":"0x1","recipient":"0x3"}`, "amount currency recipient", "eip155:42431"},
	{"tempo session", `{"amount":"1","currency":"0x1","methodDetails":{"escrowContract":"0x2"},"recipient":"0x3"}`, "recipient methodDetails.escrowContract", "eip155:4217"},
	{"tempo subscription", `{"amount":"1","currency":"0x1","methodDetails":{"accessKey":"k"},"periodCount":"2","periodUnit":"week","recipient":"0x3","subscriptionExpires":"2036-01-01T00:00:00Z"}`, "amount currency recipient periodUnit periodCount subscriptionExpires methodDetails.accessKey", "eip155:42431"},
	{"usdc charge", `{"amount":"1","currency":"usdc","methodDetails":{"evm":{"chainId":1},"type":"evm"},"recipient":"0x3"}`, "amount currency recipient methodDetails.type", "eip155:1"},
	{"usdc charge", `{"amount":"1","currency":"usdc","methodDetails":{"solana":{"network":"devnet"},"type":"solana"},"recipient":"r"}`, "amount currency recipient methodDetails.type", "devnet"},
	{"usdc charge", `{"amount":"1","currency":"usdc","methodDetails":{"stacks":{"network":"testnet"},"type":"stacks"},"recipient":"r"}`, "amount currency recipient methodDetails.type", "testnet"},
	{"usdc charge", `{"amount":"1","currency":"usdc","methodDetails":{"gateway":{"destinationNetwork":"g"},"type":"gateway"},"recipient":"r"}`, "amount currency recipient methodDetails.type", "g"},
	{"unheard charge", `{"amount":"1","currency":"x"}`, "amount currency", ""},
	{"unheard subscription", `{"amount":"1","currency":"x"}`, "amount currency", ""},
	{"unheard other", `{}`, "", ""},
	{"unheard other", `{"amount":7,"currency":null}`, "", ""},
}

// readForm reads a challenge with that request.
func readForm(t *testing.T, offer string, request map[string]any) challenge.Offer {
	t.Helper()
	method, intent, _ := strings.Cut(offer, " ")
	text := challenge.Encode(challenge.CanonicalObject(request).Canonical())
	found := challenge.ReadHTTP(http.Header{"Www-Authenticate": {fmt.Sprintf(`Payment id="i", realm="r", method=%q, intent=%q, request=%q`, method, intent, text)}}, nil)
	if len(found) != 1 {
		t.Fatalf("%s: %d offers", offer, len(found))
	}
	return found[0]
}

func decode(t *testing.T, text string) (object map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// TestPaymentForms: a request of each method and intent is without fault and means its network; without one of the members
// that its draft requires, it has one fault, which names the draft and the member.
func TestPaymentForms(t *testing.T) {
	for _, f := range forms {
		if o := readForm(t, f.offer, decode(t, f.request)); len(o.Faults) > 0 || o.Network != f.network || o.Title() != "Payment "+strings.Replace(f.offer, " ", "/", 1) {
			t.Errorf("%s: %s, network %q, faults %v", f.offer, o.Title(), o.Network, o.Faults)
		}
		for path := range strings.FieldsSeq(f.required) {
			request := decode(t, f.request)
			parent, name := request, path
			if first, rest, ok := strings.Cut(path, "."); ok {
				parent, name = request[first].(map[string]any), rest
			}
			delete(parent, name)
			o := readForm(t, f.offer, request)
			if len(o.Faults) != 1 || o.Faults[0].Sentence != "The request has no "+path+"." || !strings.Contains(o.Faults[0].Clause, strings.Fields(f.offer)[1]) {
				t.Errorf("%s without %s: %v", f.offer, path, o.Faults)
			}
		}
	}
}

// TestPeriods: a subscription has a unit of its draft, a positive count, and an end that is a time.
func TestPeriods(t *testing.T) {
	for _, tt := range []struct {
		offer, old, new string
		faults          int
	}{
		{"stripe subscription", `"month"`, `"day"`, 0},
		{"stripe subscription", `"month"`, `"year"`, 1},
		{"tempo subscription", `"week"`, `"day"`, 0},
		{"tempo subscription", `"week"`, `"month"`, 1},
		{"tempo subscription", `"2"`, `"0"`, 1},
		{"tempo subscription", `"2"`, `2`, 1},
		{"tempo subscription", `"2036-01-01T00:00:00Z"`, `"soon"`, 1},
		{"tempo subscription", `"amount":"1"`, `"amount":"0"`, 1},
		{"tempo charge", `"amount":"1"`, `"amount":"0"`, 0},
		{"tempo charge", `"amount":"1"`, `"amount":"1.5"`, 1},
		{"stripe charge", `"amount":"5"`, `"amount":5`, 1},
	} {
		for _, f := range forms {
			if f.offer != tt.offer {
				continue
			}
			text := strings.Replace(f.request, tt.old, tt.new, 1)
			if o := readForm(t, f.offer, decode(t, text)); text == f.request || len(o.Faults) != tt.faults {
				t.Errorf("%s with %s: faults %v, want %d", f.offer, tt.new, o.Faults, tt.faults)
			}
		}
	}
}
