// The comparison of the protocols: the reader picks up to four, and the address keeps them.
const make = (name, attributes, ...children) => {
  const e = Object.assign(document.createElement(name), attributes);
  e.append(...children);
  return e;
};
const matrix = document.querySelector("[data-compare]");
if (matrix) {
  const narrow = matchMedia("(max-width: 46rem)");
  const columns = [...matrix.querySelectorAll("thead [data-protocol]")].map((th) => th.dataset.protocol);
  const rows = [...matrix.querySelectorAll("[data-row]")];
  const query = new URLSearchParams(location.search);
  const asked = query.getAll("protocols").join().split(",").filter((id) => columns.includes(id));
  const fields = (query.get("rows") ?? "").split(",").filter(Boolean);
  let picked = [...new Set(asked)].slice(0, 4);
  const boxes = [...document.querySelectorAll("[data-pick]")].map((tr) => {
    const box = make("input", { type: "checkbox", value: tr.dataset.pick, ariaLabel: `Compare ${tr.cells[0].textContent.trim()}` });
    // A fifth takes the place of the first.
    box.addEventListener("change", () => pick(box.checked ? [...picked, box.value].slice(-4) : picked.filter((id) => id !== box.value)));
    tr.cells[0].prepend(box);
    return box;
  });
  const pick = (ids) => {
    picked = ids;
    picked.length ? query.set("protocols", picked.join()) : query.delete("protocols");
    const search = query.toString().replaceAll("%2C", ",");
    history.replaceState(null, "", (search ? "?" + search : location.pathname) + location.hash);
    show();
  };
  const differing = make("input", { type: "checkbox", onchange: () => show() });
  const count = make("output");
  matrix.before(make("label", { className: "only" }, differing, "Only differences", count));
  // What was picked stays in sight, with the way to the comparison and its address.
  const names = make("b");
  const share = make("button", { type: "button", textContent: "Copy link" });
  share.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href).then(() => (share.textContent = "Copied"), () => (share.textContent = "The address bar has it"));
    setTimeout(() => (share.textContent = "Copy link"), 1500);
  });
  const clear = make("button", { type: "button", textContent: "Clear" });
  clear.addEventListener("click", () => (pick([]), boxes[0].focus()));
  const bar = make("p", { className: "picked" }, names, make("a", { href: "#matrix", textContent: "Compare" }), share, clear);
  document.querySelector("main").append(bar);
  const nameOf = (id) => matrix.querySelector(`thead [data-protocol="${id}"]`).textContent.trim();
  // An answer of the first table opens below its row, with the words of the second.
  for (const link of document.querySelectorAll(".glance td a")) {
    const row = link.closest("tr");
    const head = link.closest("table").tHead.rows[0].cells[link.closest("td").cellIndex];
    const field = head.dataset.field;
    link.setAttribute("aria-label", `${row.cells[0].textContent.trim()}, ${head.textContent.trim()}: ${link.textContent}`);
    const cell = matrix.querySelector(`[data-row="${field}"]`)?.cells[columns.indexOf(row.dataset.pick) + 1];
    if (!cell?.querySelector("details")) continue;
    link.setAttribute("aria-expanded", false);
    link.addEventListener("click", (e) => {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      const old = row.nextElementSibling?.matches(".opened") ? row.nextElementSibling : null;
      const same = old?.dataset.field == field;
      for (const a of row.querySelectorAll("[aria-expanded=true]")) a.setAttribute("aria-expanded", false);
      old?.remove();
      if (same) return;
      const opened = row.parentNode.insertRow(row.sectionRowIndex + 1);
      opened.className = "opened";
      opened.dataset.field = field;
      const details = cell.querySelector("details").cloneNode(true);
      opened.append(make("td", { colSpan: row.cells.length },
        make("b", { textContent: matrix.querySelector(`[data-row="${field}"] th`).textContent + ": " }),
        sentence((details.querySelector("p") ?? details.querySelector("summary")).textContent), ...[...details.childNodes].slice(1).filter((n) => n.nodeName != "P"), ". ",
        make("a", { href: link.href, textContent: "Quote and history" })));
      link.setAttribute("aria-expanded", true);
    });
  }
  const sentence = (text) => text[0].toUpperCase() + text.slice(1) + ". ";
  const said = (cell) => (cell.querySelector("summary, .none") ?? cell).textContent;
  const show = () => {
    const chosen = picked.length ? picked : matrix.dataset.shown.split(",");
    const shown = columns.filter((id) => chosen.slice(0, narrow.matches ? 3 : 4).includes(id));
    matrix.dataset.columns = shown.length;
    for (const box of boxes) box.checked = picked.includes(box.value);
    for (const tr of matrix.querySelectorAll("tr:not(.part)")) {
      columns.forEach((id, i) => (tr.cells[i + 1].hidden = !shown.includes(id)));
    }
    for (const part of matrix.querySelectorAll(".part th")) part.colSpan = shown.length + 1;
    let same = 0;
    for (const tr of rows) {
      const alike = new Set([...tr.cells].slice(1).filter((c) => !c.hidden).map(said)).size === 1 && shown.length > 1;
      same += alike;
      tr.classList.toggle("same", alike);
      tr.hidden = (alike && differing.checked) || (fields.length > 0 && !fields.includes(tr.dataset.row));
    }
    bar.hidden = !picked.length;
    names.textContent = picked.map(nameOf).join(", ");
    count.textContent = ` ${rows.length - same} of ${rows.length}`;
    for (const body of matrix.querySelectorAll("tbody:not(.brief)")) body.hidden = !body.querySelector("[data-row]:not([hidden])");
    for (const card of document.querySelectorAll(".flows [data-protocol]")) card.hidden = !shown.includes(card.dataset.protocol);
  };
  narrow.addEventListener("change", show);
  show();
}

// The chooser: a select for each question, and what the answers together say of each protocol.
const chooser = document.querySelector("[data-chooser]");
if (chooser) {
  const query = new URLSearchParams(location.search);
  const titles = { fits: "Match", depends: "Partly match", unknown: "Not stated", "does-not-fit": "Don't match" };
  const words = { fits: "yes", depends: "partly", unknown: "not stated", "does-not-fit": "no" };
  const order = ["does-not-fit", "unknown", "depends", "fits"];
  const wants = chooser.querySelector(".wants");
  const selects = [...document.querySelectorAll("[data-question]")].map((part) => {
    const id = part.dataset.question;
    const answers = [...part.querySelectorAll("[data-answer]")].map((a) => new Option(a.querySelector("b").textContent, a.dataset.answer));
    const select = make("select", { name: id }, new Option("It does not matter", ""), ...answers);
    if ([...select.options].some((o) => o.value === query.get(id))) select.value = query.get(id);
    wants.append(make("label", {}, part.querySelector("h3").textContent, select));
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
      const answer = part.querySelector(`[data-answer="${select.value}"]`);
      for (const li of answer.querySelectorAll("[data-protocol]")) {
        const p = protocols.get(li.dataset.protocol) ?? { verdict: "fits", link: li.querySelector("a"), reasons: [] };
        if (order.indexOf(li.dataset.verdict) < order.indexOf(p.verdict)) p.verdict = li.dataset.verdict;
        p.reasons.push({ verdict: li.dataset.verdict, question: answer.dataset.asks, said: li.querySelector("span") });
        protocols.set(li.dataset.protocol, p);
      }
    }
    const place = chooser.querySelector(".verdicts");
    place.replaceChildren();
    const having = (v) => [...protocols].filter(([, p]) => p.verdict === v);
    chooser.querySelector(".judged").textContent = answers.length
      ? Object.keys(titles).filter((v) => having(v).length).map((v) => `${having(v).length} ${titles[v].toLowerCase()}`).join(" · ")
      : "Choose one answer or more.";
    for (const [v, title] of Object.entries(titles)) {
      const found = having(v);
      if (!found.length) continue;
      const reason = (r) => make("li", {}, r.question + " ", make("b", { className: "v " + r.verdict, textContent: words[r.verdict] }),
        ...(r.said ? [": ", r.said.cloneNode(true)] : []));
      const list = found.map(([, p]) => make("li", {}, p.link.cloneNode(true), make("ul", {}, ...p.reasons.map(reason))));
      const folded = v === "does-not-fit" || v === "unknown";
      const heading = make(folded ? "summary" : "h3", { textContent: `${title} (${found.length})` });
      const group = make(folded ? "details" : "div", { className: v }, heading, make("ul", {}, ...list));
      const href = "../compare/?protocols=" + found.slice(0, 4).map(([id]) => id).join();
      if (v === "fits" && found.length > 1) group.append(make("a", { href, textContent: "Compare these" }));
      place.append(group);
    }
  };
  chooser.hidden = false;
  judge();
}
