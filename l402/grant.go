package l402

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"
)

// NewGrant returns a credential for which nobody has paid, as the value of Authorization, and its account, which
// [Ledger.Grant] must create.
func NewGrant(keys Keys, credits int, now, validUntil time.Time) (authorization string, account Account, err error) {
	if credits < 1 || credits > maxCredits || !validUntil.After(now) {
		return "", Account{}, fmt.Errorf("%d credits until %s: grant 1 to %d, until a time to come", credits, validUntil.Format(time.RFC3339), maxCredits)
	}
	var preimage lntypes.Preimage
	rand.Read(preimage[:]) // never fails since Go 1.24
	account = Account{
		Hash: preimage.Hash(), Credits: credits, ExpiresAt: validUntil.UTC().Truncate(time.Second),
		Sale: Sale{Kind: SaleGranted, At: now.UTC().Truncate(time.Second)},
	}
	raw, err := mint(keys, newIdentifier(account.Hash), caveatsFor(credits, account.ExpiresAt, account.Sale))
	if err != nil {
		return "", Account{}, err
	}
	return "L402 " + base64.StdEncoding.EncodeToString(raw) + ":" + preimage.String(), account, nil
}
