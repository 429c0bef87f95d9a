package rest_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/wallet/rest"
)

// TestSecretForms: a secret is read in the forms in which people and programs save one, and what may be two is refused. No error
// shows what the file has, nor its path if there is none.
func TestSecretForms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	for text, want := range map[string]string{
		"s3cret": "s3cret", " s3cret\r\n\n": "s3cret", "\ufeffs3cret\n": "s3cret", "# of the shop\n\ns3cret\n": "s3cret",
		`"s3cret"`: "s3cret", `NWC_URL="s3cret?a=b&c=d"`: "s3cret?a=b&c=d", "export NWC_URL='s3cret'\n": "s3cret", "RUNE = s3cret": "s3cret",
		"http-password-limited-access=s3cret": "s3cret",
		"s3cret=":                             "s3cret=", "S3CRET==": "S3CRET==", "s3=cret": "s3=cret", "type=nwc;key=s3cret": "type=nwc;key=s3cret", `s3"cret"`: `s3"cret"`, "#s3cret": "#s3cret",
		"": "", "\n": "", "# s3cret": "", "s3cret\ns3cret": "", "s3cret\x00": "", strings.Repeat("s3cret", 1000): "",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := rest.ReadSecret(file)
		if (err == nil) != (want != "") || err == nil && got != want || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%.40q: %.40q, %v, want %q", text, got, err, want)
		}
	}
	for _, path := range []string{"s3cret", strings.Repeat("s3cret", 1000), "s3cret\x00", "/s3cret/s3cret"} {
		_, err := rest.ReadSecret(path)
		_, passwordErr := rest.ReadPassword(path)
		_, macaroonErr := rest.ReadMacaroon(path)
		for _, err := range []error{err, passwordErr, macaroonErr} {
			if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "path of a file") {
				t.Errorf("%.40q: %v", path, err)
			}
		}
	}
}

// TestMacaroonForms: a macaroon is read as lnd writes it, and as a line of text in the forms of other secrets.
func TestMacaroonForms(t *testing.T) {
	m, err := macaroon.New([]byte("key"), []byte("id"), "lnd", macaroon.V2)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := m.MarshalBinary()
	text := hex.EncodeToString(raw)
	file := filepath.Join(t.TempDir(), "macaroon")
	for _, content := range [][]byte{raw, []byte(text), []byte(text + "\n"), []byte("LND_MACAROON=" + text), bytes.ToUpper([]byte(text))} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := rest.ReadMacaroon(file); err != nil || got != text {
			t.Errorf("%.40q: %q, %v", content, got, err)
		}
	}
}
