package requests

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/macaroon.v2"
)

// A token is the parts of a macaroon, each of which can be changed without the key, in the JSON of the format 2.
type token struct {
	Version   int      `json:"v"`
	Location  string   `json:"l"`
	ID        []byte   `json:"i64"`
	Caveats   []caveat `json:"c"`
	Signature []byte   `json:"s64"`
}

type caveat struct {
	ID           []byte `json:"i64"`
	Location     string `json:"l,omitempty"`
	Verification []byte `json:"v64,omitempty"`
}

func readMacaroon(text string) (*token, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: the token is not base64", errNotApplicable)
	}
	var m macaroon.Macaroon
	if err := m.UnmarshalBinary(raw); err != nil {
		return nil, fmt.Errorf("%w: the token is not a macaroon", errNotApplicable)
	}
	t := &token{Version: 2, Location: m.Location(), ID: slices.Clone(m.Id()), Signature: slices.Clone(m.Signature())}
	for _, c := range m.Caveats() {
		t.Caveats = append(t.Caveats, caveat{c.Id, c.Location, c.VerificationId})
	}
	return t, nil
}

// binary writes the macaroon in the format 2.
func (m *token) binary() []byte {
	var read macaroon.Macaroon
	if err := read.UnmarshalJSON(marshal(m)); err != nil {
		panic(err) // only for a signature that has not 32 bytes
	}
	out, _ := read.MarshalBinary()
	return out
}

// packets writes the macaroon in the format 1.
func (m *token) packets() []byte {
	var out []byte
	packet := func(key string, data []byte) { out = fmt.Appendf(out, "%04x%s %s\n", 6+len(key)+len(data), key, data) }
	packet("location", []byte(m.Location))
	packet("identifier", m.ID)
	for _, c := range m.Caveats {
		packet("cid", c.ID)
	}
	packet("signature", m.Signature)
	return out
}

// add appends a caveat, as every holder can.
func (m *token) add(condition string) {
	mac := hmac.New(sha256.New, m.Signature)
	mac.Write([]byte(condition))
	m.Caveats, m.Signature = append(m.Caveats, caveat{ID: []byte(condition)}), mac.Sum(nil)
}

// condition returns the name and value of the first caveat whose name ends so.
func (m *token) condition(suffix string) (name, value string, err error) {
	for _, c := range m.Caveats {
		if name, value, ok := strings.Cut(string(c.ID), "="); ok && strings.HasSuffix(name, suffix) {
			return name, value, nil
		}
	}
	return "", "", fmt.Errorf("%w: the macaroon has no caveat %s", errNotApplicable, suffix)
}

// attenuate changes a macaroon, in an encoding of its own or as a holder or a thief can.
func (w wallet) attenuate(text, name, arg string) (string, error) {
	m, err := readMacaroon(text)
	if err != nil {
		return "", err
	}
	switch name {
	case "hex":
		return hex.EncodeToString(m.binary()), nil
	case "v1":
		return base64.StdEncoding.EncodeToString(m.packets()), nil
	case "json":
		return base64.StdEncoding.EncodeToString(marshal(m)), nil
	case "append":
		extra, err := base64.StdEncoding.DecodeString(arg)
		return base64.StdEncoding.EncodeToString(append(m.binary(), extra...)), err
	case "identify":
		value, err := w.value(arg)
		hash, bad := hex.DecodeString(value)
		if err != nil || bad != nil || len(m.ID) != 66 {
			return "", fmt.Errorf("%w: the identifier has %d bytes", errNotApplicable, len(m.ID))
		}
		copy(m.ID[2:], hash)
	case "caveat-preimage":
		m.add("preimage=" + w[""].preimage)
	default:
		if known, err := m.tamper(name, arg); known || err != nil {
			return base64.StdEncoding.EncodeToString(m.binary()), err
		}
		if err := m.narrow(name, arg); err != nil {
			return "", err
		}
	}
	return base64.StdEncoding.EncodeToString(m.binary()), nil
}

// tamper changes what the signature covers, or the signature, and reports whether it knows the filter.
func (m *token) tamper(name, arg string) (known bool, err error) {
	last := len(m.Caveats) - 1
	if least := map[string]int{"drop-caveat": 1, "alter-caveat": 1, "swap-caveats": 2}[name]; last+1 < least {
		return true, fmt.Errorf("%w: the macaroon has %d caveats", errNotApplicable, last+1)
	}
	switch name {
	case "location":
		m.Location = arg
	case "flip":
		m.Signature[0] ^= 1
	case "forge":
		mac := hmac.New(sha256.New, make([]byte, 32))
		mac.Write(m.ID)
		caveats := m.Caveats
		m.Caveats, m.Signature = nil, mac.Sum(nil)
		for _, c := range caveats {
			m.add(string(c.ID))
		}
	case "drop-caveat":
		m.Caveats = m.Caveats[:last]
	case "alter-caveat":
		m.Caveats[last].ID = append(slices.Clone(m.Caveats[last].ID), '0')
	case "swap-caveats":
		m.Caveats[0], m.Caveats[1] = m.Caveats[1], m.Caveats[0]
	case "short-id":
		m.ID = m.ID[:min(34, len(m.ID)-1)]
	default:
		return false, nil
	}
	return true, nil
}

// narrow adds caveats.
func (m *token) narrow(name, arg string) error {
	n, _ := strconv.Atoi(arg)
	switch name {
	case "caveat":
		m.add(arg)
	case "caveats":
		for i := range n {
			m.add("unknown_" + strconv.Itoa(i) + "=1")
		}
	case "until", "until-share", "until-text":
		key, end, err := m.condition("_valid_until")
		if err != nil {
			return err
		}
		now := time.Now().Unix()
		switch first, _ := strconv.ParseInt(end, 10, 64); name {
		case "until":
			arg = strconv.FormatInt(now+int64(n), 10)
		case "until-share": // of the time that the first such caveat leaves
			arg = strconv.FormatInt(now+(first-now)*int64(n)/100, 10)
		}
		m.add(key + "=" + arg)
	case "more-services":
		_, value, err := m.condition("services")
		if err != nil {
			return err
		}
		m.add("services=" + value + "," + arg)
	case "third-party":
		mac, vid := hmac.New(sha256.New, m.Signature), make([]byte, 72)
		for _, part := range [][]byte{vid, []byte("elsewhere")} {
			inner := hmac.New(sha256.New, m.Signature)
			inner.Write(part)
			mac.Write(inner.Sum(nil))
		}
		m.Caveats = append(m.Caveats, caveat{[]byte("elsewhere"), "https://elsewhere.example", vid})
		m.Signature = mac.Sum(nil)
	default:
		return fmt.Errorf("nobody knows the filter %s", name)
	}
	return nil
}
