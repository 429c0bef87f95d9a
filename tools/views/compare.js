// Compares the protocols of get_protocol_facts in a table with its sources.
const reasons = { not_stated: "Not stated", not_collected: "Not read for this protocol" };
const label = (field) => (field[0].toUpperCase() + field.slice(1)).replaceAll("_", " ");

function valueOf(v) {
  if (Array.isArray(v)) return make("ul", "", {}, ...v.map((item) => make("li", "", {}, valueOf(item))));
  if (v && typeof v == "object") v = Object.values(v).filter((part) => part != null).map((part) => (typeof part == "object" ? JSON.stringify(part) : part)).join(", ");
  return /^https?:\S+$/.test(v) ? link(v, v) : String(v);
}

// fact returns a cell. A number after the value is that of its source.
function fact(f, sources) {
  if (!f) return make("td");
  if (f.value === null) return make("td", reasons[f.reason] ?? f.reason, { className: "soft" });
  const cell = make("td", "", {}, valueOf(f.value));
  const source = sources.find(({ n }) => n == f.source);
  if (source) {
    const a = link(String(source.n), source.url);
    a.setAttribute("aria-label", `Source ${source.n}`);
    cell.append(" ", make("sup", "", {}, a));
  }
  if (f.classes?.length) cell.append(make("p", f.classes.join(", "), { className: "soft" }));
  if (f.quote) cell.append(make("blockquote", f.quote));
  if (f.readings?.length) cell.append(valueOf(f.readings));
  return cell;
}

function draw(result) {
  const d = documentOf(result);
  if (!d?.protocols) return main.replaceChildren(make("h1", "Payment protocols"), textOf(result));
  const fields = [...new Set(d.protocols.flatMap(Object.keys))].filter((name) => !["id", "name", "not_stated"].includes(name));
  const cellOf = (p, name) => fact(p.not_stated?.includes(name) ? { value: null, reason: "not_stated" } : p[name], d.sources);
  const head = (...names) => make("thead", "", {}, make("tr", "", {}, ...names.map((name) => make("th", name, { scope: "col" }))));
  const row = (name, cells) => make("tr", "", {}, make("th", name, { scope: "row" }), ...cells);
  const table = make("table", "", {}, make("caption", "A number leads to the source of the value."));
  if (d.protocols.length > fields.length)
    table.append(head("Protocol", ...fields.map(label)), make("tbody", "", {}, ...d.protocols.map((p) => row(p.name, fields.map((name) => cellOf(p, name))))));
  else
    table.append(head("", ...d.protocols.map((p) => p.name)), make("tbody", "", {}, ...fields.map((name) => row(label(name), d.protocols.map((p) => cellOf(p, name))))));
  table.querySelector("thead th:empty")?.replaceWith(make("td"));
  const scroll = make("div", "", { className: "scroll", tabIndex: 0 }, table);
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Comparison");
  const parts = [make("h1", "Payment protocols compared"), scroll];
  if (d.omitted?.length) parts.push(make("p", `Left out to keep the answer small: ${d.omitted.join(", ")}.`));
  if (d.sources.length)
    parts.push(make("h2", "Sources"), make("ol", "", {}, ...d.sources.map((s) => make("li", "", { value: s.n }, link(s.url, s.url), `, read on ${s.verified_at}`))));
  if (d.note) parts.push(make("p", d.note, { className: "soft" }));
  main.replaceChildren(...parts);
}

start(draw);
