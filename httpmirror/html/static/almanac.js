// Finds as one types, makes long lists shorter and texts easier to copy. Every page is whole without it.

const box = document.querySelector("form.find");
if (box) {
  let started;
  const start = () => (started ??= import(box.dataset.script).then((m) => m.mount(box)));
  box.addEventListener("focusin", start);
  if (document.getElementById("found")) start();
  const near = document.getElementById("near");
  if (near && !near.childElementCount) import(box.dataset.script).then((m) => m.suggest(box, near));
  const buy = document.getElementById("buy");
  if (buy) import(buy.dataset.script).then((m) => m.mount(buy));
  // A key of one letter can be turned off (WCAG 2.2, 2.1.4).
  const off = "almanac.noShortcut";
  document.addEventListener("keydown", (e) => {
    if (e.key != "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select") || localStorage.getItem(off)) return;
    e.preventDefault();
    box.querySelector("input").focus();
  });
  const hint = document.querySelector(".hint");
  if (hint) {
    const label = document.createElement("label");
    const check = document.createElement("input");
    check.type = "checkbox";
    check.checked = !localStorage.getItem(off);
    check.addEventListener("change", () => (check.checked ? localStorage.removeItem(off) : localStorage.setItem(off, "1")));
    label.append(check, " The key / leads here from any page");
    hint.append(" ", label);
  }
}

for (const list of document.querySelectorAll("[data-filter]")) {
  const items = [...list.querySelectorAll("li")];
  if (items.length < 12) continue;
  const texts = items.map((li) => li.textContent.toLowerCase());
  const name = list.dataset.filter;
  const box = document.createElement("p");
  const label = document.createElement("label");
  const input = document.createElement("input");
  const count = document.createElement("output");
  box.className = "filter";
  input.type = "search";
  input.autocomplete = "off";
  label.append(`Filter these ${items.length} ${name} `, input);
  box.append(label, " ", count);
  list.before(box);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    items.forEach((li, i) => {
      li.hidden = !words.every((w) => texts[i].includes(w));
      shown += !li.hidden;
    });
    for (const part of list.querySelectorAll("section")) part.hidden = !part.querySelector("li:not([hidden])");
    count.textContent = words.length ? `${shown} of ${items.length}` : "";
  });
}

for (const text of document.querySelectorAll("code.all, pre.copy")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(text);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Selected"; // the browser keeps the clipboard to itself
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  text.after(button);
}

// The comparison of the protocols: the reader chooses columns and rows, and the address keeps the choice. A narrow screen
// shows two columns at a time.
const compare = document.querySelector("[data-compare]");
if (compare) {
  const columns = [...compare.querySelectorAll("thead [data-protocol]")].map((th) => ({ id: th.dataset.protocol, label: th.textContent.trim() }));
  const rows = [...compare.querySelectorAll("[data-row]")].map((tr) => ({ id: tr.dataset.row, label: tr.cells[0].textContent.trim(), tr }));
  const narrow = matchMedia("(max-width: 46rem)");
  const query = new URLSearchParams(location.search);
  const chosen = (name, all) => {
    const ids = (query.get(name) || "").split(",").filter((id) => all.some((x) => x.id === id));
    return new Set(ids.length ? ids : all.map((x) => x.id));
  };
  const state = { protocols: chosen("protocols", columns), rows: chosen("rows", rows) };
  const form = document.createElement("form");
  form.className = "picks";
  form.addEventListener("submit", (e) => e.preventDefault());
  const pairs = ["Left", "Right"].map((side) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.append(...columns.map((c) => new Option(c.label, c.id)));
    label.append(side + " ", select);
    label.className = "pair-of";
    form.append(label);
    return select;
  });
  const boxes = (legend, all, name) => {
    const set = document.createElement("details");
    const summary = document.createElement("summary");
    const group = document.createElement("fieldset");
    const title = document.createElement("legend");
    title.textContent = summary.textContent = legend;
    group.append(title);
    for (const x of all) {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.value = x.id;
      box.checked = state[name].has(x.id);
      box.addEventListener("change", () => {
        box.checked ? state[name].add(x.id) : state[name].delete(x.id);
        keep();
      });
      label.append(box, " " + x.label);
      group.append(label);
    }
    const every = document.createElement("button");
    every.type = "button";
    every.textContent = "All";
    every.addEventListener("click", () => {
      for (const x of all) state[name].add(x.id);
      for (const box of group.querySelectorAll("input")) box.checked = true;
      keep();
    });
    group.append(every);
    set.append(summary, group);
    form.append(set);
  };
  boxes("Protocols", columns, "protocols");
  boxes("Rows", rows, "rows");
  compare.before(form);
  for (const select of pairs) {
    select.addEventListener("change", () => {
      state.protocols = new Set(pairs.map((s) => s.value));
      keep();
    });
  }
  const keep = () => {
    for (const [name, all] of [["protocols", columns], ["rows", rows]]) {
      if (state[name].size === all.length || !state[name].size) query.delete(name);
      else query.set(name, all.filter((x) => state[name].has(x.id)).map((x) => x.id).join(","));
    }
    const search = query.toString().replaceAll("%2C", ",");
    history.replaceState(null, "", (search ? "?" + search : location.pathname) + location.hash);
    show();
  };
  const show = () => {
    let shown = columns.filter((c) => state.protocols.has(c.id) || !state.protocols.size).map((c) => c.id);
    if (narrow.matches) {
      shown = shown.slice(0, 2);
      pairs.forEach((select, i) => (select.value = shown[i] ?? shown[0]));
    }
    compare.toggleAttribute("data-pair", shown.length <= 2);
    for (const tr of compare.querySelectorAll("tr:not(.part)")) {
      columns.forEach((c, i) => (tr.cells[i + 1].hidden = !shown.includes(c.id)));
    }
    for (const row of rows) row.tr.hidden = state.rows.size > 0 && !state.rows.has(row.id);
    for (const body of compare.querySelectorAll("tbody")) body.hidden = !body.querySelector("[data-row]:not([hidden])");
    for (const card of document.querySelectorAll(".flows [data-protocol]")) card.hidden = !shown.includes(card.dataset.protocol);
  };
  narrow.addEventListener("change", show);
  show();
}

// The chooser: a select for each question, and what the answers together say of each protocol.
const chooser = document.querySelector("[data-chooser]");
if (chooser) {
  const query = new URLSearchParams(location.search);
  const words = { fits: "Fits", depends: "Depends", "does-not-fit": "Does not fit", unknown: "Sources do not say" };
  const order = ["does-not-fit", "unknown", "depends", "fits"];
  const wants = chooser.querySelector(".wants");
  const selects = [...document.querySelectorAll("[data-question]")].map((part) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    const id = part.dataset.question;
    select.name = id;
    select.append(new Option("It does not matter", ""));
    for (const a of part.querySelectorAll("[data-answer]")) select.append(new Option(a.querySelector("b").textContent, a.dataset.answer));
    if ([...select.options].some((o) => o.value === query.get(id))) select.value = query.get(id);
    label.append(part.querySelector("h3").textContent, select);
    wants.append(label);
    select.addEventListener("change", () => {
      select.value ? query.set(id, select.value) : query.delete(id);
      const search = query.toString();
      history.replaceState(null, "", search ? "?" + search : location.pathname);
      judge();
    });
    return { id, select, part };
  });
  const judge = () => {
    const answers = selects.filter((s) => s.select.value);
    const protocols = new Map();
    for (const { select, part } of answers) {
      for (const li of part.querySelectorAll(`[data-answer="${select.value}"] [data-protocol]`)) {
        const p = protocols.get(li.dataset.protocol) ?? { verdict: "fits", link: li.querySelector("a"), reasons: [] };
        if (order.indexOf(li.dataset.verdict) < order.indexOf(p.verdict)) p.verdict = li.dataset.verdict;
        p.reasons.push({ verdict: li.dataset.verdict, question: part.querySelector("h3").textContent, said: li.querySelector("span") });
        protocols.set(li.dataset.protocol, p);
      }
    }
    const place = chooser.querySelector(".verdicts");
    place.replaceChildren();
    const count = (v) => [...protocols.values()].filter((p) => p.verdict === v).length;
    chooser.querySelector(".judged").textContent = answers.length
      ? `${count("fits")} fit, ${count("depends")} depend, ${count("does-not-fit")} do not fit` + (count("unknown") ? `; the sources say too little of ${count("unknown")}.` : ".")
      : "Choose one answer or more.";
    for (const v of ["fits", "depends", "does-not-fit", "unknown"]) {
      const list = document.createElement("ul");
      for (const p of protocols.values()) {
        if (p.verdict !== v) continue;
        const li = document.createElement("li");
        const reasons = document.createElement("ul");
        li.append(p.link.cloneNode(true), reasons);
        for (const r of p.reasons) {
          const reason = document.createElement("li");
          const mark = document.createElement("b");
          mark.className = r.verdict;
          mark.textContent = words[r.verdict] + ": ";
          reason.append(mark, r.said ? r.said.cloneNode(true) : r.question);
          reasons.append(reason);
        }
        list.append(li);
      }
      if (!list.children.length) continue;
      const group = document.createElement("div");
      const title = document.createElement("h3");
      title.textContent = words[v];
      title.className = v;
      group.append(title, list);
      place.append(group);
    }
  };
  chooser.hidden = false;
  judge();
}
