package catalog_test

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
)

var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// The Python in the articles runs and does what the text around it says.
func TestArticleCode(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	python := parttest.Everyday(t, "python3")
	ran := make(map[string]bool)
	for slug, check := range map[string]string{
		"reading-a-bolt12-offer": `
import json
offer = "lno1qcp4256ypqpzwyq2p32x2um5ypmx2cm5dae8x93pqthvwfzadd7jejes8q9lhc4rvjxd022zv5l44g6qah82ru5rdpnpj"
r = read_offer(offer)
assert r["currency"] == b"USD" and int.from_bytes(r["amount"], "big") == 10000, r
assert r["description"] == b"Test vectors" and r["issuer_id"].hex().startswith("02eec7"), r
read = lambda name: json.load(open("../http402/bolt12/testdata/bolt12/" + name))
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
copy = share(issued, 10, 1797000000)
import re
assert re.search(rb"almanac_budget=[0-9a-f]{16}:10\x00\x02\x1ealmanac_valid_until=1797000000", base64.b64decode(copy)), copy
assert copy != share(issued, 10, 1797000000)
import io
answer = {"remaining": 3, "account_remaining": 70, "branches": [{"branch": "a", "remaining": 3}, {"branch": "a/b", "remaining": 4}]}
urllib.request.urlopen = lambda request: io.BytesIO(json.dumps(answer).encode())
assert left("http://x", issued, "00") == (3, {"a": 3, "a/b": 4}, 70)
answer = {"remaining": 70}
assert left("http://x", issued, "00") == (70, {}, 70)
`,
		"one-status-code-four-ways-to-ask-for-money": `
headers = [("WWW-Authenticate", 'L402 macaroon="m", invoice="i"'), ("www-authenticate", 'payment id="1"'),
           ("Payment-Required", "e30="), ("X-Cashu", "creqA"), ("WWW-Authenticate", 'Basic realm="x"')]
assert [p for p, _ in offers(402, headers)] == ["l402", "mpp", "x402", "cashu"]
assert list(offers(401, headers)) == []
`,
		"what-an-agent-should-check-before-it-pays": `
import threading
from types import SimpleNamespace as N
now = lambda: 0
class Book:
    def __init__(self, spent): self.lock, self.of, self.kept = threading.Lock(), {("eip155:8453", "0x83"): spent}, {}
    def spent(self, unit): return self.of.get(unit, 0)
    def reserved(self, unit): return sum(c for u, c in self.kept.values() if u == unit)
    def reserve(self, id, unit, cost): self.kept[id] = (unit, cost)
offer = N(id="1", challenge_in_its_place=True, url=N(scheme="https", host="api.example.com"), network="eip155:8453", asset="0x83", amount=5, expires=60, parts_agree=True)
policy = N(hosts={"api.example.com"}, limits={("eip155:8453", "0x83"): N(most_per_payment=10, most_per_day=20, most_fees=1)}, time_needed=30)
assert may_pay(offer, policy, Book(0))
assert may_pay(offer, policy, Book(14)) and not may_pay(offer, policy, Book(15))  # 5 and a fee of 1
for change in ({"challenge_in_its_place": False}, {"amount": 10}, {"amount": 0}, {"amount": 5.0}, {"network": "eip155:84532"}, {"expires": 10}, {"parts_agree": False}):
    assert not may_pay(N(**{**vars(offer), **change}), policy, Book(0)), change
book, allowed = Book(0), []
workers = [threading.Thread(target=lambda i=i: allowed.append(may_pay(N(**{**vars(offer), "id": i}), policy, book))) for i in range(50)]
[w.start() for w in workers]; [w.join() for w in workers]
assert sum(allowed) == 3 and len(book.kept) == 3, allowed  # 3 times 6, and not 4 times
`,
		"a-budget-that-survives-a-crash": `
import os, signal, subprocess, sys, tempfile, threading
class Wallet:
    "Pays by name, and remembers it in a file, as a node does. dies is where the program is killed."
    def __init__(self, path, dies=None): self.path, self.dies = path, dies
    def paid(self): return open(self.path).read().split() if os.path.exists(self.path) else []
    def die(self, at):
        if self.dies == at: os.kill(os.getpid(), signal.SIGKILL)
    def pay(self, name, most_fees):
        self.die("before")
        assert name not in self.paid(), "paid twice"
        with open(self.path, "a") as f: f.write(name + "\n")
        self.die("after")
        return "paid", 103, "preimage of " + name
    def look_up(self, name): return ("paid", 103, "preimage of " + name) if name in self.paid() else ("unknown", 0, None)
os.chdir(tempfile.mkdtemp())
for dies, used, proof in (("before", 0, None), ("after", 103, "preimage of n")):
    book, ledger = dies + ".db", dies + ".paid"
    if os.fork() == 0:
        pay(Book(book, 1000), Wallet(ledger, dies), "n", 100, 10)
        os._exit(1)
    assert os.wait()[1] == signal.SIGKILL
    b = Book(book, 1000)
    assert b.used() == 110, "the reservation is not there after the crash"
    assert pay(b, Wallet(ledger), "n", 100, 10) is None, "paid again before the wallet was asked"
    b.recover(Wallet(ledger).look_up)
    assert b.used() == used, (dies, b.used())
    assert b.db.execute("SELECT proof FROM payments").fetchone() == ((proof,) if proof else None)
    if dies == "before": assert pay(b, Wallet(ledger), "n", 100, 10) == "preimage of n"
b = Book("limit.db", 1000)
results = []
def worker(i): results.append(Book("limit.db", 1000).reserve("p%d" % i, 110))
workers = [threading.Thread(target=worker, args=(i,)) for i in range(30)]
[w.start() for w in workers]; [w.join() for w in workers]
assert sum(results) == 9 and b.used() == 990, results
known, = b.db.execute("SELECT name FROM payments").fetchone()
assert not b.reserve(known, 1) and not b.reserve("free", 0)
`,
		"what-to-keep-as-a-receipt": `
preimage = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
line = receipt("2026-11-22T10:00:00Z", "https://api.example.com/v1/search?q=l402", {"scheme": "L402", "network": "bitcoin", "unit": "sat", "amount": 100},
               {"amount": 100, "fees": 1, "reference": "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"}, b"GET", b"{}", "look up L402")
assert preimage not in line and faults(line, preimage) == [] and faults(line) == []
assert faults(line, "00" * 32) == ["the preimage does not open the payment hash"]
assert faults(line.replace('"cost": 100', '"cost": 101')) == ["more was paid than asked for"]
`,
		// The worked example is that of the draft's vectors: the request and the credential in canonical JSON.
		"one-client-for-l402-and-mpp": `
encode = lambda o: base64.urlsafe_b64encode(json.dumps(o, sort_keys=True, separators=(",", ":")).encode()).decode().rstrip("=")
request = encode({"amount": "100", "currency": "sat", "methodDetails": {"invoice": "lnbc1u1mpp"}})
l402 = 'L402 macaroon="AgEH==", invoice="lnbc1u1l402", version="0", token="AgEH=="'
mpp = 'Payment id="a,b=c", realm="x \\"y\\"", method="lightning", intent="charge", request="%s", expires="2026-12-01T12:00:00Z"' % request
for lines in ([l402, mpp], [l402 + ", " + mpp], [", " + l402 + ",," + mpp], ["Basic realm=x, " + l402, mpp.replace("Payment", "PAYMENT").replace("realm=", "Realm = ")]):
    found = list(offers(lines))
    assert [o[:3] for o in found] == [("l402", "lnbc1u1l402", None), ("mpp", "lnbc1u1mpp", 100)], (lines, found)
    assert found[0][3]("00ff") == "L402 AgEH==:00ff"
    scheme, _, credential = found[1][3]("00ff").partition(" ")
    sent = json.loads(base64.urlsafe_b64decode(padded(credential)))
    assert sent["payload"] == {"preimage": "00ff"} and sent["challenge"]["id"] == "a,b=c" and sent["challenge"]["realm"] == 'x "y"' and sent["challenge"]["request"] == request
assert list(offers([mpp + ', id="other"'])) == [] and list(offers(['Bearer realm="x"', "id=1", ""])) == []
assert [o[0] for o in offers([mpp, l402])] == ["mpp", "l402"]
assert [o[0] for o in offers([l402.replace('macaroon="AgEH==", ', "")])] == ["l402"]
assert list(offers([mpp.replace('"charge"', '"session"')])) == [] and list(offers([mpp + ', header="Payment-Authorization"'])) == []
asked = []
assert authorization([l402, mpp], lambda invoice, amount: asked.append(invoice) or ("aa" if len(asked) == 2 else None)).startswith("Payment ") and asked == ["lnbc1u1l402", "lnbc1u1mpp"]
assert authorization([l402], lambda *_: None) is None
`,
		"paying-over-mcp-and-a2a": `
required = {"x402Version": 2, "accepts": [{"scheme": "exact"}]}
task = lambda state, **metadata: {"result": {"status": {"state": state, "message": {"metadata": metadata}}}}
for message, want in (
    ({"result": {"isError": True, "structuredContent": required}}, ("x402", required)),
    ({"result": {"isError": True, "structuredContent": {"payment_required": {"invoice": "lnbc"}}}}, ("l402", {"invoice": "lnbc"})),
    ({"error": {"code": -32042, "data": {"challenges": [{"id": "1"}]}}}, ("mpp", [{"id": "1"}])),
    ({"result": {"isError": True, "_meta": {"org.paymentauth/payment-required": {"challenges": [{"id": "1"}]}}}}, ("mpp", [{"id": "1"}])),
    (task("input-required", **{"x402.payment.status": "payment-required", "x402.payment.required": required}), ("a2a-x402", required)),
    (task("input-required", **{"x402.payment.status": "payment-required"}), ("a2a-x402", "embedded")),
    ({"result": {"task": task("TASK_STATE_INPUT_REQUIRED", **{"x402.payment.status": "payment-required"})["result"]}}, ("a2a-x402", "embedded")),
    ({"result": {"task": task("TASK_STATE_COMPLETED", **{"x402.payment.status": "payment-completed"})["result"]}}, (None, None)),
    ({"result": {"structuredContent": required}}, (None, None)),
    ({"result": {"structuredContent": {"payment_required": {}}}}, (None, None)),
    ({"error": {"code": -32042, "data": {"elicitations": [{"url": "https://login.example"}]}}}, (None, None)),
    ({"error": {"code": -32602, "message": "no"}}, (None, None)),
    (task("working", **{"x402.payment.status": "payment-submitted"}), (None, None)),
):
    assert demand(message) == want, (message, demand(message))
`,
		"staying-in-step-with-the-catalogue": "", // what it does is for httpmirror's TestFollowArticle
	} {
		ran[slug] = true
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
	for _, a := range realCatalog(t).Articles() {
		if pythonBlock.MatchString(a.Body) && !ran[a.ID] {
			t.Errorf("the code of %s is not run", a.ID)
		}
	}
}

// TestArticleBlocks: code in an article is of a language that a test runs (TestArticleCode, e2e's TestArticleCommands), or it
// shows a message; JSON is JSON.
func TestArticleBlocks(t *testing.T) {
	block := regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	for _, a := range realCatalog(t).Articles() {
		for _, m := range block.FindAllStringSubmatch(a.Body, -1) {
			switch m[1] {
			case "python", "sh", "http", "":
			case "json":
				if !json.Valid([]byte(m[2])) {
					t.Errorf("%s: not JSON:\n%s", a.ID, m[2])
				}
			default:
				t.Errorf("%s: nothing runs a block of %q", a.ID, m[1])
			}
		}
	}
}
