// cite shows how a statement is cited: as its page is, at its own address, with its words and their source.
export function cite(a, copying) {
  const [page, text, bib] = [...document.querySelectorAll(".cite code")].map((c) => c.textContent);
  const { cite: says, source, day } = a.dataset;
  const href = a.getAttribute("href");
  const own = new URL(href, page).href;
  const name = href.replace(/^.*?([^/#]+)\/?$/, "$1");
  const from = source && !text.includes(source) ? `${source}, read ${day}` : "";
  const tex = says.replace(/[\\{}%&$#_~^]/g, (c) => (c == "\\" ? "\\textbackslash{}" : "~^".includes(c) ? `\\${c}{}` : "\\" + c));
  const note = `note = {“${tex}”${from && `, from \\url{${source}}, read ${day}`}, \\url{${own}}`;
  const at = (whole) => whole.replaceAll(page, own);
  const item = at(bib).replace(",", `-${name},`);
  const forms = [own, `“${says}” ${at(text)}${from && ". Source: " + from}`, /note = \{/.test(item) ? item.replace("note = {", () => note + ". ") : item.replace(/\n\}$/, () => `,\n  ${note}}\n}`)];
  const list = document.querySelector(".cite dl").cloneNode(true);
  list.querySelectorAll("code").forEach((c, i) => (c.textContent = forms[i]));
  list.querySelectorAll("button").forEach((b) => b.remove());
  const d = document.createElement("dialog");
  const close = Object.assign(document.createElement("button"), { type: "button", textContent: "Close", onclick: () => d.close() });
  d.ariaLabel = a.ariaLabel;
  d.className = "cite";
  d.append(Object.assign(document.createElement("h2"), { textContent: "Cite" }), list, close);
  d.onclose = () => d.remove();
  document.body.append(d);
  list.querySelectorAll("pre").forEach(copying);
  d.showModal();
}
