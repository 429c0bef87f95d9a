// Buys searches of all texts with a Lightning payment (L402), and shows what they find. Nothing is paid for but by a button. The
// credential stays in this browser, for all tabs.

import { picture } from "./qr.js";

const CREDENTIAL = "almanac.credential"; // macaroon, preimage, what is left
const INVOICE = "almanac.invoice"; // the challenge that is being paid
const ASKED = "almanac.asked"; // the last search that was sent, with its key
const ANSWER = "almanac.answer"; // in this tab: the last answer, so that a reload needs no search

const read = (key, store = localStorage) => {
  try {
    return JSON.parse(store.getItem(key));
  } catch {
    return null;
  }
};
const keep = (key, value, store = localStorage) => (value ? store.setItem(key, JSON.stringify(value)) : store.removeItem(key));

function make(name, text, attributes, ...children) {
  const e = Object.assign(document.createElement(name), attributes);
  e.append(...(text ? [text] : []), ...children);
  return e;
}
const button = (text, onclick, className = "") => make("button", text, { type: "button", onclick, className });

// mount sells in a section of the search page.
export function mount(section) {
  const { api, credits, wallet, price, count, demo } = section.dataset;
  const out = section.querySelector(".purchase");
  const answers = make("div", "", { className: "passages" });
  const said = make("p", "", { className: "said" });
  said.setAttribute("role", "status");
  section.append(said, answers);
  const say = (text) => (said.textContent = text);
  const query = () => document.querySelector("#q").value.trim();
  const isDemo = demo == "true";

  // call asks the paid interface. It returns the status, the body and the headers, or says what failed.
  async function call(url, headers) {
    try {
      const res = await fetch(url, { headers: { Accept: "application/json, application/problem+json", ...headers } });
      return { status: res.status, wait: res.headers.get("Retry-After"), body: await res.json() };
    } catch (err) {
      return { status: 0, body: { detail: `The paid interface at ${new URL(url, location).host} cannot be reached: ${err.message}` } };
    }
  }
  const failure = ({ status, wait, body }) =>
    `${body.title ? body.title + ". " : ""}${body.detail ?? "No reason was given."}${body.code ? ` (${body.code}${status ? ", " + status : ""})` : ""}${wait ? ` Try again in ${wait} seconds.` : ""}`;
  const authorization = ({ macaroon, preimage }) => ({ Authorization: `L402 ${macaroon}:${preimage}` });

  // left notes the balance of a credential, unless that was forgotten or replaced meanwhile, perhaps in another tab.
  const left = (have, { remaining, valid_until }) => {
    if (read(CREDENTIAL)?.preimage == have.preimage) keep(CREDENTIAL, { ...have, left: remaining, until: valid_until });
  };

  const open = (c) => {
    keep(INVOICE, { macaroon: c.macaroon, invoice: c.invoice, payment_hash: c.payment_hash, expires_at: c.expires_at, price: c.price_sats, demo: c.demo });
    draw();
  };

  async function order() {
    say("");
    const r = await call(`${api}?q=${encodeURIComponent(query() || "lightning")}`);
    if (r.status == 402 && r.body.invoice) open(r.body);
    else say(failure(r));
  }

  // paid takes the preimage that a wallet revealed, if it is that of the invoice.
  async function paid(preimage) {
    const invoice = read(INVOICE);
    preimage = preimage.trim().toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(preimage)) return say("A preimage has 64 hexadecimal digits. Your wallet shows it with the payment, often as proof of payment.");
    if (crypto.subtle) {
      const hash = await crypto.subtle.digest("SHA-256", Uint8Array.from(preimage.match(/../g), (x) => parseInt(x, 16)));
      if ([...new Uint8Array(hash)].map((b) => b.toString(16).padStart(2, "0")).join("") != invoice.payment_hash)
        return say("This preimage belongs to another payment.");
    }
    keep(CREDENTIAL, { macaroon: invoice.macaroon, preimage });
    keep(INVOICE, null);
    say(isDemo ? "Demonstration: bought, and no money moved." : "Paid.");
    await balance();
    section.querySelector("button")?.focus();
  }

  async function balance() {
    const have = read(CREDENTIAL);
    if (have) {
      const r = await call(credits, authorization(have));
      if (r.status == 200) left(have, r.body);
      else say(failure(r));
    }
    draw();
  }

  async function search() {
    const have = read(CREDENTIAL);
    const q = query();
    if (!q) return say("Type what to look for into the box above.");
    let asked = read(ASKED);
    // The same search within a minute has the same key: its repetition is not charged (docs/contract.md, "Retry").
    if (asked?.q != q || Date.now() - asked.at > 50_000) asked = { q, key: [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join(""), at: Date.now() };
    keep(ASKED, asked);
    say("Searching…");
    const r = await call(`${api}?q=${encodeURIComponent(q)}`, { ...authorization(have), "Idempotency-Key": asked.key });
    if (r.status == 200) {
      if (r.body.credits) left(have, r.body.credits);
      keep(ANSWER, { q, body: r.body }, sessionStorage);
      draw();
      return show(r.body);
    }
    say(failure(r));
    if (r.status == 402 && r.body.invoice && r.body.code != "credential_malformed") open(r.body); // it can be bought again
  }

  // marked returns a text with its highlights, which are counted in characters.
  function marked(text, highlights) {
    const chars = [...text];
    const p = make("p", "");
    let at = 0;
    for (const [from, to] of highlights ?? []) {
      p.append(chars.slice(at, from).join(""), make("mark", chars.slice(from, to).join("")));
      at = to;
    }
    p.append(chars.slice(at).join(""));
    return p;
  }

  function show(body) {
    const n = body.entries.length;
    say(n ? `${n} of ${body.total} records for “${body.query}”.` + (body.suggestion ? ` Searched for “${body.suggestion}”.` : "") : `Nothing has “${body.query}”, and nothing was charged.`);
    answers.replaceChildren(
      ...body.entries.map((hit) => {
        const path = hit.passages[0]?.url ?? hit.url;
        const head = make("h3", "", {}, make("a", hit.title ?? hit.name ?? hit.id, { href: path.replace(/#.*/, "") }));
        const lacks = hit.missing?.length ? [make("p", "Without: " + hit.missing.join(", "), { className: "soft small" })] : [];
        const parts = hit.passages.map((p) => {
          const where = make("p", "", { className: "soft small" }, make("a", p.title, { href: p.url }));
          if (p.source) where.append(", read at ", make("a", new URL(p.source).host, { href: p.source, className: "out" }));
          if (p.verified_at) where.append(", ", make("time", p.verified_at));
          return make("blockquote", "", {}, marked(p.text, p.highlights), where);
        });
        return make("article", "", {}, head, ...lacks, ...parts);
      }),
    );
  }

  function drawCredential(have) {
    const n = have.left ?? count;
    const date = have.until ? ` until ${have.until.slice(0, 10)}` : "";
    const file = () => {
      const blob = new Blob([`Authorization: L402 ${have.macaroon}:${have.preimage}\n`], { type: "text/plain" });
      const a = make("a", "", { href: URL.createObjectURL(blob), download: "almanac-credential.txt" });
      a.click();
    };
    const forget = () => {
      if (!confirm(`Forget the credential? ${n} searches are lost unless it was exported.`)) return;
      keep(CREDENTIAL, null);
      draw();
    };
    out.replaceChildren(
      make("p", `${isDemo ? "Demonstration: " : ""}${n} of ${count} searches left${date}. A search that finds nothing costs nothing.`, { className: "left" }),
      make("p", "", { className: "row" }, ...(n > 0 ? [make("button", "Search everything", { type: "button", onclick: search, className: "main" })] : [make("button", `Buy ${count} more for ${price} satoshis`, { type: "button", onclick: order, className: "main" })]), button("Export the credential", file), button("Forget it", forget)),
    );
  }

  function drawInvoice(invoice) {
    const uri = "lightning:" + invoice.invoice;
    const code = make("code", invoice.invoice, { className: "all", tabIndex: 0 });
    const copy = button("Copy", async () => {
      getSelection().selectAllChildren(code);
      copy.textContent = await navigator.clipboard.writeText(invoice.invoice).then(() => "Copied", () => "Selected");
    });
    const ways = [];
    if (invoice.demo)
      ways.push(
        button("Pay in the demonstration", async () => {
          const res = await fetch(wallet, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ invoice: invoice.invoice }) });
          const body = await res.json();
          if (res.ok) await paid(body.preimage);
          else say(failure({ status: res.status, body }));
        }, "main"),
      );
    if (window.webln)
      ways.push(
        button("Pay with the wallet of this browser", async () => {
          try {
            await window.webln.enable();
            await paid((await window.webln.sendPayment(invoice.invoice)).preimage);
          } catch (err) {
            say(`The wallet did not pay: ${err.message ?? err}`);
          }
        }, "main"),
      );
    const field = make("input", "", { id: "preimage", autocomplete: "off", spellcheck: false });
    const form = make("form", "", { className: "row", onsubmit: (e) => (e.preventDefault(), paid(field.value)) }, make("label", "Preimage", { htmlFor: "preimage" }), field, make("button", "Use it"));
    const until = new Date(invoice.expires_at);
    out.replaceChildren(
      make("div", "", { className: "invoice" }, picture(uri.toUpperCase()),
        make("div", "", {},
          make("p", `${isDemo ? "Demonstration, in which no money moves. " : ""}An invoice of ${invoice.price} satoshis, open until ${until.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}.`),
          make("p", "", { className: "row" }, ...ways, make("a", "Open in a wallet", { href: uri }), copy),
          code,
          make("p", "When it is paid, your wallet shows the preimage, 64 digits that prove the payment. Paste it here:", { className: "small" }),
          form,
          make("p", "", { className: "row" }, button("Forget this invoice", () => (keep(INVOICE, null), say(""), draw()))))),
    );
  }

  function draw() {
    const have = read(CREDENTIAL);
    let invoice = read(INVOICE);
    if (invoice && new Date(invoice.expires_at) < new Date() - 86_400_000) keep(INVOICE, (invoice = null));
    if (invoice) drawInvoice(invoice);
    else if (have) drawCredential(have);
    else out.replaceChildren(make("p", "", { className: "row" }, make("button", `${isDemo ? "Try it: buy" : "Buy"} ${count} searches for ${price} satoshis`, { type: "button", onclick: order, className: "main" })));
  }

  addEventListener("storage", (e) => [CREDENTIAL, INVOICE].includes(e.key) && draw());
  // A browser that opened the paid interface itself has a challenge in its page.
  const given = JSON.parse(document.getElementById("problem")?.textContent ?? "null");
  if (given && !read(CREDENTIAL) && !read(INVOICE) && given.invoice) open(given);
  else balance();
  const before = read(ANSWER, sessionStorage);
  if (before && before.q == query()) show(before.body);
}
