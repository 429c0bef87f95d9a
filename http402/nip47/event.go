package nip47

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
)

// The kinds of events of NIP-47, and of authentication.
const (
	kindInfo     = 13194
	kindRequest  = 23194
	kindResponse = 23195
	kindAuth     = 22242 // of NIP-42
)

// An event is a signed message (NIP-01, "Events and signatures").
type event struct {
	ID        string     `json:"id"`
	PubKey    string     `json:"pubkey"`
	CreatedAt int64      `json:"created_at"`
	Kind      int        `json:"kind"`
	Tags      [][]string `json:"tags"`
	Content   string     `json:"content"`
	Sig       string     `json:"sig"`
}

// A filter says which events a relay is to send.
type filter struct {
	Kinds   []int    `json:"kinds"`
	Authors []string `json:"authors"`
	Events  []string `json:"#e,omitempty"`
	Limit   int      `json:"limit,omitempty"`
}

// newEvent returns an event, signed with a key.
func newEvent(kind int, content string, tags [][]string, key *btcec.PrivateKey) (*event, error) {
	e := &event{
		PubKey: hex.EncodeToString(schnorr.SerializePubKey(key.PubKey())), CreatedAt: time.Now().Unix(), Kind: kind,
		Tags: tags, Content: content,
	}
	sum, err := e.hash()
	if err != nil {
		return nil, err
	}
	sig, err := schnorr.Sign(key, sum[:])
	if err != nil {
		return nil, fmt.Errorf("sign an event: %w", err)
	}
	e.ID, e.Sig = hex.EncodeToString(sum[:]), hex.EncodeToString(sig.Serialize())
	return e, nil
}

// hash returns the hash that is the event's id and is signed: that of a JSON array without blanks and without needless
// escapes. encoding/json escapes U+2028 and U+2029 all the same, which no event of NIP-47 contains.
func (e *event) hash() ([sha256.Size]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode([]any{0, e.PubKey, e.CreatedAt, e.Kind, e.Tags, e.Content}); err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("encode an event: %w", err)
	}
	return sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// wrote reports whether an event names the wallet as its author, and has its own id and the wallet's signature.
func (w *wallet) wrote(e *event) bool {
	sum, err := e.hash()
	if err != nil || e.PubKey != w.public || e.ID != hex.EncodeToString(sum[:]) {
		return false
	}
	raw, hexErr := hex.DecodeString(e.Sig)
	sig, sigErr := schnorr.ParseSignature(raw)
	return errors.Join(hexErr, sigErr) == nil && sig.Verify(sum[:], w.key)
}

// parsePublic parses a public key, 64 hexadecimal digits.
func parsePublic(s string) (*btcec.PublicKey, error) {
	raw, err := hex.DecodeString(s)
	if err != nil {
		return nil, err
	}
	return schnorr.ParsePubKey(raw)
}

// parseSecret parses a secret key, 64 hexadecimal digits.
func parseSecret(s string) (*btcec.PrivateKey, error) {
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != btcec.PrivKeyBytesLen {
		return nil, errors.New("the wallet connection has no secret of 64 hexadecimal digits")
	}
	var scalar btcec.ModNScalar
	if overflow := scalar.SetByteSlice(raw); overflow || scalar.IsZero() {
		return nil, errors.New("the wallet connection's secret is not a key")
	}
	key, _ := btcec.PrivKeyFromBytes(raw)
	return key, nil
}
