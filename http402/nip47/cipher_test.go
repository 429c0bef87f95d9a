package nip47

import (
	"crypto/aes"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
)

// TestJunkIsNoMessage: each cipher reads its own messages, and refuses what is none. Foreign wallets read and write them
// in the tests of l402/nwc.
func TestJunkIsNoMessage(t *testing.T) {
	key, err := btcec.NewPrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{nip44Name, nip04Name} {
		c, err := newCipher(&event{Tags: [][]string{{"encryption", name}}}, key.PubKey(), key)
		if _, newer := c.(nip44Cipher); err != nil || newer != (name == nip44Name) {
			t.Fatalf("%s: %v", name, err)
		}
		sent, err := c.encrypt("{}")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.decrypt(sent); err != nil || got != "{}" {
			t.Errorf("%s: its own message is read as %q, %v", name, got, err)
		}
		for _, junk := range []string{"", "A", "AAAA", strings.Repeat("A", 200), "?iv=", "AAAA?iv=AAAA", strings.Repeat("A", 64) + "?iv=AAAAAAAAAAAAAAAAAAAAAA==", "é"} {
			if got, err := c.decrypt(junk); err == nil && name == nip44Name {
				t.Errorf("%s: %q is read as %q", name, junk, got)
			}
		}
		if long := strings.Repeat("A", 3*aes.BlockSize); name == nip04Name {
			if _, err := c.decrypt(long); err == nil {
				t.Error("a message without a vector is read")
			}
		}
	}
}

// authorOf returns the wallet that is an event's author.
func authorOf(t *testing.T, e event) *wallet {
	key, err := parsePublic(e.PubKey)
	if err != nil {
		t.Fatal(err)
	}
	return &wallet{public: e.PubKey, key: key}
}

// TestForeignEvent: an event that an independent implementation (go-nostr 0.52.3) made and signed is accepted, also with
// characters that JSON escapes.
func TestForeignEvent(t *testing.T) {
	foreign := event{
		ID: "75deb7d4f1fa532b9098058064c5416b194c6f054f65f98d4b3343d5818f74e7", PubKey: "c2b5eb9579994c9b1d580b525dc5e4dbdc66b3d111e6f3534c877c9884ca39fd",
		CreatedAt: 1764201600, Kind: kindRequest, Tags: [][]string{{"p", "00"}, {"x", "<&>"}}, Content: "a \"quoted\" <text> & more\n\t\\ é",
		Sig: "35ce303e139a43e8cdbcd16dfe4d8be22f05b9696ff9aebcdd23123cd5cb4c29ea872e109ded6f5a88aa198200371c9cfc28a11a4540e7ee80ca90faa54433c2",
	}
	if !authorOf(t, foreign).wrote(&foreign) {
		t.Error("it is not accepted")
	}
}

// TestChangedEvents: an event is signed by its author, and one that was changed is not.
func TestChangedEvents(t *testing.T) {
	sign := func(content string) event {
		key, err := btcec.NewPrivateKey()
		if err != nil {
			t.Fatal(err)
		}
		e, err := newEvent(kindRequest, content, [][]string{{"p", "00"}, {"x", "<&>"}}, key)
		if err != nil {
			t.Fatal(err)
		}
		return *e
	}
	mine, other := sign("a \"quoted\" <text> & more\n\t\\ é"), sign("another")
	author, another := authorOf(t, mine), authorOf(t, other)
	if !author.wrote(&mine) {
		t.Error("an event is not accepted")
	}
	for name, change := range map[string]func(*event){
		"id": func(e *event) { e.ID = other.ID }, "author": func(e *event) { e.PubKey = other.PubKey }, "content": func(e *event) { e.Content += " " },
		"signature": func(e *event) { e.Sig = other.Sig }, "no signature": func(e *event) { e.Sig = "" }, "no author": func(e *event) { e.PubKey = "" },
	} {
		changed := mine
		if change(&changed); author.wrote(&changed) || another.wrote(&changed) {
			t.Errorf("accepted with a changed %s", name)
		}
	}
}
