package requests

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A wallet holds the challenges that a request is made of: "" its own, "other." another that is paid, "unpaid." a third.
type wallet map[string]*challenge

var placeholder = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// fill replaces the placeholders of a header's value.
func (w wallet) fill(text string) (filled string, err error) {
	filled = placeholder.ReplaceAllStringFunc(text, func(p string) string {
		name, filters, _ := strings.Cut(p[2:len(p)-2], "|")
		value, failed := w.value(name)
		for f := range strings.SplitSeq(filters, "|") {
			if f != "" && failed == nil {
				value, failed = w.filter(value, f)
			}
		}
		if failed != nil && err == nil {
			err = fmt.Errorf("%s: %w", p, failed)
		}
		return value
	})
	return filled, err
}

// value returns what a name stands for.
func (w wallet) value(name string) (string, error) {
	prefix, rest, ok := strings.Cut(name, ".")
	if !ok {
		prefix, rest = "", name
	} else {
		prefix += "."
	}
	kind, n, _ := strings.Cut(rest, ":")
	c := w[prefix]
	switch {
	case kind == "zeros":
		return strings.Repeat("0", 64), nil
	case kind == "fill":
		count, err := strconv.Atoi(n)
		return strings.Repeat("A", count), err
	case c == nil:
		return "", fmt.Errorf("nobody knows %q", name)
	}
	switch kind {
	case "macaroon":
		return c.token(), nil
	case "preimage":
		return c.preimage, nil
	case "hash":
		return c.hash(), nil
	case "id", "request":
		return c.params[kind], nil
	case "payment":
		echo := map[string]any{}
		for _, p := range []string{"id", "realm", "method", "intent", "request", "expires", "digest", "opaque", "description"} {
			if v, ok := c.params[p]; ok {
				echo[p] = v
			}
		}
		return string(marshal(map[string]any{"challenge": echo, "payload": map[string]any{"preimage": c.preimage}})), nil
	}
	return "", fmt.Errorf("nobody knows %q", name)
}

// filter changes a value.
func (w wallet) filter(value, filter string) (string, error) {
	name, arg, _ := strings.Cut(filter, ":")
	n, _ := strconv.Atoi(arg)
	switch name {
	case "upper":
		if arg == "" {
			return strings.ToUpper(value), nil
		}
	case "cut":
		return value[:len(value)-n], nil
	case "last":
		return value[len(value)-n:], nil
	case "half":
		return value[:len(value)/2], nil
	case "unpadded":
		return strings.TrimRight(value, "="), nil
	case "repeat":
		return strings.TrimSuffix(strings.Repeat(value+",", n), ","), nil
	case "unhex":
		raw, err := hex.DecodeString(value)
		return base64.StdEncoding.EncodeToString(raw), err
	case "spaced":
		text := strings.NewReplacer(`":`, `" : `, `,"`, `, "`).Replace(value)
		challenge, payload, _ := strings.Cut(strings.Trim(text, "{}"), `, "payload"`)
		return `{"payload"` + payload + `}, ` + challenge + `} }`, nil
	case "pad": // so that the text needs padding
		for len(value)%3 == 0 {
			value = strings.Replace(value, `}}`, `},"source":"did:x"}`, 1)
			if len(value)%3 == 0 {
				value = strings.Replace(value, "did:x", "did:xy", 1)
			}
		}
		return value, nil
	case "base64url-padded":
		return base64.URLEncoding.EncodeToString([]byte(value)), nil
	case "base64url":
		if strings.HasPrefix(value, "{") {
			return base64.RawURLEncoding.EncodeToString([]byte(value)), nil
		}
		return strings.NewReplacer("+", "-", "/", "_").Replace(value), nil
	}
	if strings.HasPrefix(value, "{") {
		return w.edit(value, name, arg)
	}
	return w.attenuate(value, name, arg)
}

// edit changes the JSON of a credential of Payment.
func (w wallet) edit(text, name, arg string) (string, error) {
	path, value, _ := strings.Cut(arg, "=")
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return "", err
	}
	old, given := member(object, path).(string)
	var v any = value
	if at, ok := strings.CutPrefix(value, "@"); ok {
		filled, err := w.value(at)
		if err != nil {
			return "", err
		}
		v = filled
	} else if n, err := strconv.Atoi(value); err == nil && name == "set" {
		v = n
	}
	switch name {
	case "set", "drop":
		given = given || name == "set" || member(object, path) != nil
		if name == "drop" {
			v = nil
		}
	case "set-given":
	case "upper":
		v = strings.ToUpper(old)
	case "chop":
		v = strings.TrimSuffix(old, old[max(0, len(old)-1):])
	case "alter":
		v = "A" + old[min(1, len(old)):]
		if v == any(old) {
			v = "B" + old[1:]
		}
	case "later":
		at, _ := time.Parse(time.RFC3339, old)
		v = at.Add(time.Hour).Format(time.RFC3339)
	case "request":
		raw, err := base64.RawURLEncoding.DecodeString(fmt.Sprint(member(object, "challenge.request")))
		var request map[string]any
		if err == nil {
			err = json.Unmarshal(raw, &request)
		}
		if err != nil {
			return "", err
		}
		set(request, path, v)
		path, v, given = "challenge.request", base64.RawURLEncoding.EncodeToString(marshal(request)), true
	default:
		return "", fmt.Errorf("nobody knows the filter %s", name)
	}
	if !given {
		return "", fmt.Errorf("%w: the challenge has no %s", errNotApplicable, path)
	}
	set(object, path, v)
	return string(marshal(object)), nil
}

// set changes a member; nil removes it.
func set(object map[string]any, path string, value any) {
	first, rest, deeper := strings.Cut(path, ".")
	if deeper {
		inner, _ := object[first].(map[string]any)
		set(inner, rest, value)
		return
	}
	if object[first] = value; value == nil {
		delete(object, first)
	}
}
