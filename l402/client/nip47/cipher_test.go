package nip47

import (
	"crypto/aes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/nbd-wtf/go-nostr"
	"github.com/nbd-wtf/go-nostr/nip04"
	"github.com/nbd-wtf/go-nostr/nip44"
)

// TestForeignCiphers: whatever one side encrypts, an independent implementation decrypts to the same text, in both
// ciphers and directions.
func TestForeignCiphers(t *testing.T) {
	ours, err := newSecret()
	if err != nil {
		t.Fatal(err)
	}
	theirs := nostr.GeneratePrivateKey()
	theirPublic, err := nostr.GetPublicKey(theirs)
	if err != nil {
		t.Fatal(err)
	}
	wallet, err := parsePublic(theirPublic)
	if err != nil {
		t.Fatal(err)
	}
	ourPublic := hex.EncodeToString(schnorr.SerializePubKey(ours.PubKey()))
	key44, err := nip44.GenerateConversationKey(ourPublic, theirs)
	if err != nil {
		t.Fatal(err)
	}
	key04, err := nip04.ComputeSharedSecret(ourPublic, theirs)
	if err != nil {
		t.Fatal(err)
	}
	for name, foreign := range map[string]struct{ encrypt, decrypt func(string) (string, error) }{
		nip44Name: {func(s string) (string, error) { return nip44.Encrypt(s, key44) }, func(s string) (string, error) { return nip44.Decrypt(s, key44) }},
		nip04Name: {func(s string) (string, error) { return nip04.Encrypt(s, key04) }, func(s string) (string, error) { return nip04.Decrypt(s, key04) }},
	} {
		c, err := newCipher(&event{Tags: [][]string{{"encryption", name}}}, wallet, ours)
		if err != nil || c.name() != name {
			t.Fatalf("%s: %v", name, err)
		}
		for size := 1; size < 5000; size = size*5/4 + 1 {
			text := strings.Repeat("é{}", size)[:size]
			sent, err := c.encrypt(text)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := foreign.decrypt(sent); err != nil || got != text {
				t.Errorf("%s: %d bytes: they read %.20q, %v", name, size, got, err)
			}
			answer, err := foreign.encrypt(text)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := c.decrypt(answer); err != nil || got != text {
				t.Errorf("%s: %d bytes: we read %.20q, %v", name, size, got, err)
			}
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

// TestForeignEvents: an event of ours has the id and the signature that an independent implementation expects, and the
// other way round; one that was changed has not.
func TestForeignEvents(t *testing.T) {
	key, err := newSecret()
	if err != nil {
		t.Fatal(err)
	}
	const content = "a \"quoted\" <text> & more\n\t\\ é"
	ours, err := newEvent(kindRequest, content, [][]string{{"p", "00"}, {"x", "<&>"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	foreign := nostr.Event{ID: ours.ID, PubKey: ours.PubKey, CreatedAt: nostr.Timestamp(ours.CreatedAt), Kind: ours.Kind,
		Tags: nostr.Tags{{"p", "00"}, {"x", "<&>"}}, Content: content, Sig: ours.Sig}
	if ok, err := foreign.CheckSignature(); !ok || err != nil || !foreign.CheckID() {
		t.Errorf("our event: %v, %v", ok, err)
	}
	if err := foreign.Sign(nostr.GeneratePrivateKey()); err != nil {
		t.Fatal(err)
	}
	theirs := event{ID: foreign.ID, PubKey: foreign.PubKey, CreatedAt: int64(foreign.CreatedAt), Kind: foreign.Kind, Tags: ours.Tags, Content: content, Sig: foreign.Sig}
	if !theirs.isSigned() {
		t.Error("their event is not accepted")
	}
	for name, change := range map[string]func(*event){
		"id": func(e *event) { e.ID = ours.ID }, "author": func(e *event) { e.PubKey = ours.PubKey }, "content": func(e *event) { e.Content += " " },
		"signature": func(e *event) { e.Sig = ours.Sig }, "no signature": func(e *event) { e.Sig = "" }, "no author": func(e *event) { e.PubKey = "" },
	} {
		changed := theirs
		if change(&changed); changed.isSigned() {
			t.Errorf("accepted with a changed %s", name)
		}
	}
}
