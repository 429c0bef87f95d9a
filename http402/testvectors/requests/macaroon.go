package requests

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/macaroon.v2"
)

// A token is the parts of a macaroon, each of which can be changed without the key.
type token struct {
	location  string
	id        []byte
	caveats   []macaroon.Caveat
	signature []byte
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
	return &token{m.Location(), slices.Clone(m.Id()), m.Caveats(), slices.Clone(m.Signature())}, nil
}

// binary writes the macaroon in the format 2.
func (m *token) binary() []byte {
	out := []byte{2}
	field := func(kind byte, data []byte) {
		if len(data) > 0 {
			out = append(binary.AppendUvarint(append(out, kind), uint64(len(data))), data...)
		}
	}
	field(1, []byte(m.location))
	field(2, m.id)
	out = append(out, 0)
	for _, c := range m.caveats {
		field(1, []byte(c.Location))
		field(2, c.Id)
		field(4, c.VerificationId)
		out = append(out, 0)
	}
	out = append(out, 0)
	field(6, m.signature)
	return out
}

// packets writes the macaroon in the format 1.
func (m *token) packets() []byte {
	var out []byte
	packet := func(key string, data []byte) { out = fmt.Appendf(out, "%04x%s %s\n", 6+len(key)+len(data), key, data) }
	packet("location", []byte(m.location))
	packet("identifier", m.id)
	for _, c := range m.caveats {
		packet("cid", c.Id)
	}
	packet("signature", m.signature)
	return out
}

// add appends a caveat, as every holder can.
func (m *token) add(caveat string) {
	mac := hmac.New(sha256.New, m.signature)
	mac.Write([]byte(caveat))
	m.caveats, m.signature = append(m.caveats, macaroon.Caveat{Id: []byte(caveat)}), mac.Sum(nil)
}

// condition returns the name and value of the first caveat whose name ends so.
func (m *token) condition(suffix string) (name, value string, err error) {
	for _, c := range m.caveats {
		if name, value, ok := strings.Cut(string(c.Id), "="); ok && strings.HasSuffix(name, suffix) {
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
		return base64.StdEncoding.EncodeToString(m.json()), nil
	case "append":
		extra, err := base64.StdEncoding.DecodeString(arg)
		return base64.StdEncoding.EncodeToString(append(m.binary(), extra...)), err
	case "identify":
		value, err := w.value(arg)
		hash, bad := hex.DecodeString(value)
		if err != nil || bad != nil || len(m.id) != 66 {
			return "", fmt.Errorf("%w: the identifier has %d bytes", errNotApplicable, len(m.id))
		}
		copy(m.id[2:], hash)
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

// json writes the macaroon in the JSON of the format 2.
func (m *token) json() []byte {
	type caveat struct {
		ID []byte `json:"i64"`
	}
	doc := struct {
		V       int      `json:"v"`
		L       string   `json:"l"`
		ID      []byte   `json:"i64"`
		Caveats []caveat `json:"c"`
		Sig     []byte   `json:"s64"`
	}{2, m.location, m.id, nil, m.signature}
	for _, c := range m.caveats {
		doc.Caveats = append(doc.Caveats, caveat{c.Id})
	}
	return marshal(doc)
}

// tamper changes what the signature covers, or the signature, and reports whether it knows the filter.
func (m *token) tamper(name, arg string) (known bool, err error) {
	last := len(m.caveats) - 1
	if least := map[string]int{"drop-caveat": 1, "alter-caveat": 1, "swap-caveats": 2}[name]; last+1 < least {
		return true, fmt.Errorf("%w: the macaroon has %d caveats", errNotApplicable, last+1)
	}
	switch name {
	case "location":
		m.location = arg
	case "flip":
		m.signature[0] ^= 1
	case "forge":
		mac := hmac.New(sha256.New, make([]byte, 32))
		mac.Write(m.id)
		caveats := m.caveats
		m.caveats, m.signature = nil, mac.Sum(nil)
		for _, c := range caveats {
			m.add(string(c.Id))
		}
	case "drop-caveat":
		m.caveats = m.caveats[:last]
	case "alter-caveat":
		m.caveats[last].Id = append(slices.Clone(m.caveats[last].Id), '0')
	case "swap-caveats":
		m.caveats[0], m.caveats[1] = m.caveats[1], m.caveats[0]
	case "short-id":
		m.id = m.id[:min(34, len(m.id)-1)]
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
		mac, vid := hmac.New(sha256.New, m.signature), make([]byte, 72)
		for _, part := range [][]byte{vid, []byte("elsewhere")} {
			inner := hmac.New(sha256.New, m.signature)
			inner.Write(part)
			mac.Write(inner.Sum(nil))
		}
		m.caveats = append(m.caveats, macaroon.Caveat{Id: []byte("elsewhere"), VerificationId: vid, Location: "https://elsewhere.example"})
		m.signature = mac.Sum(nil)
	default:
		return fmt.Errorf("nobody knows the filter %s", name)
	}
	return nil
}
