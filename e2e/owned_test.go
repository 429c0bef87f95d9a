package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"go.almanac.example/cmd/almanac/buyer"
)

// TestOwnedCredentials: a helper without a wallet imports a credential, sees it among its credits, uses it, and forgets it.
func TestOwnedCredentials(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	p := startServe(t)
	address := p.base + "/v1/search?q=macaroon"
	owner := newShopper(t, "ALMANAC_WALLET=demo:"+p.base)
	owner.want(0, []string{"credentials: 0; spent today 0 sat of a limit of 1000 sat, in all 0 sat of no limit"}, "credits")
	owner.want(0, nil, "get", address)
	owner.want(0, []string{"99 left", p.base + "/v1/search", "credentials: 1; spent today 100 sat of a limit of 1000 sat"}, "credits")
	bought := p.buy()

	helper := newShopper(t)
	helper.stdin = "nonsense"
	helper.want(1, []string{"not of the form"}, "import", address)
	helper.stdin = "Authorization: " + bought + "\n"
	helper.want(0, []string{"is presented to " + p.base}, "import", address)
	helper.stdin = ""
	helper.want(0, []string{"unknown left"}, "credits")
	helper.want(0, nil, "get", address)
	var owned struct {
		Credentials []struct {
			ID        string
			Remaining *int
		}
	}
	out := helper.want(0, nil, "credits", "-json")
	if err := json.Unmarshal([]byte(out), &owned); err != nil || len(owned.Credentials) != 1 || owned.Credentials[0].Remaining == nil || *owned.Credentials[0].Remaining != 99 {
		t.Fatalf("the helper owns %s (%v), want one credential with 99 requests left", out, err)
	}
	if strings.Contains(out, strings.Fields(bought)[1]) {
		t.Error("the list has the credential itself")
	}
	helper.want(1, []string{"there is no credential"}, "forget", "made-up")
	helper.want(0, []string{"is not presented any more"}, "forget", owned.Credentials[0].ID)
	helper.want(0, []string{"credentials: 0"}, "credits")
	helper.want(buyer.ExitStore, []string{"no wallet to pay"}, "get", "-network", "regtest", address)
}
