package l402

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// masterKeySize is the length of a master key in bytes.
const masterKeySize = 32

// maxMasterKeys bounds how many keys a forged macaroon is checked against.
const maxMasterKeys = 8

// Keys are the master keys that sign macaroons. The first signs new ones; all of them are accepted.
type Keys struct {
	all     []masterKey
	created bool
}

type masterKey [masterKeySize]byte

// A KeyID identifies a master key without revealing anything about it.
type KeyID [8]byte

// rootKey returns the root key of the macaroon with that identifier.
func (k *masterKey) rootKey(id *identifier) []byte { return k.sign(id[:]) }

func (k *masterKey) sign(message []byte) []byte {
	mac := hmac.New(sha256.New, k[:])
	mac.Write(message)
	return mac.Sum(nil)
}

// Created reports whether OpenKeys made the key file, so that nothing that was sold before is accepted.
func (k Keys) Created() bool { return k.created }

// IDs returns the ids of the keys. A ledger records them, so that a service started with a wrong key file finds out
// before its buyers do.
func (k Keys) IDs() []KeyID {
	ids := make([]KeyID, len(k.all))
	for i := range k.all {
		copy(ids[i][:], k.all[i].sign([]byte("almanac key id")))
	}
	return ids
}

// Derive derives a key for another use from the key that signs.
func (k Keys) Derive(use string) [sha256.Size]byte { return k.minting().derive(use) }

func (k *masterKey) derive(use string) [sha256.Size]byte {
	return [sha256.Size]byte(k.sign([]byte("almanac derived key: " + use)))
}

func (k Keys) minting() *masterKey { return &k.all[0] }

// String keeps the keys out of logs and error texts.
func (k Keys) String() string { return fmt.Sprintf("%d master keys", len(k.all)) }

// GoString is String, for %#v.
func (k Keys) GoString() string { return k.String() }

// NewKeys returns one fresh key, which is lost when the process ends; [OpenKeys] keeps keys in a file.
func NewKeys() Keys {
	var k masterKey
	rand.Read(k[:]) // never fails since Go 1.24
	return Keys{all: []masterKey{k}}
}

// OpenKeys creates the key file with one fresh key if there is none, and reads it as [ReadKeys].
func OpenKeys(path string) (Keys, error) {
	created, err := createKeyFile(path)
	if err != nil {
		return Keys{}, fmt.Errorf("create key file: %w", err)
	}
	keys, err := ReadKeys(path)
	keys.created = created
	return keys, err
}

// ReadKeys reads the key file. It holds one key on each line, as 64 hexadecimal digits; lines that begin with # are
// comments. To rotate, insert a new first line; to revoke everything that a key signed, delete its line. A file that
// everybody may read, or that has any other form, is an error, because a service with a wrong key would refuse everybody
// who has paid. Its group may read it: Kubernetes gives the files of a volume to the group of the pod (fsGroup).
func ReadKeys(path string) (Keys, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Keys{}, fmt.Errorf("key file: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o007 != 0 {
		return Keys{}, fmt.Errorf("key file %s can be read by others (mode %#o): run chmod 600 on it", path, info.Mode().Perm())
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Keys{}, fmt.Errorf("key file: %w", err)
	}
	keys, err := parseKeys(string(b))
	if err != nil {
		return Keys{}, fmt.Errorf("key file %s: %w", path, err)
	}
	return keys, nil
}

// parseKeys parses the text of a key file. Its errors give line numbers and never quote lines.
func parseKeys(text string) (Keys, error) {
	var keys Keys
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		raw, err := hex.DecodeString(line)
		if err != nil || len(raw) != masterKeySize {
			return Keys{}, fmt.Errorf("line %d is not a key of 64 hexadecimal digits: restore the file from a backup", n+1)
		}
		k := masterKey(raw)
		if k == (masterKey{}) || slices.Contains(keys.all, k) {
			return Keys{}, fmt.Errorf("line %d is all zero or repeats a key", n+1)
		}
		keys.all = append(keys.all, k)
	}
	if len(keys.all) == 0 {
		return Keys{}, errors.New("the file holds no key: restore it from a backup, or delete it to start with a fresh key and refuse every token sold so far")
	}
	if len(keys.all) > maxMasterKeys {
		return Keys{}, fmt.Errorf("the file holds more than %d keys", maxMasterKeys)
	}
	return keys, nil
}

// createKeyFile creates the file with one fresh key unless it exists. The file appears whole or not at all, and two
// processes that start at the same time use the same key; created is true for one of them.
func createKeyFile(path string) (created bool, err error) {
	if _, err := os.Lstat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".keys-*") // mode 0600
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name())
	key := NewKeys().minting()
	_, err = fmt.Fprintf(f, "# almanac master keys, one a line: the first signs, all are accepted. Keep this file secret and backed up.\n%s\n",
		hex.EncodeToString(key[:]))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return false, err
	}
	err = os.Link(f.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	return err == nil, SyncDir(filepath.Dir(path))
}

// SyncDir makes the names in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
