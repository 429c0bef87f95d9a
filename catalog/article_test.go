package catalog_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// The Python in the articles runs and does what the text around it says.
func TestArticleCode(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("ALMANAC_REAL") == "1" {
			t.Fatal("python3 is not installed")
		}
		t.Skip("python3 is not installed; the code in the articles is not run")
	}
	for slug, check := range map[string]string{
		"reading-a-bolt12-offer": `
import json
offer = "lno1qcp4256ypqpzwyq2p32x2um5ypmx2cm5dae8x93pqthvwfzadd7jejes8q9lhc4rvjxd022zv5l44g6qah82ru5rdpnpj"
r = read_offer(offer)
assert r["currency"] == b"USD" and int.from_bytes(r["amount"], "big") == 10000, r
assert r["description"] == b"Test vectors" and r["issuer_id"].hex().startswith("02eec7"), r
read = lambda name: json.load(open("payaddr/testdata/bolt12/" + name))
def reads(offer):
    try:
        return bool(read_offer(offer))
    except ValueError:
        return False
offers, strings = read("offers-test.json"), read("format-string-test.json")
assert (len(offers), len(strings)) == (53, 12)
wrong = [v["description"] for v in offers if reads(v["bolt12"]) != v["valid"]] + [v["comment"] for v in strings if reads(v["string"]) != v["valid"]]
assert not wrong, wrong
for v in offers:
    if v["valid"]:
        published = [bytes.fromhex(f["hex"]) for f in v["fields"]]
        assert [bytes(x) for x in read_offer(v["bolt12"]).values()] == published, v["description"]
assert sum(v["valid"] for v in offers) == 20 and sum(not v["valid"] for v in offers) == 33
`,
		// The narrowed macaroon is what gopkg.in/macaroon.v2 makes of the same caveats.
		"handing-a-sub-agent-a-smaller-budget": `
start = ("AgEHYWxtYW5hYwJCAADhvPd85M7VDLTfkdBeMUtPjwmzIk4BnLcJBtZfbdZo9qBRfyng/cl9OnL0c/JfXHi/ItMs6kN0Efn/QTtJFqwTAAISc2Vydml"
         "jZXM9YWxtYW5hYzowAAIeYWxtYW5hY192YWxpZF91bnRpbD0xNzk3ODU1MzAwAAITYWxtYW5hY19jcmVkaXRzPTEwMAA")
issued = start + "ABiAd4ESlnR9NjLL/PWKNiulESTr5YdMK60K7IaDncdnnUw=="
assert narrow(issued) == issued
narrowed = narrow(issued, "almanac_credits=50", "almanac_valid_until=1795392000")
assert narrowed == (start + "CEmFsbWFuYWNfY3JlZGl0cz01MAACHmFsbWFuYWNfdmFsaWRfdW50aWw9MTc5NTM5MjAwMAAA"
                    "BiDTLZsHNLyOpx2TQJXJ3rf3g9qpA/VSMWttwYLvRJMlsw=="), narrowed
remaining = lambda *credential: 70
assert b"almanac_credits=40" in base64.b64decode(share("", issued, "", 10, 1797000000))
`,
		"one-status-code-four-ways-to-ask-for-money": `
headers = [("WWW-Authenticate", 'L402 macaroon="m", invoice="i"'), ("www-authenticate", 'payment id="1"'),
           ("Payment-Required", "e30="), ("X-Cashu", "creqA"), ("WWW-Authenticate", 'Basic realm="x"')]
assert [p for p, _ in offers(402, headers)] == ["l402", "mpp", "x402", "cashu"]
assert list(offers(401, headers)) == []
`,
		"what-an-agent-should-check-before-it-pays": `
from types import SimpleNamespace as N
now = lambda: 0
offer = N(status=402, url=N(scheme="https", host="api.example.com"), network="eip155:8453", asset="0x83", amount=5, expires=60, parts_agree=True)
policy = N(hosts={"api.example.com"}, assets={("eip155:8453", "0x83")}, most_per_payment=10, most_per_day=20, time_needed=30)
assert may_pay(offer, policy, N(today=0))
assert not may_pay(offer, policy, N(today=18))
for change in ({"status": 401}, {"amount": 11}, {"network": "eip155:84532"}, {"expires": 10}, {"parts_agree": False}):
    assert not may_pay(N(**{**vars(offer), **change}), policy, N(today=0)), change
`,
	} {
		t.Run(slug, func(t *testing.T) {
			a, ok := realCatalog(t).Article(slug)
			if !ok {
				t.Fatal("there is no such article")
			}
			var code strings.Builder
			for _, m := range pythonBlock.FindAllStringSubmatch(a.Body, -1) {
				code.WriteString(m[1] + "\n")
			}
			code.WriteString(check)
			cmd := exec.Command(python, "-")
			cmd.Stdin = strings.NewReader(code.String())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
