// Finds as one types, makes long lists shorter and texts easier to copy. Every page is whole without it.

// stored returns a value of the browser's storage, which may refuse it.
function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

// The path of the site: / or, below another path, one like /almanac/.
const root = new URL("..", document.currentScript.src).pathname;

// What the search page stored of a purchase. Nothing is asked of the server.
const balance = stored(`almanac${root.slice(0, -1)}.balance`);
if (balance && Date.parse(balance.until) > Date.now())
  document.querySelector(".mast nav").before(Object.assign(document.createElement("a"), { className: "balance", href: root + "search/#buy", textContent: balance.text }));

const box = document.querySelector("form.find");
if (box) {
  let started;
  const start = () => (started ??= import(box.dataset.script).then((m) => m.mount(box)).catch(() => (started = null)));
  box.addEventListener("focusin", start);
  if (document.getElementById("found")) start();
  const near = document.getElementById("near");
  if (near && !near.querySelector(".found")) import(box.dataset.script).then((m) => m.suggest(box, near));
  const buy = document.getElementById("buy");
  if (buy)
    import(buy.dataset.script).then((m) => m.mount(buy)).catch(() => buy.querySelector(".purchase").append("The script that sells did not load. Reload the page; what you bought is still in this browser."));
  // A key of one letter can be turned off (WCAG 2.2, 2.1.4).
  const off = "almanac.noShortcut";
  let silent = !!stored(off);
  document.addEventListener("keydown", (e) => {
    if (e.key != "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select") || silent) return;
    e.preventDefault();
    box.querySelector("input").focus();
  });
  const settings = document.querySelector("#found ~ section:last-of-type");
  if (settings) {
    const label = Object.assign(document.createElement("label"), { className: "shortcut" });
    const check = document.createElement("input");
    check.type = "checkbox";
    check.checked = !silent;
    check.addEventListener("change", () => {
      silent = !check.checked;
      try {
        check.checked ? localStorage.removeItem(off) : localStorage.setItem(off, "1");
      } catch {} // it lasts as long as the page
    });
    label.append(check, " Press / on any page to search");
    settings.append(label);
  }
}

const filter = document.querySelector(".filter");
if (filter) {
  const list = document.querySelector("[data-filter]");
  const items = [...list.querySelectorAll("li")];
  const texts = items.map((li) => li.textContent.toLowerCase());
  const input = filter.querySelector("input");
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    items.forEach((li, i) => {
      li.hidden = !words.every((w) => texts[i].includes(w));
      shown += !li.hidden;
    });
    for (const part of list.querySelectorAll("section, details")) {
      part.hidden = !part.querySelector("li:not([hidden])");
      if (words.length) part.open = true;
    }
    filter.querySelector("output").textContent = words.length ? `${shown} of ${items.length}` : "";
  };
  input.addEventListener("input", show);
  filter.addEventListener("submit", (e) => (e.preventDefault(), show()));
}

// copying gives a text a button that copies it.
function copying(text) {
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
  if (text.tagName == "PRE") { // in its corner
    const block = document.createElement("div");
    block.className = "block";
    text.replaceWith(block);
    block.append(text, button);
  } else text.after(button);
}
document.querySelectorAll("code.all, pre.copy").forEach(copying);

document.addEventListener("click", (e) => {
  const statement = e.target.closest(".citing");
  if (!statement || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  import(document.querySelector(".cite").dataset.script).then((m) => m.cite(statement, copying)).catch(() => (location.href = statement.href));
});
