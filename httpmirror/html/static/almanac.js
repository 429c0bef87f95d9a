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
