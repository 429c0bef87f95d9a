package nip47

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/btcec/v2"
	"golang.org/x/crypto/chacha20"
)

// A textCipher encrypts the messages between a client and the wallet.
type textCipher interface {
	encrypt(string) (string, error)
	decrypt(string) (string, error)
}

const (
	nip44Name = "nip44_v2"
	nip04Name = "nip04"
)

// newCipher chooses by the wallet's info event.
func newCipher(info *event, wallet *btcec.PublicKey, secret *btcec.PrivateKey) (textCipher, error) {
	known := []string{nip04Name}
	for _, tag := range info.Tags {
		if len(tag) > 1 && tag[0] == "encryption" {
			known = strings.Fields(strings.ReplaceAll(strings.Join(tag[1:], " "), ",", " "))
		}
	}
	shared := btcec.GenerateSharedSecret(secret, wallet)
	switch {
	case slices.Contains(known, nip44Name):
		key, err := hkdf.Extract(sha256.New, shared, []byte("nip44-v2"))
		return nip44Cipher(key), err
	case slices.Contains(known, nip04Name):
		block, err := aes.NewCipher(shared)
		return nip04Cipher{block}, err
	}
	return nil, errors.New("the wallet knows neither nip44_v2 nor nip04")
}

var errDecrypt = errors.New("the message cannot be decrypted")

// A nip44Cipher is version 2 of https://github.com/nostr-protocol/nips/blob/master/44.md, with a conversation key.
type nip44Cipher []byte

const (
	nip44Version = 2
	nip44Nonce   = 32
	nip44Least   = 1 + nip44Nonce + 2 + 32 + sha256.Size
	nip44Most    = 0xffff // bytes of a text
)

// crypt encrypts or decrypts data in place.
func (c nip44Cipher) crypt(nonce, data []byte) (macKey []byte, err error) {
	keys, err := hkdf.Expand(sha256.New, c, string(nonce), 76)
	if err != nil {
		return nil, err
	}
	stream, err := chacha20.NewUnauthenticatedCipher(keys[:32], keys[32:44])
	if err != nil {
		return nil, err
	}
	stream.XORKeyStream(data, data)
	return keys[44:], nil
}

func (c nip44Cipher) encrypt(text string) (string, error) {
	if len(text) == 0 || len(text) > nip44Most {
		return "", fmt.Errorf("encrypt: the message has %d bytes", len(text))
	}
	nonce := make([]byte, nip44Nonce)
	rand.Read(nonce) // never fails since Go 1.24
	data := make([]byte, 2+paddedSize(len(text)))
	binary.BigEndian.PutUint16(data, uint16(len(text)))
	copy(data[2:], text)
	macKey, err := c.crypt(nonce, data)
	if err != nil {
		return "", fmt.Errorf("encrypt: %w", err)
	}
	sealed := slices.Concat([]byte{nip44Version}, nonce, data, sum(macKey, nonce, data))
	return base64.StdEncoding.EncodeToString(sealed), nil
}

func (c nip44Cipher) decrypt(text string) (string, error) {
	sealed, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(sealed) < nip44Least || sealed[0] != nip44Version {
		return "", errDecrypt
	}
	nonce, data, mac := sealed[1:1+nip44Nonce], sealed[1+nip44Nonce:len(sealed)-sha256.Size],
		sealed[len(sealed)-sha256.Size:]
	encrypted := bytes.Clone(data)
	macKey, err := c.crypt(nonce, data)
	if err != nil || !hmac.Equal(mac, sum(macKey, nonce, encrypted)) {
		return "", errDecrypt
	}
	size := int(binary.BigEndian.Uint16(data))
	if size == 0 || len(data) != 2+paddedSize(size) {
		return "", errDecrypt
	}
	return string(data[2 : 2+size]), nil
}

// sum returns the authentication code of a message.
func sum(key, nonce, data []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(nonce)
	h.Write(data)
	return h.Sum(nil)
}

// paddedSize returns the size to which a text of NIP-44 is padded: a multiple of 32, or of an eighth of the next power
// of two.
func paddedSize(size int) int {
	chunk := max(32, 1<<bits.Len(uint(size-1))/8)
	return (size + chunk - 1) / chunk * chunk
}

// A nip04Cipher is https://github.com/nostr-protocol/nips/blob/master/04.md, for wallets that know nothing better.
type nip04Cipher struct{ cipher.Block }

const nip04Separator = "?iv="

func (c nip04Cipher) encrypt(text string) (string, error) {
	iv := make([]byte, aes.BlockSize)
	rand.Read(iv) // never fails since Go 1.24
	padding := aes.BlockSize - len(text)%aes.BlockSize
	data := append([]byte(text), bytes.Repeat([]byte{byte(padding)}, padding)...)
	cipher.NewCBCEncrypter(c, iv).CryptBlocks(data, data)
	return base64.StdEncoding.EncodeToString(data) + nip04Separator + base64.StdEncoding.EncodeToString(iv), nil
}

func (c nip04Cipher) decrypt(text string) (string, error) {
	encrypted, vector, _ := strings.Cut(text, nip04Separator)
	data, dataErr := base64.StdEncoding.DecodeString(encrypted)
	iv, ivErr := base64.StdEncoding.DecodeString(vector)
	if errors.Join(dataErr, ivErr) != nil || len(iv) != aes.BlockSize || len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return "", errDecrypt
	}
	cipher.NewCBCDecrypter(c, iv).CryptBlocks(data, data)
	padding := int(data[len(data)-1])
	if padding == 0 || padding > aes.BlockSize {
		return "", errDecrypt
	}
	return string(data[:len(data)-padding]), nil
}
