package mpp_test

import (
	"strings"
	"testing"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/l402/mpp"
)

// TestCanonical: what other implementations canonicalise, and what they sign, is the same here: names sorted by UTF-16
// code units, nothing escaped that need not be, numbers as the shortest that are the same double (RFC 8785, sections
// 3.2.2 and 3.2.3).
func TestCanonical(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"empty":                        {`{}`, `{}`},
		"space between tokens":         {" {\n\t\"a\" : \"b\" }\r\n", `{"a":"b"}`},
		"digits before letters":        {`{"a":"d","A":"c","2":"b","10":"a"}`, `{"10":"a","2":"b","A":"c","a":"d"}`},
		"prefixes":                     {`{"ab":"1","a":"2","":"3"}`, `{"":"3","a":"2","ab":"1"}`},
		"surrogates before U+E000":     {"{\"\uE000\":\"private\",\"\U0001F600\":\"surrogates\"}", "{\"\U0001F600\":\"surrogates\",\"\uE000\":\"private\"}"},
		"accents by code unit":         {`{"é":"2","z":"1","e":"0"}`, `{"e":"0","z":"1","é":"2"}`},
		"nested, sorted at each level": {`{"c":"x","b":{"z":"1","y":"2"}}`, `{"b":{"y":"2","z":"1"},"c":"x"}`},
		"lists keep their order":       {`{"a":[3,"2",{"b":1,"a":2},[]]}`, `{"a":[3,"2",{"a":2,"b":1},[]]}`},
		"true, false and null":         {`{"t":true,"n":null,"f":false}`, `{"f":false,"n":null,"t":true}`},
		"HTML is not escaped":          {`{"html":"<a href='x'>&</a>"}`, `{"html":"<a href='x'>&</a>"}`},
		"HTML that was escaped":        {`{"html":"\u003ca\u003e\u0026"}`, `{"html":"<a>&"}`},
		"line separators":              {`{"lines":"\u2028\u2029"}`, "{\"lines\":\"\u2028\u2029\"}"},
		"DEL and slash":                {`{"plain":"\u007f\/"}`, "{\"plain\":\"\u007f/\"}"},
		"short escapes":                {`{"control":"\u0008\u0009\u000a\u000c\u000d"}`, `{"control":"\b\t\n\f\r"}`},
		"long escapes are lower-case":  {`{"control":"\u0000\u001F\u000B"}`, `{"control":"\u0000\u001f\u000b"}`},
		"quotes and backslashes":       {`{"q":"\"\\"}`, `{"q":"\"\\"}`},
		"names are escaped too":        {`{"a\nb":"\n"}`, `{"a\nb":"\n"}`},
		"beyond ASCII":                 {`{"\u00e9":"\u96f7"}`, `{"é":"雷"}`},
		"a pair of surrogates":         {`{"a":"\ud83d\ude00"}`, "{\"a\":\"\U0001F600\"}"},
		"no normalisation":             {"{\"a\":\"e\u0301\"}", "{\"a\":\"e\u0301\"}"},
		"whole numbers":                {`{"a":1.0,"b":100,"c":1e2}`, `{"a":1,"b":100,"c":100}`},
		"minus zero":                   {`{"a":-0,"b":0.0}`, `{"a":0,"b":0}`},
		"beyond 53 bits":               {`{"a":36028797018963968}`, `{"a":36028797018963970}`},
		"small and large":              {`{"a":0.000001,"b":1e-7,"c":1e21,"d":1e20}`, `{"a":0.000001,"b":1e-7,"c":1e+21,"d":100000000000000000000}`},
		"fractions":                    {`{"a":0.1,"b":333333333.33333329,"c":4.50}`, `{"a":0.1,"b":333333333.3333333,"c":4.5}`},
		"amounts stay strings":         {`{"amount":"0100"}`, `{"amount":"0100"}`},
	} {
		o, err := mpp.ReadObject(challenge.Encode(tt.in))
		if err != nil || o.Canonical() != tt.want {
			t.Errorf("%s: got %s, %v; want %s", name, o.Canonical(), err, tt.want)
			continue
		}
		if again, err := mpp.ReadObject(challenge.Encode(o.Canonical())); err != nil || again.Canonical() != tt.want {
			t.Errorf("%s: the canonical form is not its own: %s, %v", name, again.Canonical(), err)
		}
	}
	for name, in := range map[string]string{
		"a list": `[]`, "a string": `"x"`, "a number": `1`, "nothing": ``, "cut short": `{"a":`, "two objects": `{}{}`, "a trailing comma": `{"a":"b",}`,
		"a leading zero": `{"a":01}`, "not a number": `{"a":NaN}`, "single quotes": `{'a':'b'}`, "a comment": `{/**/}`, "a bare name": `{a:"b"}`, "beyond a double": `{"a":1e999}`,
	} {
		if o, err := mpp.ReadObject(challenge.Encode(in)); err == nil {
			t.Errorf("%s: read as %v", name, o)
		}
	}
	nested := challenge.CanonicalObject{"a": challenge.CanonicalObject{"b": "c"}}
	if got := nested.Canonical(); got != `{"a":{"b":"c"}}` {
		t.Errorf("nested objects: %s", got)
	}
}

// TestBase64URL holds the one spelling that is written, and those that are read (RFC 4648, sections 3.2, 3.5 and 5).
func TestBase64URL(t *testing.T) {
	for text, encoded := range map[string]string{
		"": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE", "foobar": "Zm9vYmFy",
		"\xfb\xff": "-_8", "\xff\xff\xff": "____", "\xfb\xef\xbe": "----", "\x00": "AA", "{}": "e30", "雷": "6Zu3",
	} {
		if got := challenge.Encode(text); got != encoded {
			t.Errorf("Encode(%q) = %s, want %s", text, got, encoded)
		}
		for _, padded := range []string{encoded, encoded + strings.Repeat("=", (4-len(encoded)%4)%4)} {
			if got, err := challenge.Decode(padded); err != nil || got != text {
				t.Errorf("Decode(%s) = %q, %v", padded, got, err)
			}
		}
	}
	for name, bad := range map[string]string{
		"bits that are not zero, two digits": "AB", "bits that are not zero, three digits": "Zm9", "and padded": "Zh==",
		"the standard alphabet": "+/8", "both alphabets": "-/8=", "one digit": "Z", "one digit more": "Zm9vY",
		"too little padding": "Zg=", "too much padding": "Zg===", "padding within": "Z=g", "padding where none belongs": "Zm9v=", "padding alone": "====",
		"a line end within": "Zm\n9v", "a line end": "Zm9v\n", "a carriage return": "Zm9v\r\n", "a space before": " Zm9v", "a space within": "Zm 9v",
		"another character": "Zm9v!", "a quote": `"Zm9v"`, "beyond ASCII": "Zm9é", "a zero byte": "Zm9\x00",
	} {
		if got, err := challenge.Decode(bad); err == nil {
			t.Errorf("%s: Decode(%q) = %q, want an error", name, bad, got)
		}
	}
}
