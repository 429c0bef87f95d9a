package nip47

import (
	"errors"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"
	"github.com/nbd-wtf/go-nostr/nip04"
	"github.com/nbd-wtf/go-nostr/nip44"
)

// A cipher encrypts what travels between a client and the wallet.
type cipher interface {
	name() string // in the tag encryption
	encrypt(string) (string, error)
	decrypt(string) (string, error)
}

const (
	nip44Name = "nip44_v2"
	nip04Name = "nip04"
)

// newCipher chooses by the wallet's info event.
func newCipher(info *nostr.Event, wallet, secret string) (cipher, error) {
	known := []string{nip04Name}
	if tag := info.Tags.Find("encryption"); len(tag) > 1 {
		known = strings.Fields(strings.ReplaceAll(strings.Join(tag[1:], " "), ",", " "))
	}
	switch {
	case slices.Contains(known, nip44Name):
		key, err := nip44.GenerateConversationKey(wallet, secret)
		return nip44Cipher(key), err
	case slices.Contains(known, nip04Name):
		key, err := nip04.ComputeSharedSecret(wallet, secret)
		return nip04Cipher(key), err
	}
	return nil, errors.New("the wallet knows neither nip44_v2 nor nip04")
}

type nip44Cipher [32]byte

func (c nip44Cipher) name() string                     { return nip44Name }
func (c nip44Cipher) encrypt(s string) (string, error) { return nip44.Encrypt(s, c) }
func (c nip44Cipher) decrypt(s string) (string, error) { return nip44.Decrypt(s, c) }

type nip04Cipher []byte

func (c nip04Cipher) name() string                     { return nip04Name }
func (c nip04Cipher) encrypt(s string) (string, error) { return nip04.Encrypt(s, c) }
func (c nip04Cipher) decrypt(s string) (string, error) { return nip04.Decrypt(s, c) }
