// Sells full-text searches for a Lightning payment (L402), and shows what they find. Only the press of a button pays.
//
// Nothing paid for gets lost: credentials and challenges are in the browser's storage or, while that refuses them, in
// this page. A challenge (a macaroon with its invoice) stays until its macaroon ends, because the proof
// of the payment may come later.

import { picture } from "./qr.js";

const ROOT = new URL("..", import.meta.url).pathname; // of the site: / or, below another path, one like /almanac/
const OWN = `almanac${ROOT.slice(0, -1)}`; // tells the sites of one host apart
const CREDENTIALS = OWN + ".credential"; // [{macaroon, preimage, left, until, refused}]
const CHALLENGES = OWN + ".invoice"; // [{macaroon, invoice, payment_hash, expires_at, ends, price, demo}]
const BALANCE = OWN + ".balance"; // {text, until}: what almanac.js shows in the header of every page
const ASKED = OWN + ".asked"; // the last search, with its idempotency key
const ANSWER = OWN + ".answer"; // of this tab: the last answer, so that a reload needs no search
const FILE = "almanac-credential.txt";
const DAY = 86_400_000;

const unsaved = new Map(); // values by key that the storage refused

function read(key, storage = "localStorage") {
  if (unsaved.has(key)) return unsaved.get(key);
  try {
    return JSON.parse(window[storage].getItem(key));
  } catch {
    return null;
  }
}

function save(key, value, storage = "localStorage") {
  try {
    if (value) window[storage].setItem(key, JSON.stringify(value));
    else window[storage].removeItem(key);
    unsaved.delete(key);
  } catch {
    unsaved.set(key, value);
  }
}

// storageWorks reports whether the browser saves anything for this site.
function storageWorks() {
  try {
    localStorage.setItem("almanac.test", "1");
    localStorage.removeItem("almanac.test");
    return true;
  } catch {
    return false;
  }
}

// Earlier versions stored one credential and one challenge, not lists.
const readList = (key) => [].concat(read(key) ?? []);
const saveList = (key, list) => save(key, list.length ? list : null);

function make(name, text, attributes, ...children) {
  const e = Object.assign(document.createElement(name), attributes);
  e.append(...(text ? [text] : []), ...children);
  return e;
}
const button = (text, onclick, className = "") => make("button", text, { type: "button", onclick, className });
const row = (...children) => make("p", "", { className: "row" }, ...children);

// copyButton copies a text that the page may show masked.
function copyButton(label, text) {
  const b = button(label, async () => {
    const done = navigator.clipboard?.writeText(text).then(() => "Copied", () => "Not copied");
    b.textContent = (await done) ?? "Not copied";
    setTimeout(() => (b.textContent = label), 1500);
  });
  return b;
}

// ask shows a dialog and returns the label of the pressed button, or "". The first choice has the focus.
function ask(title, parts, ...choices) {
  return new Promise((resolve) => {
    const press = (label) => button(label, () => d.close(label));
    const heading = make("h2", title, { id: "ask" });
    const d = make("dialog", "", {}, heading, ...parts, row(...choices.map(press)));
    d.setAttribute("aria-labelledby", "ask");
    d.onclose = () => (d.remove(), resolve(d.returnValue));
    document.body.append(d);
    d.showModal();
    d.querySelector(".row button").focus();
  });
}

const hexOf = (bytes) => [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
const newKey = () => hexOf(crypto.getRandomValues(new Uint8Array(16)));

// hashOf returns the payment hash of a preimage, or null on a page without TLS, where browsers do not hash.
async function hashOf(preimage) {
  if (!crypto.subtle) return null;
  const bytes = Uint8Array.from(preimage.match(/../g), (x) => parseInt(x, 16));
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

// preimages returns what may be a preimage in the text of a wallet: 32 bytes as hexadecimal digits, or in Base64 as
// lnd's REST interface writes them.
function preimages(text) {
  const hex = text.match(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi) ?? [];
  const base64 = text.match(/(?<![\w+/-])[\w+/-]{43}=(?!=)/g) ?? [];
  const decoded = base64.map((b) => hexOf(Uint8Array.from(atob(plainBase64(b)), (c) => c.charCodeAt(0))));
  return [...new Set([...hex, ...decoded].map((p) => p.toLowerCase()))];
}

const plainBase64 = (text) => {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
};

// credentialIn returns the credential in a text: a file of this page, a header, a link, or macaroon:preimage alone.
function credentialIn(text) {
  const [, macaroon, preimage] = text.match(/([\w+/-]{40,}={0,2})\s*:\s*([0-9a-f]{64})(?![0-9a-f])/i) ?? [];
  return macaroon && { macaroon: plainBase64(macaroon), preimage: preimage.toLowerCase() };
}

// longDate returns a day as pages write it: of a day without a time that day, wherever the reader is.
const longDate = (t) => new Date(t).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", ...(t.length == 10 && { timeZone: "UTC" }) });
const clock = (t) => new Date(t).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
const plural = (n, unit) => `${n} ${unit}${n == 1 ? "" : unit.endsWith("h") ? "es" : "s"}`;

// timeLeft counts down in days, then hours, minutes and seconds.
function timeLeft(until) {
  const seconds = Math.max(0, Math.floor((Date.parse(until) - Date.now()) / 1000));
  if (seconds >= 2 * 86_400) return plural(Math.floor(seconds / 86_400), "day");
  if (seconds >= 2 * 3_600) return plural(Math.floor(seconds / 3_600), "hour");
  if (seconds >= 3_600) return plural(Math.floor(seconds / 60), "minute");
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return plural(seconds, "second");
}

const isOver = (t) => Date.parse(t) <= Date.now();
const isUsable = (c) => !c.refused && c.left !== 0 && !(c.until && isOver(c.until));

// mount sells in a section of the search page.
export function mount(section) {
  const { api, credits, wallet, price, count, days, mcp, demo } = section.dataset;
  const isDemo = demo == "true";
  const out = section.querySelector(".purchase");
  const answers = make("div", "", { className: "passages" });
  const box = document.querySelector("#q");
  const hint = box.form.nextElementSibling;
  const [free, find] = [hint.textContent, box.form.querySelector("button")];
  const [said, told] = [section.lastElementChild, hint].map((e) => (e.after(make("p", "", { className: "said", role: "status" })), e.nextElementSibling));
  const found = document.getElementById("found");
  found.before(answers); // what was paid for comes first
  const query = () => box.value.trim();
  box.addEventListener("input", () => showAgain()); // results stay with their query
  const offer = `${count} searches for ${price} sats`;

  const seen = new Map(); // challenges of this page by payment hash; another tab cannot take them away
  const unfolded = new Set(); // what a redrawing leaves open: preimages, and "import"
  const revealed = new Set(); // preimages of the credentials that are shown
  let blocked = !storageWorks();
  let offered; // a challenge that came with a refusal
  let countdowns = []; // functions that update the times shown
  let busy = false;
  let known = readList(CREDENTIALS); // as of the last change by this page or another

  const say = (...parts) => said.replaceChildren(...parts);
  const tell = (...parts) => told.replaceChildren(...parts); // beside the box
  const target = () => `${new URL(api, location)}?q=${encodeURIComponent(query() || "lightning")}`;

  const credentials = () => readList(CREDENTIALS);
  const remaining = (c) => c.left ?? Number(count); // nothing is used of what was just bought
  const usable = () => credentials().filter(isUsable).sort((a, b) => (a.until < b.until ? -1 : 1));
  const setCredentials = (list) => saveList(CREDENTIALS, (known = list));
  // showBalance shows what is left in the header and beside the box, which searches the full text as long as there is something.
  function showBalance() {
    const live = usable();
    const text = plural(live.reduce((n, c) => n + remaining(c), 0), "search") + " left";
    document.body.toggleAttribute("data-bought", live.length > 0);
    hint.textContent = live.length ? `${text}. Enter in this box searches the full text. Records are free: they come as you type, and by the boxes of other pages.` : free;
    find.textContent = live.length ? "Search the full text" : "Search";
    const a = document.querySelector(".mast .balance") ?? make("a", "", { className: "balance", href: ROOT + "search/#buy" });
    if (!live.length) return save(BALANCE, null), a.remove();
    a.textContent = text;
    save(BALANCE, { text, until: live[0].until });
    document.querySelector(".mast nav").before(a);
  }
  // note records what the server said of a credential, unless that was forgotten meanwhile.
  const note = (have, news) => setCredentials(credentials().map((c) => (c.preimage == have.preimage ? { ...c, ...news } : c)));
  const challenges = () => {
    for (const c of readList(CHALLENGES)) if (!isOver(c.ends ?? c.expires_at)) seen.set(c.payment_hash, c);
    const bought = credentials().map((c) => c.macaroon);
    return [...seen.values()].filter((c) => !bought.includes(c.macaroon)).sort((a, b) => (a.expires_at < b.expires_at ? 1 : -1));
  };
  const isStored = (c) => readList(CHALLENGES).some((s) => s.payment_hash == c.payment_hash);
  const addChallenge = (c) => saveList(CHALLENGES, [...readList(CHALLENGES).filter((s) => s.payment_hash != c.payment_hash), c]);
  const dropChallenge = (c) => {
    seen.delete(c.payment_hash);
    saveList(CHALLENGES, readList(CHALLENGES).filter((s) => s.payment_hash != c.payment_hash));
  };

  // call asks the paid interface. It returns the status, the body and the wait, or says what failed.
  async function call(url, headers, options) {
    let status = 0;
    try {
      const res = await fetch(url, { headers: { Accept: "application/json, application/problem+json", ...headers }, ...options });
      status = res.status;
      return { status, wait: res.headers.get("Retry-After"), body: await res.json() };
    } catch {
      const host = new URL(url, location).host;
      if (status) return { status, body: { detail: `${host} sent no usable answer.` } };
      return { status, body: { detail: navigator.onLine ? `${host} can’t be reached.` : "You’re offline." } };
    }
  }
  function failure({ status, wait, body }) {
    const code = body.code ? ` (${body.code}${status ? ", " + status : ""})` : status ? ` (${status})` : "";
    return `${body.title ? body.title + ". " : ""}${body.detail ?? "The server gave no reason."}${code}${wait ? ` Try again in ${plural(wait, "second")}.` : ""}`;
  }
  const authorization = ({ macaroon, preimage }) => ({ Authorization: `L402 ${macaroon}:${preimage}` });

  // once runs one action at a time, so that a second press orders nothing twice.
  const once = (action) => async () => {
    if (busy) return;
    busy = true;
    try {
      await action();
    } finally {
      busy = false;
    }
  };

  // accept shows a challenge and keeps it. An invoice without its macaroon buys nothing, so it is not shown.
  function accept(c) {
    if (!c.macaroon || !c.invoice) return say("The server sent an invoice without its macaroon. Don’t pay it; try again.");
    addChallenge({ macaroon: c.macaroon, invoice: c.invoice, payment_hash: c.payment_hash, expires_at: c.expires_at,
      ends: new Date(Date.parse(c.expires_at) + days * DAY).toISOString(), price: c.price_sats, demo: c.demo });
    draw();
  }

  const order = once(async () => {
    say("Asking for an invoice…");
    const ready = offered && !isOver(offered.expires_at) && { status: 402, body: offered };
    const r = ready || (await call(target()));
    offered = null;
    if (r.status != 402 || !r.body.invoice) return say(`${failure(r)} No invoice was made, and nothing was paid. Press again to retry.`);
    say("");
    accept(r.body);
    out.querySelector(".invoice .main, .invoice a")?.focus();
  });

  // prove takes the text of a wallet, and redeems the challenge whose preimage it has.
  async function prove(text, quiet) {
    const found = preimages(text);
    const open = challenges();
    for (const preimage of found) {
      const hash = await hashOf(preimage);
      for (const c of open) {
        if (hash ? hash == c.payment_hash : (await call(credits, authorization({ ...c, preimage }))).status == 200) return redeem(c, preimage);
      }
    }
    if (quiet) return;
    if (found.some((p) => open.some((c) => c.payment_hash == p)))
      return say("That is the payment hash, which is in the invoice. The proof of payment (preimage) is another line of 64 digits.");
    if (found.length) return say("This preimage belongs to another payment.");
    say("A preimage has 64 hexadecimal digits. Your wallet shows it with the payment, often as proof of payment.");
  }

  async function redeem(challenge, preimage) {
    setCredentials([...credentials().filter((c) => c.preimage != preimage), { macaroon: challenge.macaroon, preimage, until: challenge.ends }]);
    if (!unsaved.has(CREDENTIALS)) dropChallenge(challenge); // else the storage keeps it: the proof can be brought again
    field.value = "";
    draw();
    say("");
    tell(isDemo ? "Demo mode: bought, and no money moved." : "Bought.");
    await refresh();
    if (!query() || !(await search())) box.focus();
  }

  // refresh asks for the balance of every credential, which is free. It redraws only what differs, so that no button
  // leaves while it is pressed.
  async function refresh() {
    const before = JSON.stringify(credentials());
    for (const have of credentials()) {
      const r = await call(credits, authorization(have));
      if (r.status == 200) note(have, { left: r.body.remaining, until: r.body.valid_until, refused: undefined });
      else if (r.status == 402) refuse(have, r);
      else say(`${failure(r)} Your credential stays in this browser; its balance may be older.`);
    }
    if (JSON.stringify(credentials()) != before) draw();
  }

  // refuse records why the server does not take a credential. The credential stays: the reason may pass.
  function refuse(have, { body }) {
    if (body.invoice && body.macaroon) offered = body;
    if (body.code == "credits_exhausted") return note(have, { left: 0 });
    note(have, { refused: body.code == "credential_expired" ? "It has expired." : `${body.title}: ${body.detail} (${body.code})` });
  }

  async function search() {
    const q = query();
    if (!q) return tell("Type a question first."), box.focus();
    const [have] = usable();
    if (!have) return tell("No credential with searches left. Buy or import one.");
    const last = read(ANSWER, "sessionStorage");
    if (last?.q == q) return lead(last.body, "You have asked this before: here is the same answer, at no charge.");
    let asked = read(ASKED);
    // The same search within a minute has the same key: its repetition is not charged (docs/contract.md).
    if (asked?.q != q || Date.now() - asked.at > 50_000) asked = { q, key: newKey(), at: Date.now() };
    save(ASKED, asked);
    tell("Searching…");
    const r = await call(`${api}?q=${encodeURIComponent(q)}`, { ...authorization(have), "Idempotency-Key": asked.key });
    if (r.status == 200) {
      if (r.body.credits) note(have, { left: r.body.credits.remaining, until: r.body.credits.valid_until, refused: undefined });
      save(ANSWER, { q, body: r.body }, "sessionStorage");
      draw();
      return lead(r.body);
    }
    if (r.status == 402) {
      refuse(have, r);
      draw();
      if (usable().length) return search(); // with the next credential
      return tell(`${failure(r)} You weren’t charged. `, make("a", `Buy ${count} more`, { href: "#buy", onclick: () => setTimeout(enter) }));
    }
    if (r.status) return tell(`${failure(r)} You weren’t charged.`);
    tell(`${failure(r)} Search again within a minute: the same search is never charged twice.`);
  }

  // lead shows an answer and leads to it.
  function lead(body, note) {
    const heading = show(body);
    if (note) tell(note);
    heading?.focus({ preventScroll: true });
    heading?.scrollIntoView();
    return heading;
  }

  // more adds the next results of an answer, for one search. A repetition of the press is not charged.
  const more = (body) => once(async () => {
    const q = query(); // which may be another one when the answer comes
    const [have] = usable();
    if (!have) return tell("No searches left for more results.");
    const r = await call(`${api}?q=${encodeURIComponent(body.query)}&limit=50&cursor=${body.next_cursor}`, { ...authorization(have), "Idempotency-Key": body.next_cursor });
    if (r.status != 200) return tell(`${failure(r)} You weren’t charged.`);
    if (r.body.credits) note(have, { left: r.body.credits.remaining, until: r.body.credits.valid_until });
    const both = { ...body, entries: [...body.entries, ...r.body.entries], next_cursor: r.body.next_cursor };
    save(ANSWER, { q, body: both }, "sessionStorage");
    draw();
    if (query() != q) return;
    show(both);
    answers.querySelectorAll("article")[body.entries.length]?.querySelector("a").focus();
  });

  // show shows an answer below the box, and returns its heading, which gets the focus after a search; without results it returns nothing.
  function show(body) {
    const n = body.entries.length;
    const count = `The best ${plural(n, "result")} for “${body.query}”` + (body.total > n ? `; ${body.total} records have some of its words.` : ".") + (body.suggestion ? ` Searched for “${body.suggestion}”.` : "");
    answers.replaceChildren();
    found.hidden = false;
    if (!n) return tell(`No results for “${body.query}”. You weren’t charged.`);
    tell("");
    const heading = make("h2", "Full text ", { tabIndex: -1 }, make("small", count));
    // Those far below the best are folded, unless the reader asked for more.
    const isWeak = (hit) => n <= 10 && hit.score < body.entries[0].score / 2;
    const weak = body.entries.filter(isWeak).length;
    const shown = body.entries.map((hit) => {
        const path = hit.passages[0]?.url ?? hit.url;
        const head = make("h3", "", {}, make("a", hit.title ?? hit.name ?? hit.id, { href: path.replace(/#.*/, "") }));
        const lacks = hit.missing?.length ? [make("p", "Doesn’t mention " + hit.missing.join(", "), { className: "soft small" })] : [];
        const parts = hit.passages.map((p) => {
          const where = make("p", "", { className: "soft small" }, make("a", p.title, { href: p.url }));
          if (p.source) where.append(", read at ", make("a", new URL(p.source).host, { href: p.source, className: "out" }));
          if (p.verified_at) where.append(p.source ? " on " : ", checked on ", make("time", longDate(p.verified_at), { dateTime: p.verified_at }));
          return make("blockquote", "", {}, make("p", p.text), where);
        });
        return make("article", "", {}, head, ...lacks, ...parts);
      });
    answers.append(heading, ...shown.slice(0, n - weak),
      ...(weak ? [make("details", "", {}, make("summary", `${plural(weak, "weaker result")}: little of the question`), ...shown.slice(n - weak))] : []),
      ...(body.next_cursor ? [row(button("Up to 50 more results, for one search", more(body)))] : []),
    );
    found.hidden = true; // the list below would have the same records
    return heading;
  }

  function showAgain() {
    const last = read(ANSWER, "sessionStorage");
    last?.q && last.q == query() ? show(last.body) : (answers.replaceChildren(), (found.hidden = false));
  }

  // A countdown is a text that follows the clock. Screen readers hear of the end alone, which redraws.
  function countdown(until) {
    const t = make("time", timeLeft(until));
    let over = isOver(until);
    countdowns.push(() => {
      t.textContent = timeLeft(until);
      if (!over && (over = isOver(until))) draw();
    });
    return t;
  }
  setInterval(() => countdowns.forEach((f) => f()), 1000);

  // Credentials out of the browser, and into it.

  const header = (have) => `Authorization: ${authorization(have).Authorization}\n`;
  function download(have) {
    const href = URL.createObjectURL(new Blob([header(have)], { type: "text/plain" }));
    make("a", "", { href, download: FILE }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
    say(`Downloaded ${FILE}. Anybody who has this file can use your searches.`);
  }

  const fragment = "#l402="; // browsers do not send it to a server
  function handOver(have) {
    const macaroon = have.macaroon.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    const link = `${location.origin}${ROOT}search/${fragment}${macaroon}:${have.preimage}`;
    const hint = make("p", "Scan it with the phone’s camera. Both devices then share one balance. Anybody who scans the code can use your searches.");
    return ask("On your phone", [picture(link, "QR code of a link with your credential"), hint], "Close");
  }

  const addText = once(async () => {
    const have = credentialIn(importField.value);
    if (!have) return say("No credential in this text. It looks like “L402 macaroon:preimage”.");
    if (await add(have)) importField.value = "";
  });

  // add takes a credential from elsewhere, after the server confirmed it. It replaces nothing.
  async function add(have) {
    if (credentials().some((c) => c.preimage == have.preimage)) return say("This browser has this credential already."), true;
    say("Asking for its balance, which is free…");
    const r = await call(credits, authorization(have));
    if (r.status != 200) return say(`${failure(r)} Nothing was added or replaced.`), false;
    const { remaining: left, valid_until: until } = r.body;
    const had = usable().reduce((sum, c) => sum + remaining(c), 0);
    const what = make("p", `It has ${plural(left, "search")} left, until ${longDate(until)}.` + (had ? ` This browser already has ${plural(had, "search")}; both stay, and the one that expires first is used first.` : ""));
    if ((await ask("Add this credential?", [what], "Add it", "Cancel")) != "Add it") return say("Nothing was added."), false;
    setCredentials([...credentials(), { ...have, left, until }]);
    unfolded.delete("import");
    draw();
    say(`Added ${plural(left, "search")}.`);
    return true;
  }

  // forget removes a credential after a question, and can undo that while the page is open.
  async function forget(have) {
    const loss = isUsable(have) ? `${plural(remaining(have), "search")} are lost for good, unless you downloaded the credential.` : "It has no searches left.";
    if ((await ask("Forget this credential?", [make("p", loss)], "Keep it", "Forget it")) != "Forget it") return;
    setCredentials(credentials().filter((c) => c.preimage != have.preimage));
    draw();
    say("Forgotten. ", restore([have]));
  }
  const restore = (list) =>
    button("Put it back", () => {
      setCredentials([...credentials(), ...list.filter((c) => !credentials().some((d) => d.preimage == c.preimage))]);
      draw();
      say("The credential is back.");
    });

  async function forgetChallenge(c) {
    const loss = `If you paid this invoice, or still do, you lose ${c.price} sats: the macaroon, which is the other half of the purchase, is only in this browser.`;
    if ((await ask("Forget this invoice?", [make("p", loss)], "Keep it", "Forget it")) != "Forget it") return;
    dropChallenge(c);
    say("");
    draw();
  }

  // The parts of the page.

  function fold(key, summary, ...children) {
    const d = make("details", "", { open: unfolded.has(key) }, make("summary", summary), ...children);
    d.ontoggle = () => (d.open ? unfolded.add(key) : unfolded.delete(key));
    return d;
  }

  function fileInput(label, take) {
    const input = make("input", "", { type: "file", accept: ".txt,.json,.csv,text/plain" });
    input.onchange = async () => input.files[0] && take(await input.files[0].text());
    return make("label", label + " ", { className: "file" }, input);
  }

  // line is a command or a value to copy. It shows the credential masked until asked to.
  function line(label, have, text) {
    const secret = `${have.macaroon}:${have.preimage}`;
    const shown = revealed.has(have.preimage) ? text : text.replaceAll(secret, `${have.macaroon.slice(0, 8)}…:••••••••`);
    return make("div", "", { className: "line" }, make("p", "", {}, label), make("pre", "", { tabIndex: 0 }, make("code", shown)), copyButton("Copy", text));
  }

  function drawElsewhere(have) {
    const at = new URL(api, location);
    const value = authorization(have).Authorization;
    const reveal = button(revealed.has(have.preimage) ? "Hide the credential" : "Show the credential", () => {
      if (!revealed.delete(have.preimage)) revealed.add(have.preimage);
      draw();
    });
    const connect = make("a", "other hosts", { href: ROOT + "connect/" });
    return fold(have.preimage, "Use it elsewhere",
      row(button("Download", () => download(have)), copyButton("Copy", value), button("Show a code for my phone", () => handOver(have)), reveal),
      make("p", "Anybody who has the credential can use your searches. The commands with a file need the download.", { className: "small soft" }),
      line("The credential", have, value),
      line("curl", have, `curl -H @${FILE} '${target()}'`),
      line("almanac, which presents it from then on", have, `almanac import ${at} < ${FILE}\nalmanac get '${target()}'`),
      line(make("span", "Claude Code; ", {}, connect, " take the same header, and every agent takes the argument l402 of search_passages"), have,
        `claude mcp add --transport http almanac ${mcp} --header "Authorization: ${value}"`),
      row(button("Forget this credential", () => forget(have))));
  }

  const buy = (label, className) => button(label, order, className);

  function drawCredential(have, first) {
    const left = `${isDemo ? "Demo mode: " : ""}${remaining(have)} of ${count} searches left. `;
    const end = have.until ? (isOver(have.until) ? ["Expired on " + longDate(have.until) + "."] : ["Expires in ", countdown(have.until), `, on ${longDate(have.until)}.`]) : [];
    const lines = [make("p", left, { className: "left" }, make("span", "", {}, ...end))];
    if (have.refused) lines.push(make("p", `The server refuses this credential. ${have.refused}`));
    else if (have.left === 0) lines.push(make("p", "Its searches are used up."));
    const actions = [];
    const ends = have.left <= 10 || (have.until && Date.parse(have.until) - Date.now() < 3 * DAY);
    if (first && (!isUsable(have) || ends)) actions.push(buy(`Buy ${count} more for ${price} sats`, isUsable(have) ? "" : "main"));
    return make("div", "", { className: "pass" }, ...lines, ...(actions.length ? [row(...actions)] : []), drawElsewhere(have));
  }

  // The field for the proof of payment is one for all challenges, and survives every redrawing.
  const field = make("textarea", "", { id: "preimage", rows: 2, autocomplete: "off", spellcheck: false });
  field.oninput = () => prove(field.value, true);
  field.onkeydown = (e) => {
    if (e.key == "Enter") e.preventDefault(), prove(field.value);
  };
  const proof = make("div", "", { className: "proof" },
    make("label", "Paid on another device? Paste the proof of payment (preimage, 64 hex characters), or all that your wallet says of the payment:", { htmlFor: "preimage" }),
    field,
    row(button("Use it", () => prove(field.value)), fileInput("or a file from your wallet", (text) => prove((field.value = text)))));
  const importField = make("textarea", "", { id: "credential", rows: 2, autocomplete: "off", spellcheck: false });

  const payDemo = (c) => once(async () => {
    const r = await call(wallet, { "Content-Type": "application/json" }, { method: "POST", body: JSON.stringify({ invoice: c.invoice }) });
    if (r.body.preimage) await prove(r.body.preimage);
    else say(`${failure(r)} The invoice stays here.`);
  });
  const payWebLN = (c) => once(async () => {
    try {
      await window.webln.enable();
      await prove((await window.webln.sendPayment(c.invoice)).preimage);
    } catch (err) {
      say(`The wallet did not pay: ${err.message ?? err}. The invoice stays here.`);
    }
  });

  function drawChallenge(c, earlier) {
    const parts = [];
    if (!isStored(c) && !unsaved.has(CHALLENGES))
      parts.push(make("p", "Another tab removed this invoice. It stays in this page, so that a payment is not lost. ", { className: "notice" }, button("Keep it in the browser", () => (addChallenge(c), draw()))));
    const drop = button("Forget this invoice", () => forgetChallenge(c));
    const uri = "lightning:" + c.invoice;
    const expired = isOver(c.expires_at);
    const qr = picture(uri.toUpperCase());
    if (expired) {
      parts.push(make("p", `This invoice expired at ${clock(c.expires_at)}. Don’t pay it any more. If you did pay it, the proof below still counts until ${longDate(c.ends)}.`),
        row(buy("Make a new invoice", "main"), drop));
    } else {
      const ways = [];
      if (c.demo) ways.push(button("Pay in the demonstration", payDemo(c), "main"));
      if (window.webln) ways.push(button("Pay with the wallet of this browser", payWebLN(c), "main"));
      const links = [make("a", "Open in a wallet", { href: uri }), copyButton("Copy the invoice", c.invoice)];
      const code = make("code", c.invoice, { className: "all", tabIndex: 0 });
      parts.push(make("p", "", {}, make("strong", `Pay ${c.price} sats`), ` for ${count} searches${c.demo ? ", in demo mode" : ""}. The invoice expires in `, countdown(c.expires_at), "."));
      if (c.demo) parts.push(row(...ways, drop), fold("invoice", "The invoice, and other ways to pay", row(...links), qr, code, proof));
      else parts.push(row(...ways, ...links), code, proof, row(drop));
    }
    if (expired) parts.push(proof);
    if (earlier) parts.push(make("p", `${plural(earlier, "earlier invoice")} of this browser: a proof of payment for any of them counts, too.`, { className: "small soft" }));
    return make("div", "", { className: "invoice" }, ...(expired || c.demo ? [] : [qr]), make("div", "", {}, ...parts));
  }

  function drawNotices() {
    const lost = unsaved.get(CREDENTIALS)?.at(-1);
    if (lost)
      return [make("p", `${blocked ? "This browser blocks storage for this site" : "The browser’s storage is full"}, so your credential is in this page alone. Download it before you close the page. `, { className: "notice warn" }, button("Download the credential", () => download(lost)))];
    if (unsaved.get(CHALLENGES))
      return [make("p", `${blocked ? "This browser blocks storage for this site" : "The browser’s storage is full"}, so the invoice is in this page alone. Keep the page open until you have paid and downloaded the credential.`, { className: "notice warn" })];
    if (blocked) return [make("p", "This browser blocks storage for this site. You can buy, but only this page will have the credential: download it after you paid.", { className: "notice warn" })];
    return [];
  }

  function draw() {
    const focus = out.contains(document.activeElement) && document.activeElement;
    const have = credentials().sort((a, b) => isUsable(b) - isUsable(a) || (a.until < b.until ? -1 : 1));
    const [c, ...earlier] = challenges();
    countdowns = [];
    showBalance();
    const parts = [...drawNotices(), ...have.map((h, i) => drawCredential(h, i == 0))];
    if (c && Date.now() - Date.parse(c.expires_at) < DAY) parts.push(drawChallenge(c, earlier.length));
    else {
      if (!have.length) parts.push(row(buy(`${isDemo ? "Try it: buy" : "Buy"} ${offer}`, "main")));
      if (c) parts.push(fold("proof", "Paid an earlier invoice?", proof, row(button("Forget these invoices", () => forgetChallenge(c)))));
    }
    parts.push(fold("import", "Bought on another device?",
      make("label", "Paste the credential, or choose its file:", { htmlFor: "credential" }), importField,
      row(button("Check and add", addText), fileInput(`or ${FILE}`, (text) => ((importField.value = text), addText())))));
    out.replaceChildren(...parts);
    if (focus && document.activeElement != focus)
      (focus.isConnected ? focus : [...out.querySelectorAll("button, summary")].find((b) => b.textContent == focus.textContent) ?? out.querySelector("button"))?.focus();
  }

  // Events from outside the page.

  addEventListener("storage", (e) => {
    if (e.key && e.key != CREDENTIALS && e.key != CHALLENGES) return;
    const now = credentials();
    for (const c of now) for (const s of seen.values()) if (s.macaroon == c.macaroon) seen.delete(s.payment_hash); // bought in that tab
    const lost = known.filter((k) => !now.some((c) => c.preimage == k.preimage));
    known = now;
    draw();
    if (lost.length) say("Another tab removed the credential. ", restore(lost));
  });
  addEventListener("offline", () => say("You’re offline. Invoices and credentials stay in this browser."));
  addEventListener("online", () => (say("You’re online again."), refresh()));
  addEventListener("beforeunload", (e) => (unsaved.get(CREDENTIALS) || unsaved.get(CHALLENGES)) && e.preventDefault());

  // A browser that opened the paid interface itself has a challenge in its page.
  const given = JSON.parse(document.getElementById("problem")?.textContent ?? "null");
  const linked = location.hash.startsWith(fragment) && credentialIn(location.hash.slice(fragment.length));
  if (linked) history.replaceState(null, "", location.pathname + location.search); // the address bar shows no secret
  if (given?.invoice && !usable().length && !challenges().some((c) => !isOver(c.expires_at))) accept(given);
  draw();
  box.form.addEventListener("submit", (e) => {
    if (!usable().length || box.form.querySelector(".explains:not([hidden])")) return; // a pasted payment goes to Explain
    e.preventDefault();
    e.stopImmediatePropagation();
    once(search)();
  }, true);
  // A link to this section leads to what comes next: the box, or the first button.
  const enter = () => (usable().length ? box : section.querySelector("button"))?.focus();
  addEventListener("hashchange", () => location.hash == "#buy" && enter());
  if (location.hash == "#buy") enter();
  showAgain();
  refresh().then(() => linked && add(linked));
}
