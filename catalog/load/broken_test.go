package load

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
)

// replace returns a real file with one passage replaced, which must be there once.
func replace(t testing.TB, p, old, new string) []byte {
	t.Helper()
	data, err := os.ReadFile(path.Join(fixturesDir, p))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), old); n != 1 {
		t.Fatalf("%s holds %q %d times", p, old, n)
	}
	return []byte(strings.Replace(string(data), old, new, 1))
}

const (
	bolt11 = "library/bitcoin-lightning/bolt-11-invoices.json"
	bolt12 = "library/bitcoin-lightning/bolt-12-offers.json"
	gdpr   = "library/regulation/eu-gdpr.json"
	mqtt   = "library/iot/mqtt-5.json"
	l402   = "protocols/l402.json"
)

// mqttRead is the day on which the source of an entry was read.
var mqttRead = func() string {
	data, err := os.ReadFile(path.Join(fixturesDir, mqtt))
	if err != nil {
		panic(err)
	}
	_, day, _ := strings.Cut(string(data), `"verified_at": "`)
	return day[:len("2006-01-02")]
}()

type brokenFile struct {
	name  string
	path  string // of the file that is changed
	old   string // passage to replace; "" to append new at the end
	new   string
	at    string // path reported, if another than path
	wants []string
}

// brokenFiles are files with one fault each, in one case two, and the parts of the report of Load: the path, and words of the
// message that name the fault and the remedy.
var brokenFiles = []brokenFile{
	{name: "unknown key", path: mqtt, old: `"title":`, new: `"colour": "red",` + "\n" + `  "title":`,
		wants: []string{`key "colour" is unknown; remove it or correct its spelling`}},
	{name: "unknown key in a fact", path: l402, old: `"value": "Lightning Network (BOLT 11 invoice)",`, new: `"value": "Lightning Network (BOLT 11 invoice)", "by": "me",`,
		wants: []string{`key "payment_rail.by" is unknown`}},
	{name: "key in another case", path: mqtt, old: `"title":`, new: `"Title":`,
		wants: []string{`key "Title" is unknown`}},
	{name: "duplicate key", path: mqtt, old: `"authors":`, new: `"authors": [],` + "\n" + `  "authors":`,
		wants: []string{`key "authors" occurs twice; remove one`}},
	{name: "duplicate key in a fact", path: l402, old: `"value": "Lightning Network (BOLT 11 invoice)",`, new: `"value": "x", "value": "Lightning Network (BOLT 11 invoice)",`,
		wants: []string{`key "payment_rail.value" occurs twice; remove one`}},
	{name: "spaces", path: mqtt, old: `"authors":`, new: `"authors" :`,
		wants: []string{"line 5 is not in canonical form; run: almanac check -w"}},
	{name: "missing member", path: mqtt, old: `  "publisher": "OASIS",` + "\n", new: "",
		wants: []string{"publisher: is empty; write it", "not in canonical form"}},
	{name: "trailing data", path: mqtt, new: "{}\n",
		wants: []string{"something follows the end of the value; remove it"}},
	{name: "empty file", path: gdpr, old: "*", new: "",
		wants: []string{"the file is empty"}},
	{name: "cut off", path: gdpr, old: "*", new: `{"id": "eu-gdpr",`,
		wants: []string{"the file ends in the middle of a value"}},
	{name: "not JSON", path: gdpr, old: "*", new: "id: eu-gdpr\n",
		wants: []string{"line 1: not JSON"}},
	{name: "invalid UTF-8", path: mqtt, old: `"title": "`, new: "\"title\": \"\xff",
		wants: []string{"line 3 is not valid UTF-8; save the file as UTF-8"}},
	{name: "invalid UTF-8 at the start of a line", path: mqtt, old: "{\n  \"id\"", new: "{\n\xff \"id\"",
		wants: []string{"line 2 is not valid UTF-8"}},
	{name: "a list for a record", path: mqtt, old: "*", new: "[]\n",
		wants: []string{"line 1: the value is a list and must be an object"}},
	{name: "wrong type", path: mqtt, old: `"http_status": 0`, new: `"http_status": "200"`,
		wants: []string{"http_status is a string and must be a whole number"}},
	{name: "evidence of another record", path: "evidence/vda-5050.json", old: `"record": "vda-5050"`, new: `"record": "mqtt-5"`,
		wants: []string{`record: is "mqtt-5" and the file is named "vda-5050"; make them agree, with a dot for the colon`}},
	{name: "evidence of no record", path: "evidence/vda-5051.json", old: "*", new: "{\n  \"record\": \"vda-5051\",\n  \"members\": []\n}\n",
		wants: []string{`record: there is no library "vda-5051" (did you mean "vda-5050"?); correct it, or remove the file`, `members: is empty; write one, or remove the file`}},
	{name: "evidence of another kind", path: "evidence/bot.link-checker.json", old: "*", new: "{\n  \"record\": \"bot:link-checker\",\n  \"members\": []\n}\n",
		wants: []string{`record: "bot:link-checker" is not of a kind that has evidence here`}},
	{name: "evidence of no member", path: "evidence/vda-5050.json", old: `"member": "date_published"`, new: `"member": "date_publishd"`,
		wants: []string{`members[0].member: the record has no "date_publishd" (did you mean "date_published"?)`}},
	{name: "evidence that holds nothing", path: "evidence/vda-5050.json", old: "true,\n          \"url\": \"https://github.com/VDA5050/VDA5050/commit", new: "false,\n          \"url\": \"https://github.com/VDA5050/VDA5050/commit",
		wants: []string{`members[0].readings: has no reading that holds in the first place; put first what the record follows`}},
	{name: "evidence of a branch", path: "evidence/everest-ev-charging.json", old: `blob/0a1880a0b12efd82e745707d4bffe50568f055fb/`, new: `blob/main/`,
		wants: []string{`members[0].readings[0].url: names no commit; write the address with the 40 digits of the commit that was read`}},
	{name: "evidence of an unknown copy", path: "evidence/vda-5050.json", old: "\"repository\",\n          \"copy_date\": \"2026-03-18\"", new: "\"memory\",\n          \"copy_date\": \"2026-03-18\"",
		wants: []string{`members[0].readings[0].copy: "memory" is unknown; use one of repository, stored-file, stored-page, live-page`}},
	{name: "evidence of a commit without a day", path: "evidence/vda-5050.json", old: `"copy_date": "2026-03-18"`, new: `"copy_date": null`,
		wants: []string{`members[0].readings[0].copy_date: is null; write the day of the commit, or if nobody knows it, the copy "stored-file"`}},
	{name: "evidence read before its copy", path: "evidence/vda-5050.json", old: `"copy_date": "2026-03-18"`, new: `"copy_date": "2026-12-18"`,
		wants: []string{`members[0].readings[0].copy_date: 2026-12-18 is after the day of the reading, 2026-12-01; correct one of the two`}},
	{name: "evidence with a long quote", path: "evidence/vda-5050.json", old: `"quote": "Release Date`, new: `"quote": "` + strings.Repeat("a ", 20) + `Release Date`,
		wants: []string{`members[0].readings[0].quote: has 26 words; shorten it to 25`}},
	{name: "evidence with a hash of another kind", path: "evidence/vda-5050.json", old: `"sha256": "205b1e434da73294348a6f68b5eedc88379bc4195b52c7a37228313fbd55b231"`, new: `"sha256": "205b"`,
		wants: []string{`members[0].readings[0].sha256: "205b" is not a SHA-256; write 64 lower-case hexadecimal digits`}},
	{name: "versions of another protocol", path: "versions/x402.json", old: `"protocol": "x402"`, new: `"protocol": "x403"`,
		wants: []string{`protocol: is "x403" and the file is named "x402"`, `there is no protocol "x403" (did you mean "x402"?)`}},
	{name: "versions of nothing", path: "versions/nwc.json", old: "*", new: "{\n  \"protocol\": \"nwc\",\n  \"versions\": []\n}\n",
		wants: []string{`versions: is empty; write one, or remove the file`}},
	{name: "the newest version among the earlier ones", path: "versions/x402.json", old: `"version": "v1"`, new: `"version": "v2.0"`,
		wants: []string{`versions[0].version: "v2.0" is the newest version; protocols/x402.json has its facts`}},
	{name: "a version whose name is no part of an address", path: "versions/x402.json", old: `"version": "v1"`, new: `"version": "v 1"`,
		wants: []string{`versions[0].version: "v 1" is not a name of a version`}},
	{name: "two versions of one name", path: "versions/acp.json", old: `"version": "2025-12-12"`, new: `"version": "2025-09-29"`,
		wants: []string{`versions[1].version: "2025-09-29" occurs twice`}},
	{name: "versions out of order", path: "versions/acp.json", old: `"since": "2025-12-12"`, new: `"since": "2025-09-01"`,
		wants: []string{`versions[1].since: 2025-09-01 is not after 2025-09-29 of the version above; put the oldest version first`}},
	{name: "versions that overlap", path: "versions/acp.json", old: `"until": "2025-12-12"`, new: `"until": "2025-12-13"`,
		wants: []string{`versions[1].since: 2025-12-12 is before the end of the version above`}},
	{name: "a version that never ends before another", path: "versions/acp.json", old: `"until": "2025-12-12"`, new: `"until": null`,
		wants: []string{`versions[1].since: 2025-12-12 is before the end of the version above`}},
	{name: "a version that begins on no day after another", path: "versions/acp.json", old: `"since": "2025-12-12"`, new: `"since": null`,
		wants: []string{`versions[1].since: is missing; only the oldest version may begin on an unknown day`}},
	{name: "a version that ends before it begins", path: "versions/x402.json", old: `"until": "2025-12-09"`, new: `"until": "2025-04-25"`,
		wants: []string{`versions[0].until: 2025-04-25 is not after 2025-04-25, the first day`}},
	{name: "an unknown fact of a version", path: "versions/x402.json", old: `"payment_rail"`, new: `"payment_rails"`,
		wants: []string{`key "versions[0].facts.payment_rails" is unknown`}},
	{name: "an empty fact of a version", path: "versions/bip21.json", old: `"http_headers": null`,
		new:   `"http_headers": {"value": [], "source": "https://example.org/", "verified_at": "2026-11-23"}`,
		wants: []string{`versions[0].facts.http_headers.value: is empty; leave the whole fact out`}},
	{name: "evidence of a version that has no such fact", path: "evidence/protocol.ap2.json", old: `"member": "notes@0.1.0"`, new: `"member": "notes@0.3.0"`,
		wants: []string{`the record has no "notes@0.3.0" (did you mean "notes@0.1.0"?)`}},
	{name: "statements of another entry", path: "statements/lud-04-auth.json", old: `"record": "lud-04-auth"`, new: `"record": "lnd"`,
		wants: []string{`record: is "lnd" and the file is named "lud-04-auth"; make them equal`}},
	{name: "a statement about anything", path: "statements/lud-04-auth.json", old: `"about": "people"`, new: `"about": "persons"`,
		wants: []string{`statements[0].about: "persons" is unknown; use one of addresses, dates, errors, example,`}},
	{name: "a statement that says little", path: "statements/lud-04-auth.json", old: `"LUD-04, the LNURL auth specification, names akumaigorodski as its author."`, new: `"It has an author."`,
		wants: []string{`statements[0].text: has 17 characters; write a sentence of 40 or more that names what it is about`}},
	{name: "a calendar date that the text does not say", path: "statements/eiopa-dora.json", old: `"date": "2023-01-16",`, new: `"date": "2023-01-17",`,
		wants: []string{`text: does not name the day of the calendar, 2023-01-17; write it, as in: on 2 August 2026`,
			`calendar.date: no quote names 2023-01-17; quote the source's words with the day, or remove the date`}},
	{name: "a calendar date that no quote names", path: "statements/eiopa-dora.json", old: `"quote": "1. 16 January 2023 Entry into force of DORA"`,
		new:   `"quote": "1. 16 January Entry into force of DORA"`,
		wants: []string{`calendar.date: no quote names 2023-01-16; quote the source's words with the day, or remove the date`}},
	{name: "a calendar date of another kind", path: "statements/eiopa-dora.json", old: `"kind": "starts"`, new: `"kind": "begins"`,
		wants: []string{`calendar.kind: "begins" is unknown; use one of applies, closes, ends, expires, starts`}},
	{name: "two statements of one id", path: "statements/lud-04-auth.json", old: `"id": "challenge"`, new: `"id": "author"`,
		wants: []string{`statements[2].id: "author" occurs twice; remove one`}},
	{name: "a statement with an example that is not about one", path: "statements/lud-04-auth.json", old: `names akumaigorodski as its author.",`,
		new:   "names akumaigorodski as its author.\",\n      \"example\": {\n        \"media_type\": \"text/plain\",\n        \"text\": \"author\"\n      },",
		wants: []string{`statements[0].about: is "people"; a statement with an example is about "example"`}},
	{name: "a statement read elsewhere", path: "library/bitcoin-lightning/lud-04-auth.json", old: `https://github.com/lnurl/luds/blob/luds/04.md`, new: `https://example.org/04`,
		at:    "statements/lud-04-auth.json",
		wants: []string{`statements[0].readings[0].url: https://github.com/lnurl/luds/blob/1b3c0b0744d855d4723fb2f1ae047e1aab73a112/04.md is neither at https://example.org/04 nor in its repository`}},
	{name: "a published record withdrawn", path: withdrawnFile, old: "*", new: withdrawalOf("mqtt-5", "null"), wants: []string{`[0].record: "mqtt-5" is published`}},
	{name: "a withdrawal of no kind", path: withdrawnFile, old: "*", new: withdrawalOf("protocol:l402", "null"), wants: []string{`[0].record: "protocol" is unknown`}},
	{name: "an unknown replacement", path: withdrawnFile, old: "*", new: withdrawalOf("gone", `"nowhere"`), wants: []string{`[0].replaced_by: there is no record "nowhere"`}},
	{name: "sites and addresses out of order", path: repositoriesFile, old: "*", new: "{\n  \"sites\": [\n    {\n      \"site\": \"https://b.example/\",\n      \"repository\": \"https://github.com/b/b\"\n    },\n    {\n      \"site\": \"https://a.example/\",\n      \"repository\": \"https://github.com/a/a\"\n    }\n  ],\n  \"about\": [\n    \"https://b.example/\",\n    \"https://a.example/\"\n  ]\n}\n",
		wants: []string{`about[1]: "https://a.example/" does not come after`, `sites[1].site: "https://a.example/ https://github.com/a/a" does not come after "https://b.example/`}},
	{name: "assets of another protocol", path: "assets/x402.json", old: `"protocol": "x402"`, new: `"protocol": "mpp"`,
		wants: []string{`protocol: is "mpp" and the file is named "x402"; make them equal`}},
	{name: "an asset of no network", path: "assets/x402.json", old: `"caip2": "eip155:8453",`, new: `"caip2": "eip155:8454",`,
		wants: []string{`assets[0].caip2: the facts of the protocol name no network eip155:8454 with the contract 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913; correct one of the two`}},
	{name: "an asset of another symbol", path: "assets/x402.json", old: `"symbol": "SBC",
      "decimals": 6,
      "eip712_name": "Stable Coin",
      "eip712_version": "1",
      "transfer_method": "Permit2 + EIP-2612",
      "testnet": true`, new: `"symbol": "Stable Coin",
      "decimals": 6,
      "eip712_name": "Stable Coin",
      "eip712_version": "1",
      "transfer_method": "Permit2 + EIP-2612",
      "testnet": true`,
		wants: []string{`symbol: is "Stable Coin" and the facts of the protocol name the asset differently; make them agree`}},
	{name: "an EIP-712 name without version", path: "assets/x402.json", old: `"eip712_name": "MegaUSD",
      "eip712_version": "1",`, new: `"eip712_name": "MegaUSD",
      "eip712_version": null,`,
		wants: []string{`eip712_version: is null without eip712_name, or the other way round; a payer signs both or neither`}},
	{name: "no assets", path: "assets/x402.json", old: "*", new: "{\n  \"protocol\": \"x402\",\n  \"assets\": []\n}\n",
		wants: []string{`assets: is empty; write one, or remove the file`}},
	{name: "questions of another record", path: "questions/library/lnd.json", old: `"record": "lnd"`, new: `"record": "eclair"`,
		wants: []string{`record: is "eclair" and the file is questions/library/lnd.json; make them agree`}},
	{name: "questions of no record", path: "questions/library/lnd2.json", old: "*", new: "{\n  \"record\": \"lnd2\",\n  \"questions\": [\n    \"a\"\n  ]\n}\n",
		wants: []string{`record: there is no library "lnd2" (did you mean "lnd"?); correct it, or remove the file`}},
	{name: "questions of another kind", path: "questions/bot/link-checker.json", old: "*", new: "{\n  \"record\": \"bot:link-checker\",\n  \"questions\": [\n    \"a\"\n  ]\n}\n",
		wants: []string{`record: "bot:link-checker" is not of a kind that answers questions`}},
	{name: "no questions", path: "questions/library/lnd.json", old: "*", new: "{\n  \"record\": \"lnd\",\n  \"questions\": []\n}\n",
		wants: []string{`questions: is empty; write one, or remove the file`}},
	{name: "a question twice", path: "questions/library/lnd.json", old: "*", new: "{\n  \"record\": \"lnd\",\n  \"questions\": [\n    \"a\",\n    \"a\"\n  ]\n}\n",
		wants: []string{`"a" occurs twice; remove one`}},
	{name: "a long question", path: "questions/library/lnd.json", old: "*", new: "{\n  \"record\": \"lnd\",\n  \"questions\": [\n    \"" + strings.Repeat("a", 121) + "\"\n  ]\n}\n",
		wants: []string{`questions[0]: has 121 characters; shorten it to 120`}},
	{name: "a question of two passages", path: "questions/library/lnd.json", old: "*", new: "{\n  \"record\": \"lnd\",\n  \"questions\": [],\n  \"passages\": {\n    \"a\": \"b\",\n    \"c\": \"b\"\n  }\n}\n",
		wants: []string{`passages[c]: is also the question of a; ask for what this passage alone says`}},
	{name: "wrong id", path: mqtt, old: `"id": "mqtt-5"`, new: `"id": "mqtt"`,
		wants: []string{`id: is "mqtt" and the file is named "mqtt-5"; make them equal`}},
	{name: "no slug", path: mqtt, old: `"id": "mqtt-5"`, new: `"id": "MQTT 5"`,
		wants: []string{`"MQTT 5" is not a valid slug: use lower-case letters, digits and single hyphens`}},
	{name: "wrong folder", path: mqtt, old: `"category": "iot"`, new: `"category": "payments"`,
		wants: []string{`category: is "payments" and the file lies in "iot"; move the file or correct the category`}},
	{name: "dead tag", path: mqtt, old: `    "iot",`, new: `    "iott",`,
		wants: []string{`tags.json has no tag "iott" (did you mean "iot"?)`}},
	{name: "no such day", path: mqtt, old: `"verified_at": "` + mqttRead + `"`, new: `"verified_at": "2026-02-30"`,
		wants: []string{`verified_at: "2026-02-30" is not a calendar date; write YYYY-MM-DD`}},
	{name: "read before it was written", path: mqtt, old: `"date_published": "2019-03-07"`, new: `"date_published": "2027-03-07"`,
		wants: []string{"verified_at: " + mqttRead + " is before the source was published, on 2027-03-07; correct one of them"}},
	{name: "a space too many", path: mqtt, old: `"title": "`, new: `"title": " `,
		wants: []string{"title: begins or ends with a space; remove it"}},
	{name: "unknown type", path: mqtt, old: `"type": "spec"`, new: `"type": "blog"`,
		wants: []string{`type: "blog" is unknown; use one of spec, docs, repo, announcement, directory`}},
	{name: "no address", path: mqtt, old: `"url": "https://`, new: `"url": "ftp://`,
		wants: []string{"is not an address; write https://host/path"}},
	{name: "impossible status", path: mqtt, old: `"http_status": 0`, new: `"http_status": 42`,
		wants: []string{"http_status: 42 is not an HTTP status; use the status observed, or 0 if the link has not been requested"}},
	{name: "invisible character", path: mqtt, old: `"summary": "`, new: "\"summary\": \"\u202e",
		wants: []string{"summary: contains the invisible character U+202E; remove it"}},
	{name: "invisible character in a text", path: "articles/reading-a-bolt12-offer/article.md", new: "\u200bagents alone\n",
		wants: []string{"text: contains the invisible character U+200B; remove it"}},
	{name: "invisible character in the example", path: l402, old: `"example": {` + "\n" + `    "value": "`, new: `"example": {` + "\n" + `    "value": "` + "\u202e",
		wants: []string{"example.value: contains the invisible character U+202E"}},
	{name: "featured elsewhere", path: mqtt, old: `"archive_url": null`, new: `"archive_url": null,` + "\n" + `  "featured": true`,
		wants: []string{`is not featured in categories.json; remove it`}},
	{name: "duplicate url", path: bolt12, old: "blob/master/12-offer-encoding.md", new: "blob/master/11-payment-encoding.md",
		wants: []string{"is also the address of " + bolt11 + "; one source has one entry"}},
	{name: "duplicate id", path: "library/iot/bolt-11-invoices.json", old: "*", new: "copy of " + mqtt,
		wants: []string{`id: is "mqtt-5" and the file is named "bolt-11-invoices"`}},
	{name: "header direction", path: l402, old: `"direction": "request"`, new: `"direction": "up"`,
		wants: []string{`http_headers.value[1].direction: "up" is unknown; use one of request, response, both`}},
	{name: "empty fact", path: "protocols/ap2.json", old: `"featured": false`, new: `"featured": false,
  "networks": {"value": [], "source": "https://example.org", "verified_at": "2026-11-21"}`,
		wants: []string{"networks.value: is empty; leave the whole fact out if the source does not state it"}},
	{name: "not CAIP-2", path: "protocols/x402.json", old: `"eip155:8453"`, new: `"base"`,
		wants: []string{`"base" is not a CAIP-2 id; write namespace:reference, for example eip155:8453`}},
	{name: "no name", path: siteFile, old: `"name": "almanac"`, new: `"name": ""`,
		wants: []string{"name: is empty; write it"}},
	{name: "contact that nobody can follow", path: siteFile, old: `"contact": ""`, new: `"contact": "curator@example.org"`,
		wants: []string{`contact: "curator@example.org" does not begin with mailto: or https://`}},
	{name: "contact without a mailbox", path: siteFile, old: `"contact": ""`, new: `"contact": "mailto:example.org"`,
		wants: []string{`contact: "mailto:example.org" is not the address of a mailbox: write mailto:name@host`}},
	{name: "report that names no page", path: siteFile, old: `"report": ""`, new: `"report": "https://example.org/new?title={title}"`,
		wants: []string{"report: must have {address} once"}},
	{name: "missing protocol", path: "protocols/nwc.json", old: "-",
		wants: []string{"is missing; the facts document has 9 protocols"}},
	{name: "unknown protocol", path: "protocols/zap.json", old: "*", new: "copy of protocols/nwc.json",
		wants: []string{`id: is "nwc" and the file is named "zap"`}},
	{name: "bad ERC-55", path: supportFile, old: `"network": "Base",
      "address": "0x0000000000000000000000000000000000000000"`, new: `"network": "Base",
      "address": "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"`,
		wants: []string{"methods[2]: address", "fails the ERC-55 checksum; copy it again from the wallet"}},
	{name: "bad bech32", path: supportFile, old: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", new: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",
		wants: []string{"methods[0]: address", "is not valid bech32"}},
	{name: "testnet address", path: supportFile, old: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", new: "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
		wants: []string{"use a mainnet address, bc1q…"}},
	{name: "bad offer", path: supportFile, old: "lno1pgx9getnwss8vetrw3hhyuckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg", new: "lno1pgx9getnwss8vetrw3hhyuc",
		wants: []string{"methods[1]: offer", "names neither an issuer nor a path to one; copy it again from the wallet"}},
	{name: "bad Solana address", path: supportFile, old: "11111111111111111111111111111111", new: "mvines9",
		wants: []string{"methods[5]: address", "a Solana address has 32"}},
	{name: "unknown network", path: supportFile, old: `"network": "Base"`, new: `"network": "Basis"`,
		wants: []string{`network "Basis" is unknown; use one of Base, Ethereum, Arbitrum One`}},
	{name: "offer of an address", path: supportFile, old: `"network": "Base",`, new: `"network": "Base",` + "\n" + `      "offer": "lno1",`,
		wants: []string{`methods[2]: offer does not belong in a method of type "evm-stablecoin"; remove it`}},
	{name: "no tip", path: supportFile, old: "    1000,\n", new: "    0,\n",
		wants: []string{"suggested_amounts_sats[0]: 0 is less than 1 satoshi"}},
	{name: "column of no row", path: "datasets/payment-http/card.json", old: `"name": "element"`, new: `"name": "part"`,
		wants: []string{"columns: are protocol, protocol_name, part,", "the derived rows have protocol, protocol_name, element,"}},
	{name: "missing card", path: "datasets/library/card.json", old: "-",
		wants: []string{`is missing; write a card for the derived dataset "library"`}},
	{name: "missing README", path: "datasets/payment-http/README.md", old: "-",
		wants: []string{"cannot be read"}},
	{name: "article without text", path: "articles/reading-a-bolt12-offer/article.md", old: "-",
		wants: []string{"cannot be read"}},
	{name: "carriage returns", path: "articles/how-an-l402-purchase-runs/article.md", old: "## 1. Ask\n", new: "## 1. Ask\r\n",
		wants: []string{"has carriage returns; save it with line feeds only"}},
	{name: "dead link to an entry", path: "articles/reading-a-bolt12-offer/article.md", old: "(/library/entry/bolt-12-offers/)", new: "(/library/entry/bolt-12-offer/)",
		wants: []string{`/library/entry/bolt-12-offer/ is not a page of this site (did you mean "bolt-12-offers"?); correct or remove the link`}},
	{name: "dead link to a protocol", path: "articles/buying-goods-with-ap2-acp-and-ucp/article.md", old: "[ACP](/protocols/acp/),", new: "[ACP](/protocols/apc/),",
		wants: []string{`/protocols/apc/ is not a page of this site (did you mean "acp"?)`}},
	{name: "dead link to an article", path: "articles/how-an-l402-purchase-runs/article.md", old: "(/articles/handing-a-sub-agent-a-smaller-budget/)", new: "(/articles/handing-a-sub-agent-a-small-budget/)",
		wants: []string{"link: /articles/handing-a-sub-agent-a-small-budget/ is not a page of this site (did you mean"}},
	{name: "dead link in a README", path: "datasets/payment-networks/README.md", old: "(/library/entry/caip-2-blockchain-id/)", new: "(/library/entry/caip2/)",
		wants: []string{"link: /library/entry/caip2/ is not a page of this site"}},
	{name: "heading of the first level", path: "articles/publishing-data-for-agents/article.md", old: "## Cheap to ask often", new: "# Cheap to ask often",
		wants: []string{"is a heading of the first level; the record has the title, so begin with ##"}},
	{name: "code not closed", path: "articles/what-an-agent-should-check-before-it-pays/article.md", old: "```python\n", new: "",
		wants: []string{"a code block is not closed"}},
	{name: "ground not listed", path: "articles/buying-goods-with-ap2-acp-and-ucp/article.json", old: `    "a2a-x402-extension",` + "\n", new: "",
		wants: []string{`entries: the text links to "a2a-x402-extension"; list it`}},
	{name: "protocol not listed", path: "articles/buying-goods-with-ap2-acp-and-ucp/article.json", old: `    "ucp",` + "\n", new: "",
		wants: []string{`protocols: the text links to "ucp"; list it`}},
	{name: "article on no entry", path: "articles/reading-a-bolt12-offer/article.json", old: `"core-lightning"`, new: `"core-lightening"`,
		wants: []string{`there is no library entry "core-lightening" (did you mean "core-lightning"?)`}},
	{name: "no subject", path: siteFile, old: `"subject": "machine payment and agent protocols"`, new: `"subject": "payments."`,
		wants: []string{"subject: ends with a full stop"}},
	{name: "no product token", path: "bots/link-checker.json", old: `"product": "almanac-link-checker"`, new: `"product": "almanac/2"`,
		wants: []string{`product: "almanac/2" is not a product token that robots.txt can name; use letters`}},
	{name: "trust without checks", path: trustFile, old: `"id": "open-data"`, new: `"id": "Open Data"`,
		wants: []string{`checks[0].id: "Open Data" is not a valid slug`}},
	{name: "unused tag", path: tagsFile, old: `"id": "a2a"`, new: `"id": "a1a"`,
		wants: []string{`no entry carries the tag "a1a"; use it or remove it from the vocabulary`}},
	{name: "tags out of order", path: tagsFile, old: `"id": "agents"`, new: `"id": "zagents"`,
		wants: []string{`"benchmarks" does not come after "zagents"; keep the list sorted, each once`}},
	{name: "finding of no kind", path: LinkReportFile, old: "*", new: string(EncodeLinkReport(&catalog.LinkReport{CheckedAt: "2026-11-21T12:00:00Z",
		Findings: []catalog.LinkFinding{{ID: "mqtt-5", URL: "https://example.org/", Kind: "gone", Detail: "x", CheckedAt: "2026-11-21 12:00"}}})),
		wants: []string{`kind: "gone" is unknown; use one of dns, later,`, `checked_at: "2026-11-21 12:00" is not a UTC timestamp`}},
	{name: "stray file", path: "library/notes.txt", old: "*", new: "remember\n",
		wants: []string{"does not belong among the curated files; remove it, or see README.md for where records go"}},
	{name: "missing file", path: trustFile, old: "-",
		wants: []string{"cannot be read"}},
}

// content returns the broken file of a case, or nil where it is taken away.
func content(t testing.TB, p, old, new string) []byte {
	switch old {
	case "-":
		return nil
	case "", "*":
		from, isCopy := strings.CutPrefix(new, "copy of ")
		if old == "*" && !isCopy {
			return append([]byte{}, new...)
		}
		if old == "" {
			from = p
		}
		data, err := os.ReadFile(path.Join(fixturesDir, from))
		if err != nil {
			t.Fatal(err)
		}
		if old == "" {
			data = append(data, new...)
		}
		return data
	}
	return replace(t, p, old, new)
}

// TestAllFaultsInOneRun: each fault is reported, and one run reports all of those in different files.
func TestAllFaultsInOneRun(t *testing.T) {
	var alone, together []map[string]brokenFile // runs, by path
	for _, tt := range brokenFiles {
		if tt.path == tagsFile || tt.path == siteFile || tt.at != "" || strings.HasPrefix(tt.new, "copy of") { // it could hide another, or cause one
			alone = append(alone, map[string]brokenFile{tt.path: tt})
			continue
		}
		i := slices.IndexFunc(together, func(run map[string]brokenFile) bool { return run[tt.path].path == "" })
		if i < 0 {
			i, together = len(together), append(together, make(map[string]brokenFile))
		}
		together[i][tt.path] = tt
	}
	if len(together[0]) < 15 {
		t.Errorf("%d files are broken in one run", len(together[0]))
	}
	for _, run := range append(alone, together...) {
		files, lean := make(map[string][]byte), catalogtest.Lean
		for _, tt := range run {
			files[tt.path] = content(t, tt.path, tt.old, tt.new)
			if strings.HasPrefix(tt.at, "statements/") { // of a file that the change does not name
				lean = catalogtest.Files
			}
		}
		_, err := Load(lean(t, fixturesDir, files), catalogtest.Options)
		var faults Faults
		if errors.As(err, &faults) && len(strings.Split(err.Error(), "\n")) != len(faults) {
			t.Errorf("%d faults in %d lines", len(faults), strings.Count(err.Error(), "\n")+1)
		}
		for _, tt := range run {
			for _, want := range tt.wants {
				if !reported(faults, cmp.Or(tt.at, tt.path), want) {
					t.Errorf("%s: no fault of %s says %q; reported:\n%v", tt.name, cmp.Or(tt.at, tt.path), want, err)
				}
			}
		}
	}
}

// Two faults of one file are both reported, in the order of its members.
func TestTwoFaultsInOneFile(t *testing.T) {
	data := string(replace(t, mqtt, `"type": "spec"`, `"type": "blog"`))
	data = strings.Replace(data, `"verified_at": "`+mqttRead+`"`, `"verified_at": "2026-02-30"`, 1)
	_, err := Load(catalogtest.Lean(t, fixturesDir, map[string][]byte{mqtt: []byte(data)}), catalogtest.Options)
	var faults Faults
	errors.As(err, &faults)
	got := make(map[string]bool)
	for _, f := range faults {
		field, _, _ := strings.Cut(f.Message, ":")
		got[f.Path+" "+field] = true
	}
	if diff := gocmp.Diff(map[string]bool{mqtt + " type": true, mqtt + " verified_at": true}, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// The same id twice, each in a file of its name, is reported with both paths.
func TestDuplicateID(t *testing.T) {
	copied := string(replace(t, mqtt, `"category": "iot"`, `"category": "payments"`))
	copied = strings.Replace(copied, "mqtt-v5.0-os.html", "mqtt-v5.0-os.pdf", 1)
	const second = "library/payments/mqtt-5.json"
	_, err := Load(catalogtest.Lean(t, fixturesDir, map[string][]byte{second: []byte(copied)}), catalogtest.Options)
	want := fmt.Sprintf(`%s: id: "mqtt-5" is also the id of %s; ids are unique across the library`, second, mqtt)
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func reported(faults Faults, path, words string) bool {
	for _, f := range faults {
		if f.Path == path && strings.Contains(f.Message, words) {
			return true
		}
	}
	return false
}

// A file that nobody can make out is one fault, and not one more for each reference to it.
func TestOneBrokenFileIsOneFault(t *testing.T) {
	for _, path := range []string{
		tagsFile, categoriesFile, siteFile, supportFile, trustFile, bolt12, l402, "articles/handing-a-sub-agent-a-smaller-budget/article.json",
		"datasets/library/card.json", "bots/link-checker.json",
		"library/agent-protocols/llms-txt.json", // the only entry with its tag
	} {
		for name, data := range map[string]string{"cut off": "{", "of another kind": "7\n"} {
			_, err := Load(catalogtest.Lean(t, fixturesDir, map[string][]byte{path: []byte(data)}), catalogtest.Options)
			var faults Faults
			if errors.As(err, &faults); len(faults) != 1 || faults[0].Path != path {
				t.Errorf("%s, %s: %d faults, the first of them: %.200v", path, name, len(faults), err)
			}
		}
	}
}

// What begins with a dot is no record: a curator's repository, an editor's copy, a file half written.
func TestDotFilesArePassedOver(t *testing.T) {
	_, err := Load(catalogtest.Lean(t, fixturesDir, map[string][]byte{
		".git/HEAD": []byte("x"), "library/iot/.mqtt-5.json.swp": []byte("x"), "library/.half.json12": nil, ".DS_Store": []byte("x"),
	}), catalogtest.Options)
	if err != nil {
		t.Error(err)
	}
}

// Sources whose addresses differ only by the case of the path are two; by that of the host, one.
func TestCaseOfAddresses(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"https://example.org/A", "https://example.org/a", false},
		{"https://EXAMPLE.org/a/", "http://www.example.org/a", true},
		{"https://example.org", "https://example.org/", true},
	} {
		if got := normalURL(tt.a) == normalURL(tt.b); got != tt.same {
			t.Errorf("%s and %s are one source: %t", tt.a, tt.b, got)
		}
	}
}

// withdrawalOf returns the list of withdrawals with one record.
func withdrawalOf(record, replacement string) string {
	return "[\n  {\n    \"record\": \"" + record + "\",\n    \"title\": \"Gone\",\n    \"day\": \"2026-11-23\",\n    \"reason\": \"It is gone.\",\n    \"replaced_by\": " + replacement + "\n  }\n]\n"
}
