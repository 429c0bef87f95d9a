// Buys searches of all texts with a Lightning payment (L402), and shows what they find. Nothing is paid for but by a button. The
// credential stays in this browser, for all tabs.

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

// picture returns a text as a QR code. It is dark on light whatever the page around it is.
function picture(text) {
  const rows = qr(text);
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const size = rows.length + 8;
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "QR code of the invoice");
  svg.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join(""));
  svg.append(path);
  return svg;
}

// qr returns the modules of a QR code (ISO/IEC 18004) for a text of the alphanumeric set, with error correction L.
export function qr(text, wanted) {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
  const eccLength = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
  const blockCount = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
  const alignment = (v) => {
    if (v == 1) return [];
    const n = Math.floor(v / 7) + 2;
    const step = Math.ceil((v * 4 + 4) / (n * 2 - 2)) * 2;
    return [6, ...Array.from({ length: n - 1 }, (_, i) => v * 4 + 10 - step * (n - 2 - i))];
  };
  const capacity = (v) => {
    let bits = (16 * v + 128) * v + 64;
    if (v > 1) {
      const n = Math.floor(v / 7) + 2;
      bits -= (25 * n - 10) * n - 55;
      if (v > 6) bits -= 36;
    }
    return bits >> 3;
  };
  const dataLength = (v) => capacity(v) - eccLength[v - 1] * blockCount[v - 1];
  const bits = [];
  const put = (value, length) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  const need = Math.floor(text.length / 2) * 11 + (text.length % 2) * 6;
  let v = 1;
  while (4 + (v < 10 ? 9 : 11) + need > dataLength(v) * 8) if (++v > 20) throw new Error("the text is too long for a QR code");
  put(2, 4);
  put(text.length, v < 10 ? 9 : 11);
  for (let i = 0; i + 1 < text.length; i += 2) put(alphabet.indexOf(text[i]) * 45 + alphabet.indexOf(text[i + 1]), 11);
  if (text.length % 2) put(alphabet.indexOf(text.at(-1)), 6);
  put(0, Math.min(4, dataLength(v) * 8 - bits.length));
  put(0, -bits.length & 7);
  const data = [];
  for (let i = 0; i < bits.length; i += 8) data.push(parseInt(bits.slice(i, i + 8).join(""), 2));
  for (let pad = 0xec; data.length < dataLength(v); pad ^= 0xfd) data.push(pad);

  // Reed-Solomon over GF(256).
  const multiply = (a, b) => {
    let z = 0;
    for (let i = 7; i >= 0; i--) z = ((z << 1) ^ ((z >> 7) * 0x11d)) ^ (((b >> i) & 1) * a);
    return z;
  };
  const ecc = eccLength[v - 1];
  const divisor = Array(ecc).fill(0);
  divisor[ecc - 1] = 1;
  for (let i = 0, root = 1; i < ecc; i++, root = multiply(root, 2))
    for (let j = 0; j < ecc; j++) divisor[j] = multiply(divisor[j], root) ^ (j + 1 < ecc ? divisor[j + 1] : 0);
  const remainder = (block) => {
    const r = Array(ecc).fill(0);
    for (const b of block) {
      const factor = b ^ r.shift();
      r.push(0);
      divisor.forEach((c, i) => (r[i] ^= multiply(c, factor)));
    }
    return r;
  };
  const n = blockCount[v - 1];
  const short = Math.floor(capacity(v) / n) - ecc;
  const shorts = n - (capacity(v) % n);
  const blocks = Array.from({ length: n }, (_, i) => data.slice(i * short + Math.max(0, i - shorts), (i + 1) * short + Math.max(0, i + 1 - shorts)));
  const checks = blocks.map(remainder);
  const words = [];
  for (let i = 0; i <= short; i++) for (const b of blocks) if (i < b.length) words.push(b[i]);
  for (let i = 0; i < ecc; i++) for (const c of checks) words.push(c[i]);

  const size = v * 4 + 17;
  const grid = Array.from({ length: size }, () => Array(size).fill(null)); // null: for data
  const set = (x, y, dark) => x >= 0 && y >= 0 && x < size && y < size && (grid[y][x] = dark);
  for (let i = 0; i < size; i++) set(6, i, i % 2 == 0), set(i, 6, i % 2 == 0);
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]])
    for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) { const d = Math.max(Math.abs(dx), Math.abs(dy)); set(cx + dx, cy + dy, d != 2 && d != 4); }
  const at = alignment(v);
  at.forEach((y, i) => at.forEach((x, j) => {
    if ((i == 0 && j == 0) || (i == 0 && j == at.length - 1) || (i == at.length - 1 && j == 0)) return;
    for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) != 1);
  }));
  const check = (value, length, poly) => {
    let r = value;
    for (let i = 0; i < length; i++) r = (r << 1) ^ ((r >> (length - 1)) * poly);
    return (value << length) | r;
  };
  const format = (mask) => {
    const f = check((1 << 3) | mask, 10, 0x537) ^ 0x5412;
    const bit = (i) => ((f >> i) & 1) == 1;
    for (let i = 0; i <= 5; i++) set(8, i, bit(i));
    set(8, 7, bit(6)), set(8, 8, bit(7)), set(7, 8, bit(8));
    for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i));
    set(8, size - 8, true);
  };
  format(0);
  if (v > 6) {
    const b = check(v, 12, 0x1f25);
    for (let i = 0; i < 18; i++) {
      const a = size - 11 + (i % 3), c = Math.floor(i / 3), dark = ((b >> i) & 1) == 1;
      set(a, c, dark), set(c, a, dark);
    }
  }
  const free = [];
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right == 6) right = 5;
    for (let i = 0; i < size; i++) for (const x of [right, right - 1]) {
      const y = ((right + 1) & 2) == 0 ? size - 1 - i : i;
      if (grid[y][x] === null) free.push([x, y]);
    }
  }
  const masks = [(x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3), (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2];
  const draw = (mask) => {
    free.forEach(([x, y], i) => (grid[y][x] = (((words[i >> 3] ?? 0) >> (7 - (i & 7))) & 1) == 1 !== (masks[mask](x, y) == 0)));
    format(mask);
    return grid.map((row) => [...row]);
  };
  if (wanted !== undefined) return draw(wanted);
  // The mask whose neighbours differ most often is the easiest to read.
  const same = (g) => g.reduce((sum, row, y) => sum + row.filter((d, x) => d == row[x + 1] || d == g[y + 1]?.[x]).length, 0);
  return masks.map((_, mask) => draw(mask)).reduce((best, g) => (same(g) < same(best) ? g : best));
}
