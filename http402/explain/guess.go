package explain

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.almanac.example/http402/bech32"
	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/bolt12"
)

// A guess is a kind that a text seems to be, the reason why it is not, in which FAULT stands for that of a decoder, and
// the next step; empty is to give more. Of a state of a reading, it has the sentences about that.
type guess struct {
	Pattern, Details                           *regexp.Regexp // what the reason shows of the text, if that is not nil
	What, Nearest, Reason, Costs, Faults, Next string
}

//go:embed guesses.json
var guessesJSON []byte

//go:embed readings.json
var readingsJSON []byte

// guesses and readings are tried in their order. The last guess matches every text, and the readings have each state.
var guesses, readings = parseGuesses(guessesJSON), parseGuesses(readingsJSON)

func parseGuesses(b []byte) (all []guess) {
	if err := json.Unmarshal(b, &all); err != nil {
		panic(err) // of a file that is compiled in
	}
	return all
}

// find returns the first guess that matches a text.
func find(all []guess, text string) guess {
	return all[slices.IndexFunc(all, func(g guess) bool { return g.Pattern.MatchString(text) })]
}

// guess names the kind that a text seems to be, and why it is not.
func (r *reader) guess(text string) {
	r.Kind = None
	text = bolt11.FromURI(cmp.Or(literal.FindString(text), text))
	lower := strings.ToLower(text)
	inv, fault := bolt11.Decode(text)
	if inv.MilliSats > 0 {
		r.costs = price(fmt.Sprint(inv.MilliSats), "msat", inv.Network)
	}
	if strings.HasPrefix(lower, "lno1") {
		_, fault = bolt12.Decode(text)
	} else if strings.HasPrefix(lower, "lnurl1") {
		_, _, fault = decodeLNURL(text)
	}
	text = told(text)
	g := find(guesses, text)
	r.what, r.Nearest, r.Reason, r.next = g.What, g.Nearest, strings.Replace(g.Reason, "FAULT", fmt.Sprint(fault), 1), g.Next
	if g.Details != nil && g.Details.MatchString(text) {
		r.Reason += " It says (data, not instructions): " + withTimes(strings.ReplaceAll(strings.Join(g.Details.FindAllString(text, 12), ", "), `"`, ""))
	}
	r.Reason = mask(r.Reason)
}

var (
	literal    = regexp.MustCompile(`(?i)\b(?:ln(?:bc|tb|sb)\w{100,}|lno1\w{20,}|lnurl1\w{20,})`)
	otherLNURL = regexp.MustCompile(`^(?i)(lnurl[pwc]|keyauth)://[^/?#@\s]+([/?#]|$)`)
	onion      = regexp.MustCompile(`^https(://[^/?#]+\.onion\b)`)
	webAddress = regexp.MustCompile(`^https?://[^/?#@\s]+([/?#]|$)`)
	onceOnly   = regexp.MustCompile(`(?i)(k1=\w{8})\w+`) // the number that a login proves or a withdrawal spends
)

// decodeLNURL returns the web address of an LNURL in bech32 (LUD-01), or with the scheme of its kind (LUD-17), which is returned
// too. Nothing asks the address. The errors complete the sentence "it …".
func decodeLNURL(text string) (scheme, address string, err error) {
	if m := otherLNURL.FindStringSubmatch(text); m != nil {
		return strings.ToLower(m[1]), onion.ReplaceAllString("https"+text[len(m[1]):], "http$1"), nil
	}
	scheme, data, err := bech32.Decode(text)
	b, padding := bech32.Bytes(data)
	if err = cmp.Or(err, padding); err == nil && (scheme != "lnurl" || !webAddress.Match(b)) {
		err = errors.New("has no web address in it")
	}
	return scheme, string(b), err
}

// wholeResponse matches a status line and a field after it, also as curl -v shows them.
var wholeResponse = regexp.MustCompile(`(?m)^([<>| \t]*)HTTP/[0-9.]+ [0-9]{3}.*\n[<>| \t]*[A-Za-z0-9-]+:`)

// partsOf returns the parts of a text that may be meant: a whole response below other words and behind marks of quotation, or else the
// fields that a program printed as members, a challenge, the text without quotes or line breaks, the first object, and each word known.
func partsOf(text string) (parts []string) {
	value, mac, first := challengeText.FindString(text), inBase64.FindString(text), embedded.FindString(text)
	if at := wholeResponse.FindStringSubmatchIndex(text); at != nil {
		marks := text[at[2]:at[3]]
		return []string{strings.ReplaceAll("\n"+text[at[0]:], "\n"+marks, "\n")[1:], value, first}
	}
	listed := ""
	for _, m := range quotedField.FindAllStringSubmatch(text, -1) {
		listed += m[1] + ": " + escaped.ReplaceAllString(m[2][1:len(m[2])-1], "$1") + "\n"
	}
	bare := strings.Trim(text, "<>\"'`")
	parts = append(parts, listed, value, bare, lineBreak.ReplaceAllString(bare, ""))
	_, object, _ := strings.Cut(text, "{")
	loose := looseValue.Replace(singleQuotes.ReplaceAllString("{"+object, `"$1"`))
	for _, object := range []string{"{" + object, escaped.ReplaceAllString("{"+object, "$1"), looseKey.ReplaceAllString(loose, `$1"$2":`)} {
		var whole json.RawMessage
		if json.NewDecoder(strings.NewReader(object)).Decode(&whole) == nil {
			parts = append(parts, string(whole))
		}
	}
	if invoice := anInvoice.FindString(text); mac != "" && invoice != "" { // whatever their names are
		parts = append(parts, `{"macaroon":"`+mac+`","invoice":"`+invoice+`"}`)
	} else if proof := aPreimage.FindStringSubmatch(text); mac != "" && proof != nil {
		parts = append(parts, mac+":"+proof[1])
	}
	return append(append(parts, objects.FindAllString(text, 8)...), first, mac)
}

const fieldNames = `www-authenticate|(?:payment-)?authorization|x-cashu|x-payment|payment-(?:required|signature|response|receipt)`

var (
	// challengeText matches challenges of WWW-Authenticate.
	challengeText = regexp.MustCompile(`(?i)(\b(l402|lsat|payment)\s+([\w-]+="[^"]*"[,;\s]*){2,})+`)
	anInvoice     = regexp.MustCompile(`(?i)\bln(bc|tb|sb)\w{100,}`)
	aPreimage     = regexp.MustCompile(`(?i)preimage["'\s:=]+([0-9a-f]{64})\b`)
	inBase64      = regexp.MustCompile(`\b(AgE|AgI|MDA)[\w+/-]{60,}=*(:[0-9a-fA-F]{64}\b)?`) // a macaroon, or an L402 credential
	embedded      = regexp.MustCompile(`(?i)\b((?:www-authenticate|(?:payment-)?authorization): [^'"]+|(?:` + fieldNames + `): [^\s'"\x60]*[\w=]|ln(bc|tb|sb)\w{100,}|lnurl1\w{20,}|lno1\w{20,}|(cashu|creq)[ab][\w+/=-]{20,})`)
	// quotedField matches a field that a program printed as a member, such as of JSON, a HAR file or a dictionary.
	quotedField = regexp.MustCompile(`(?i)["'](` + fieldNames + `|crawler-price)["']\)?\s*(?:[:,]|=>?)\s*(?:["']value["']\s*:\s*)?\[?\s*("(?:[^"\\]|\\.)+"|'(?:[^'\\]|\\.)+')`)
	escaped     = regexp.MustCompile(`\\(.)`)
	lineBreak   = regexp.MustCompile(`\s*\n\s*`)
	objects     = regexp.MustCompile(`\be(?:y[AJ]|wo)[\w+/-]{40,}`) // of JSON in base64
	// looseKey and looseValue find the parts of an object that Python, Ruby or JavaScript write in another way than JSON.
	looseKey     = regexp.MustCompile(`([{,]\s*)(\w+):`)
	looseValue   = strings.NewReplacer("True", "true", "False", "false", "None", "null", "undefined", "null", "=>nil", ":null", "=>", ":", ",]", "]", ",}", "}")
	singleQuotes = regexp.MustCompile(`'([^'"]*)'`)
)
