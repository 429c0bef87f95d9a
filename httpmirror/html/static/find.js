// Finds as one types: shows what the search page of the server finds. A copy of the site without a server has an empty search page; there
// the words are looked up in the titles and lines of /search/index.json.

const ROOT = new URL("..", import.meta.url).pathname; // of the site: / or, below another path, one like /almanac/
const FIRST = 8; // records that are shown at first
const PAUSE = 150; // ms after the last key

function make(name, text, attributes, ...children) {
  const e = Object.assign(document.createElement(name), attributes);
  e.append(text, ...children);
  return e;
}

// answerOf returns what a server answers, or says what failed.
async function answerOf(url) {
  const res = await fetch(url);
  if (res.ok) return res;
  const { title, code } = await res.json().catch(() => ({}));
  throw new Error(`${title ?? "The server answered"} (${code ? code + ", " : ""}${res.status}).`);
}

// parameters returns the parameters of the search page for so many results of a query.
const parameters = (query, n) => `?q=${encodeURIComponent(query)}${n > FIRST ? "&n=" + n : ""}`;

// search returns the status, the answer and the list of the search page of a query.
async function search(form, query, n) {
  const page = new DOMParser().parseFromString(await (await answerOf(ROOT + "search/" + parameters(query, n))).text(), "text/html");
  const found = [...page.getElementById("found").children].map((e) => document.adoptNode(e));
  if (found.length) return found;
  const records = await matches(form, query);
  const shown = records.slice(0, n);
  const more = n < records.length ? [make("li", "", { className: "more" }, make("a", "Show more", { href: ROOT + "search/" + parameters(query, 2 * n) }))] : [];
  const count = `${shown.length < records.length ? shown.length + " of " : ""}${records.length} result${records.length == 1 ? "" : "s"} for “${query}”.`;
  const status = make("p", shown.length ? count : `No results for “${query}”. Try fewer or different words.`);
  status.setAttribute("role", "status");
  return [status, list(shown, more)];
}

// matches returns the records of a copy that have most of the words of a query, those with more of them first, then shorter titles; words of titles count twice.
let names;
async function matches(form, query) {
  names ??= (await (await answerOf(form.dataset.find)).json()).records.map((r) => ({ ...r, head: r.title.toLowerCase(), rest: `${r.path} ${r.path.replace(/.*\/(?=.)/, "").replace(/\W/g, "")} ${r.line}`.toLowerCase() })); // a name with a number, written together
  const words = query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  const rated = names.map((r) => {
    const has = words.filter((w) => r.head.includes(w) || r.rest.includes(w)).length;
    return { r, has, score: has + words.filter((w) => r.head.includes(w)).length };
  });
  return rated.filter((x) => x.has && 2 * x.has >= words.length).sort((a, b) => b.score - a.score || a.r.title.length - b.r.title.length).map((x) => x.r);
}

function list(records, more = []) {
  const items = records.map((r) => make("li", "", {}, make("a", r.title, { href: ROOT + r.path.slice(1) }), make("span", r.line)));
  return make("ul", "", { className: "found" }, ...items, ...more);
}

// mount makes a form find as one types: in the list of the search page, or in one below the box.
function mount(form) {
  const input = form.querySelector("input");
  const page = document.getElementById("found");
  const out = page ?? make("div", "", { className: "drop", hidden: true });
  if (!page) {
    form.append(out);
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", false]]) input.setAttribute(name, value);
  }
  let status = out.querySelector("[role=status]"); // a live region stays, so that it is read
  if (!status) {
    out.append((status = make("p", "")));
    status.setAttribute("role", "status");
  }
  input.removeAttribute("maxlength");
  // A payment that is pasted goes to Explain: an address must not hold it, and the box would cut it.
  const payment = form.dataset.explain && new RegExp(form.dataset.payment, "i");
  const text = make("textarea", "", { name: "text", hidden: true });
  const explain = make("button", "Explain it", { type: "submit", className: "main", formAction: form.dataset.explain, formMethod: "post" });
  const offer = make("p", "This is a payment request or a credential, not a question. ", { className: "drop explains", hidden: true }, explain);
  offer.setAttribute("role", "status");
  const carry = (value) => {
    const isPayment = payment?.test(value);
    offer.hidden = !isPayment;
    isPayment ? form.append(text, offer) : text.remove();
    text.value = value;
    if (isPayment) close();
    return isPayment;
  };
  input.addEventListener("paste", (e) => {
    const pasted = e.clipboardData.getData("text");
    if (input.value || !carry(pasted)) return;
    e.preventDefault(); // the box has one line
    explain.focus();
  });
  let most = FIRST;
  let shown; // the parameters of the list that is shown

  const show = async () => {
    const query = input.value.trim().slice(0, 200);
    if (page) history.replaceState(null, "", query ? parameters(query, most) : location.pathname);
    const key = parameters(query, most);
    if (query && shown == key) return open(); // a list that stays keeps what is chosen in it
    let found = [];
    try {
      if (query) found = await search(form, query, most);
    } catch (err) {
      const reason = err instanceof TypeError ? (navigator.onLine ? "The server can’t be reached." : "You’re offline.") : err.message;
      found = [make("p", `The search failed. ${reason} Type or press Enter to try again.`)];
    }
    if (query != input.value.trim().slice(0, 200)) return; // typed meanwhile
    status.textContent = found.shift()?.textContent ?? "";
    while (status.nextSibling) status.nextSibling.remove();
    status.after(...found);
    shown = found.length ? key : null; // a failure is tried again
    ready();
    query ? open() : close();
  };
  // ready lets the list of the search page show more of itself, and makes the list below the box one of options.
  const ready = () => {
    if (!page) return makeOptions(out.querySelector("ul.found"));
    for (const a of out.querySelectorAll(".more a"))
      a.onclick = async (e) => {
        e.preventDefault();
        const before = out.querySelectorAll("ul.found a").length - 1;
        most = 2 * before;
        await show();
        out.querySelectorAll("ul.found a")[before]?.focus();
      };
  };
  // makeOptions makes a list of links the list of the combobox, which keeps the focus while the arrows choose.
  const makeOptions = (links) => {
    input.removeAttribute("aria-activedescendant");
    if (!links) return;
    links.id = "drop";
    links.setAttribute("role", "listbox");
    links.ariaLabel = "Records";
    links.querySelectorAll("a").forEach((a, i) => {
      a.parentNode.setAttribute("role", "none");
      a.setAttribute("role", "option");
      a.id = "drop-" + i;
      a.tabIndex = -1;
    });
    input.setAttribute("aria-controls", "drop");
  };
  const open = () => {
    if (page) return;
    out.hidden = false;
    input.setAttribute("aria-expanded", !!out.querySelector("ul.found > li"));
  };
  const close = () => {
    if (page) return;
    out.hidden = true;
    for (const o of out.querySelectorAll("[aria-selected=true]")) o.ariaSelected = false;
    input.setAttribute("aria-expanded", false);
    input.removeAttribute("aria-activedescendant");
  };

  let typing;
  input.addEventListener("input", () => {
    most = FIRST;
    clearTimeout(typing);
    if (!carry(input.value)) typing = setTimeout(show, PAUSE);
  });
  input.addEventListener("focus", () => !page && input.value.trim() && show());
  form.addEventListener("focusout", (e) => form.contains(e.relatedTarget) || close());
  form.addEventListener("submit", (e) => {
    if (e.submitter == explain) return;
    if (!offer.hidden) return e.preventDefault(), setTimeout(() => explain.click()); // not within this event
    const chosen = !page && !out.hidden && out.querySelector("[aria-selected=true]");
    if (!page && !chosen) return; // the search page shows what was typed
    e.preventDefault();
    clearTimeout(typing);
    chosen ? chosen.click() : show();
  });
  const choose = (e) => {
    const all = [...out.querySelectorAll("[role=option]")];
    const at = all.findIndex((o) => o.ariaSelected == "true");
    if (e.key == "Escape") {
      input.focus();
      close();
    } else if ((e.key == "ArrowDown" || e.key == "ArrowUp") && all.length) {
      open(); // after Escape
      const next = all[Math.max(-1, Math.min(at + (e.key == "ArrowDown" ? 1 : -1), all.length - 1))];
      for (const o of all) o.ariaSelected = o == next;
      if (next) input.setAttribute("aria-activedescendant", next.id), next.scrollIntoView({ block: "nearest" });
      else input.removeAttribute("aria-activedescendant");
    } else return;
    e.preventDefault();
  };
  const walk = (e) => {
    const stops = [input, ...out.querySelectorAll("ul.found a")];
    const at = stops.indexOf(document.activeElement);
    if (e.key == "Escape") input.focus();
    else if ((e.key == "ArrowDown" || e.key == "ArrowUp") && at >= 0) stops[at + (e.key == "ArrowDown" ? 1 : -1)]?.focus();
    else return;
    e.preventDefault();
  };
  form.addEventListener("keydown", page ? walk : choose);
  page?.addEventListener("keydown", walk);
  const asked = new URLSearchParams(location.search);
  if (page && !input.value) input.value = asked.get("q") ?? "";
  most = Math.max(most, page && asked.get("n"));
  if (!input.value) return;
  status.textContent ? ready() : show();
}

// suggest shows the records of a copy that the address of a page that does not exist may have meant.
async function suggest(form, out) {
  // What no source states about a protocol has a row on its page, to which a server leads.
  const [, page, field] = location.pathname.match(/^(.*\/protocols\/[^/]+\/)([a-z_]+)\/?$/) ?? [];
  if (page && (await (await fetch(page)).text()).includes(`<dt id="${field}"`)) return location.replace(page + "#" + field);
  const name = location.pathname.toLowerCase().replace(/\/(index\.html)?$/, "").replace(/^.*\//, "");
  const begins = (name.match(/[\p{L}\p{N}]{2,}/gu) ?? []).map((w) => new RegExp(`[^\\p{L}\\p{N}]${w}`, "u")); // "nope" is no part of "canopener"
  const near = (await matches(form, name)).filter((r) => begins.some((b) => b.test(` ${r.head} ${r.rest}`))).slice(0, 3);
  if (near.length) out.replaceChildren(make("p", "Perhaps one of these:"), list(near));
}

export { mount, suggest };
