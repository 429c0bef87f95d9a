package l402

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/lightningnetwork/lnd/lntypes"
	"gopkg.in/macaroon.v2"
)

// Bounds on what a stranger may make us parse and hash. A fresh macaroon has three caveats in about 220 bytes.
const (
	maxMacaroons     = 8
	maxMacaroonBytes = 4 << 10
	maxCaveats       = 32
)

// macaroonLocation is a hint for people who look into a macaroon. It is not signed and we never read it.
const macaroonLocation = "almanac"

// mint makes the macaroon of id, signed with a key that only the master key and id give.
func mint(keys Keys, id identifier, caveats []string) ([]byte, error) {
	m, err := macaroon.New(keys.minting().rootKey(&id), id[:], macaroonLocation, macaroon.V2)
	if err != nil {
		return nil, fmt.Errorf("make macaroon: %w", err)
	}
	for _, c := range caveats {
		if err := m.AddFirstPartyCaveat([]byte(c)); err != nil {
			return nil, fmt.Errorf("add caveat to macaroon: %w", err)
		}
	}
	b, err := m.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode macaroon: %w", err)
	}
	return b, nil
}

var errMacaroon = errors.New("not a macaroon in the binary format, version 2")

// parseMacaroon reads one macaroon to its last byte. The library would skip what follows it and take spellings of a length
// that nobody writes; what does not encode to the same bytes again is refused.
func parseMacaroon(b []byte) (*macaroon.Macaroon, error) {
	if len(b) == 0 || len(b) > maxMacaroonBytes || b[0] != byte(macaroon.V2) {
		return nil, errMacaroon
	}
	m := new(macaroon.Macaroon)
	if err := m.UnmarshalBinary(b); err != nil {
		return nil, errMacaroon
	}
	if len(m.Caveats()) > maxCaveats {
		return nil, fmt.Errorf("the macaroon has more than %d caveats", maxCaveats)
	}
	again, err := m.MarshalBinary()
	if err != nil || !bytes.Equal(b, again) {
		return nil, errMacaroon
	}
	return m, nil
}

var (
	errForeign   = errors.New("the macaroon was not made here, was changed, or its key was dropped")
	errUnproven  = errors.New("the preimage is not that of the macaroon's invoice")
	errThirdPart = errors.New("third-party caveats are not accepted")
)

// A token is a verified credential: somebody paid for hash and brought the proof.
type token struct {
	hash lntypes.Hash
	grant
}

// A verifier tells good credentials from bad ones. That costs some HMACs each time, and a credential comes a hundred times, so it
// remembers the latest good ones by the hash of their text. Only what no time changes is remembered: whose they are and what
// they allow. Whether they ended, were revoked or are used up is looked at every time.
type verifier struct {
	keys Keys

	mu   sync.Mutex
	good *simplelru.LRU[[sha256.Size]byte, token]
}

// maxRemembered is how many good credentials are remembered, about 200 bytes each.
const maxRemembered = 16 << 10

func newVerifier(keys Keys) *verifier {
	good, err := simplelru.NewLRU[[sha256.Size]byte, token](maxRemembered, nil)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &verifier{keys: keys, good: good}
}

// token verifies the credential that readCredential finds.
func (v *verifier) token(authorization, macaroons []string) (token, error) {
	if len(authorization) != 1 || len(authorization[0]) > maxAuthorization || len(macaroons) > 0 {
		return v.read(authorization, macaroons)
	}
	var room [512]byte // more than a credential of ours takes, so that nothing is allocated
	sum := sha256.Sum256(append(room[:0], authorization[0]...))
	v.mu.Lock()
	t, known := v.good.Get(sum)
	v.mu.Unlock()
	if known {
		return t, nil
	}
	t, err := v.read(authorization, nil)
	if err != nil {
		return token{}, err
	}
	v.mu.Lock()
	v.good.Add(sum, t)
	v.mu.Unlock()
	return t, nil
}

// read is token without the memory.
func (v *verifier) read(authorization, macaroons []string) (token, error) {
	c, err := readCredential(authorization, macaroons)
	if err != nil {
		return token{}, err
	}
	return v.verify(c)
}

// verify finds the token among the macaroons of a credential. Those that commit to the hash of the preimage are its copies:
// each must verify, and what counts is what all of them allow, so their order does not matter. Any other
// macaroon proves nothing here and is passed over, whoever made it.
func (v *verifier) verify(c *credential) (token, error) {
	hash := c.preimage.Hash()
	var t token
	found, ours := false, false
	for _, raw := range c.macaroons {
		one, err := v.verifyOne(raw, hash)
		switch {
		case errors.Is(err, errForeignID):
			continue
		case errors.Is(err, errUnproven):
			ours = true
			continue
		case err != nil:
			return token{}, err
		case found:
			one.grant = t.grant.merge(one.grant)
		}
		t, found = one, true
	}
	switch {
	case found:
		return t, nil
	case ours:
		return token{}, errUnproven
	default:
		return token{}, errForeign
	}
}

// verifyOne verifies one macaroon, given the hash of the preimage that came with it.
func (v *verifier) verifyOne(raw []byte, hash lntypes.Hash) (token, error) {
	m, err := parseMacaroon(raw)
	if err != nil {
		return token{}, malformed(err.Error())
	}
	id, err := parseIdentifier(m.Id())
	if err != nil {
		return token{}, err
	}
	if id.paymentHash() != hash { // before any HMAC: junk must be cheap to refuse
		return token{}, errUnproven
	}
	g, err := verifyCopy(v.keys, m, &id)
	if err != nil {
		return token{}, err
	}
	return token{hash: hash, grant: g}, nil
}

// verifyCopy checks the signature of one macaroon under every master key, and reads its caveats.
func verifyCopy(keys Keys, m *macaroon.Macaroon, id *identifier) (grant, error) {
	for _, c := range m.Caveats() {
		if len(c.VerificationId) > 0 {
			return grant{}, errThirdPart
		}
	}
	for _, k := range keys.all {
		caveats, err := m.VerifySignature(k.rootKey(id), nil) // compares with hmac.Equal
		if err == nil {
			return parseGrant(caveats)
		}
	}
	return grant{}, errForeign
}
