// Finds records by what they are called: package index/find in the language of browsers, over /search/index.json. A test holds
// the two to one order.

// Words: folded, stemmed (Porter 2), and read by the rules of the index.

const special = { skis: "ski", skies: "sky", dying: "die", lying: "lie", tying: "tie", idly: "idl", gently: "gentl", ugly: "ugli", early: "earli", only: "onli", singly: "singl" };
const asIs = /^(sky|news|howe|atlas|cosmos|bias|andes)$/;
const asIsPlural = /^(inning|outing|canning|herring|earring|proceed|exceed|succeed)$/;
const table = (s) => s.split(" ").map((pair) => pair.split("="));
const step2 = table("ization=ize ational=ate fulness=ful ousness=ous iveness=ive tional=tion biliti=ble lessli=less entli=ent ation=ate alism=al aliti=al ousli=ous iviti=ive fulli=ful enci=ence anci=ance abli=able izer=ize ator=ate alli=al bli=ble ogi=og li=");
const step3 = table("ational=ate tional=tion alize=al icate=ic iciti=ic ative= ical=ic ness= ful=");
const step4 = table("ement= ance= ence= able= ible= ment= ant= ent= ism= ate= iti= ous= ive= ize= ion= al= er= ic=");

function stem(w) {
  if (w.length <= 3 || /[^a-z]/.test(w)) return w;
  w = w.replace(/^(.{3,}[dglmnrt])is(e|ed|er|ers|es|ing|able|ation|ations)$/, "$1iz$2");
  if (special[w]) return special[w];
  if (asIs.test(w)) return w;
  w = w.replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y");
  const after = (from) => {
    const at = w.slice(from).search(/[aeiouy][^aeiouy]/);
    return at < 0 ? w.length : from + at + 2;
  };
  const r1 = /^(gener|commun|arsen)/.exec(w)?.[0].length ?? after(0);
  const r2 = after(r1);
  const short = (s) => /[^aeiouy][aeiouy][^aeiouywxY]$/.test(s) || /^[aeiouy][^aeiouy]$/.test(s);
  // 1a
  if (/sses$/.test(w)) w = w.slice(0, -2);
  else if (/ie[ds]$/.test(w)) w = w.slice(0, w.length > 4 ? -2 : -1);
  else if (/s$/.test(w) && !/[us]s$/.test(w) && /[aeiouy].+s$/.test(w)) w = w.slice(0, -1);
  if (asIsPlural.test(w)) return w;
  // 1b
  let m;
  if ((m = /(eedly|eed)$/.exec(w))) {
    if (m.index >= r1) w = w.slice(0, m.index) + "ee";
  } else if ((m = /(ingly|edly|ing|ed)$/.exec(w)) && /[aeiouy]/.test(w.slice(0, m.index))) {
    w = w.slice(0, m.index);
    if (/(at|bl|iz)$/.test(w)) w += "e";
    else if (/(bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(w)) w = w.slice(0, -1);
    else if (r1 >= w.length && short(w)) w += "e";
  }
  // 1c
  w = w.replace(/^(.+[^aeiouy])[yY]$/, "$1i");
  // 2 and 3
  const replace = (rules, from, allow) => {
    for (const [suffix, by] of rules) {
      if (!w.endsWith(suffix)) continue;
      const at = w.length - suffix.length;
      if (at >= from && allow(suffix, w[at - 1], at)) w = w.slice(0, at) + by;
      return;
    }
  };
  replace(step2, r1, (s, before) => (s == "ogi" ? before == "l" : s == "li" ? /[cdeghkmnrt]/.test(before) : true));
  replace(step3, r1, (s, before, at) => s != "ative" || at >= r2);
  replace(step4, r2, (s, before) => s != "ion" || /[st]/.test(before));
  // 5
  const end = w.length - 1;
  if (w.endsWith("e") && (end >= r2 || (end >= r1 && !short(w.slice(0, -1))))) w = w.slice(0, -1);
  else if (w.endsWith("ll") && end >= r2) w = w.slice(0, -1);
  return w.replace(/Y/g, "y");
}

const isNumber = (s) => /^\p{Nd}+$/u.test(s);
const isJoin = (gap) => /^[-_.\u2011]$/.test(gap);
const seriesGap = /^( |-|_|\.|#| #|-#|\/|\u00a0|\u2011| no\. |: )$/;
const pronouns = new Set(["anything", "everything", "nothing", "anyone", "everyone", "stuff"]);

class Finder {
  constructor(doc) {
    const digit = {};
    [...doc.digits].forEach((c, i) => (digit[c] = i));
    const half = doc.digits.length >> 1;
    this.kinds = doc.kinds;
    this.records = doc.records;
    this.terms = [];
    this.postings = new Map(); // decoded when they are needed
    let term = "";
    for (const t of doc.terms.split(" ")) this.terms.push((term = term.slice(0, digit[t[0]]) + t.slice(1)));
    let at = 0;
    doc.postings.split(" ").forEach((list, i) => {
      const from = at;
      for (let j = 0; j < list.length; j++, at++) j += digit[list[j]] >= half;
      this.postings.set(this.terms[i], [list, from]);
    });
    this.decode = ([list, from]) => {
      const out = [];
      for (let j = 0, record = 0; j < list.length; j++) {
        let d = digit[list[j]];
        if (d >= half) d = half + (d - half) * doc.digits.length + digit[list[++j]];
        out.push([(record += d), digit[doc.weights[from++]]]);
      }
      return out;
    };
    const l = doc.language;
    this.stop = new Set(l.stop);
    this.filler = new Set(l.filler);
    this.never = new Set(l.never);
    this.series = l.series;
    this.spelling = l.spelling;
    this.weights = Object.fromEntries(Object.entries(l.weights).map(([name, w]) => [name, Math.fround(w)])); // as in the index: of 32 bits
    this.concepts = new Map();
    for (const [concept, first, ...rest] of l.concepts) {
      this.concepts.set(first, [...(this.concepts.get(first) ?? []), { concept, rest }]);
    }
    this.english = null; // a Set once it was needed
  }

  stem(w) {
    const s = stem(w);
    return Object.hasOwn(this.spelling, s) ? this.spelling[s] : s;
  }

  joinSeries(name, number) {
    if (!Object.hasOwn(this.series, name) || number.length > 6 || !isNumber(number)) return "";
    number = number.replace(/^0+/, "");
    return !number || (name.length == 1 && number != "402") ? "" : this.series[name] + number;
  }

  words(text) {
    const words = [];
    for (const m of text.matchAll(/[\p{L}\p{Nd}\p{Mn}](?:['’]?[\p{L}\p{Nd}\p{Mn}])*/gu)) {
      let s = m[0].normalize("NFKD").replace(/\p{Mn}/gu, "").replace(/’/g, "'").toLowerCase();
      const w = { start: m.index, end: m.index + m[0].length };
      const sign = /^[\x00-\x7f]$/.test(m[0]) ? (/^c(\+\+)/i.exec(text.slice(m.index)) ?? /^.(#)(?![\p{L}\p{Nd}\p{Mn}])/u.exec(text.slice(m.index))) : null;
      if (sign) { // C++, C#
        s += sign[1];
        w.end += sign[1].length;
      }
      if (s.includes("'") && this.stop.has(s)) {
        words.push({ ...w, text: s.replace(/'/g, ""), stem: s, stop: true, concepts: [] });
        continue;
      }
      s = s.replace(/'s$/, "").replace(/'/g, "").slice(0, 64);
      if (!s) continue;
      w.text = s;
      w.stem = this.stem(s);
      w.concepts = this.concepts.get(w.stem) ?? [];
      const isName = w.concepts.some((c) => !c.rest.length && !c.concept.startsWith("=="));
      w.stop = this.stop.has(s) && !(isName && m[0].toUpperCase() == m[0]);
      const series = /^([^\p{Nd}]+)(\p{Nd}+)$/u.exec(s);
      w.numbered = series ? this.joinSeries(series[1], series[2]) : "";
      words.push(w);
    }
    return words;
  }

  // The terms of words as [term, first word, last word].
  termsOf(words, text) {
    const terms = [];
    const gap = (i) => text.slice(words[i].end, words[i + 1].start);
    words.forEach((w, i) => {
      if (!w.stop) terms.push([w.stem, i, i]);
      if (w.numbered && w.numbered != w.stem) terms.push([w.numbered, i, i]);
      if (Object.hasOwn(this.series, w.text) && i + 1 < words.length && seriesGap.test(gap(i))) {
        const s = this.joinSeries(w.text, words[i + 1].text);
        if (s) terms.push([s, i, i + 1]);
      }
      let last = i;
      if (!(i > 0 && isJoin(gap(i - 1)))) while (last + 1 < words.length && last - i < 4 && isJoin(gap(last))) last++;
      const joined = words.slice(i, last + 1);
      if (last > i && !joined.every((x) => isNumber(x.text))) terms.push(["-" + this.stem(joined.map((x) => x.text).join("")), i, last]);
      for (const { concept, rest } of w.concepts) {
        const end = i + rest.length;
        if (end < words.length && rest.every((s, n) => words[i + 1 + n].stem == s) && !(w.stop && end == i)) terms.push([concept, i, end]);
      }
    });
    return terms;
  }

  addTerm(scores, term, weight) {
    const found = this.postings.get(term);
    if (!found) return;
    const list = this.decode(found);
    const rarity = Math.log1p(this.records.length / (list.length + 1));
    for (const [record, w] of list) {
      const s = (weight * rarity * w) / 4;
      if (s > (scores.get(record) ?? 0)) scores.set(record, s);
    }
  }

  match(terms, words, w) {
    const scores = new Map();
    for (const [t, first, last] of terms) {
      if (words[first].start > w.start || words[last].start < w.start) continue;
      if (t[0] == "=") this.addTerm(scores, t, this.weights[t[1] == "=" ? "one_way" : "concept"]);
      else {
        this.addTerm(scores, t[0] == "-" ? t.slice(1) : t, 1);
        this.addTerm(scores, t[0] == "-" ? t : "-" + t, this.weights.joined);
      }
    }
    if (w.stem.length < 3) return scores;
    let from = 0;
    for (let to = this.terms.length; from < to; ) {
      const mid = (from + to) >> 1;
      if (this.terms[mid] < w.stem) from = mid + 1;
      else to = mid;
    }
    for (const term of this.terms.slice(from, from + 50)) {
      if (!term.startsWith(w.stem)) break;
      this.addTerm(scores, term, 0.6);
    }
    return scores;
  }

  // The term that a word may be another form of; null when that takes the list of English words.
  read(w) {
    const s = w.stem;
    if (s.length < 4 || /[^\0-\x7f]/.test(s) || this.never.has(w.text)) return "";
    let other = "";
    for (let n = s.length - 1; !other && n >= Math.max(5, s.length - 6); n--) if (this.postings.has(s.slice(0, n))) other = s.slice(0, n);
    if (!other) {
      const [near] = nearest(s, this.terms.filter((t) => t[0] != "=" && t[0] != "-"), 1);
      const pair = near < w.text ? near + "=" + w.text : w.text + "=" + near;
      if (near && near.length + 1 >= s.length && !this.never.has(pair)) other = near;
    }
    if (!other) return "";
    if (!this.english) return null;
    return this.english.has(w.text) ? "" : other;
  }

  // Finds the best eight records. needsEnglish says that a word may be misspelt, which the list of English words decides.
  find(query) {
    const words = this.words(query).slice(0, 16);
    const terms = this.termsOf(words, query);
    const hits = new Map();
    const readAs = [];
    let needsEnglish = false;
    for (const w of words) {
      if (w.stop || this.filler.has(w.text) || pronouns.has(w.text)) continue;
      const scores = this.match(terms, words, w);
      if (!scores.size) {
        const other = this.read(w);
        needsEnglish ||= other === null;
        if (!other) continue;
        readAs.push(w.text + " as " + other);
        this.addTerm(scores, other, 0.6);
      }
      for (const [n, s] of scores) {
        const h = hits.get(n) ?? { n, words: 0, score: 0 };
        h.words++;
        h.score += s;
        hits.set(n, h);
      }
    }
    const found = [...hits.values()].map((h) => ({ ...this.record(h.n), ...h }));
    found.sort((a, b) => b.words - a.words || b.score - a.score || (a.id < b.id ? -1 : 1));
    return { found: found.slice(0, 8), readAs, needsEnglish };
  }

  record(n) {
    const [id, kind, title, line] = this.records[n];
    const k = this.kinds[kind];
    return { id: k.prefix + id, kind: k.kind, title, line, path: k.path.replace("{id}", id) };
  }

  // The records whose pages an address that does not exist may have meant.
  near(address) {
    if (address.length > 200) return [];
    const clean = address.toLowerCase().replace(/\/index\.html$/, "").replace(/\/+$/, "");
    const cut = clean.lastIndexOf("/") + 1;
    const name = clean.slice(cut).replace(/\.[^.]*$/, "");
    const section = clean.slice(0, cut);
    const all = this.records.map((_, n) => this.record(n));
    const slug = (r) => r.path.replace(/\/$/, "").replace(/.*\//, "");
    const near = [];
    for (const s of nearest(name, [...new Set(all.map(slug))], 3)) {
      const same = all.filter((r) => slug(r) == s);
      near.push(...same.filter((r) => r.path.startsWith(section)), ...same.filter((r) => !r.path.startsWith(section)));
    }
    near.push(...this.find(name.replace(/[-_.]/g, " ")).found);
    return near.filter((r, i) => near.findIndex((x) => x.id == r.id) == i).slice(0, 3);
  }
}

// The words nearest to s: those within a third of its length in edits, then those that contain it or that it contains.
function nearest(s, words, n) {
  s = s.trim().toLowerCase();
  if (!s || s.length > 160) return [];
  const limit = Math.max(1, Math.floor(s.length / 3));
  const found = [];
  for (const w of words) {
    const gap = Math.abs(w.length - s.length);
    const d = gap <= limit ? edits(s, w) : limit + 1;
    if (d <= limit) found.push([d, w]);
    else if (s.length >= 3 && w && (w.includes(s) || s.includes(w))) found.push([s.length + gap, w]);
  }
  found.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
  return found.slice(0, n).map((f) => f[1]);
}

// Insertions, deletions, replacements and swaps of neighbours.
function edits(a, b) {
  let before = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.length];
}

// The search box of a page.

// load returns the finder of the site; later calls return the same one.
let loaded;
const load = (form) => (loaded ??= fetch(form.dataset.find).then(async (r) => new Finder(await r.json())));

function make(name, text, attributes) {
  const e = document.createElement(name);
  e.textContent = text;
  return Object.assign(e, attributes);
}

// list returns records as a list of links.
function list(records) {
  const ul = make("ul", "", { className: "found" });
  for (const r of records) {
    const li = make("li", "");
    li.append(make("a", r.title, { href: r.path }), " ", make("small", r.kind == "entry" ? "source" : r.kind), make("span", r.line));
    ul.append(li);
  }
  return ul;
}

// mount makes a form find as one types: in the list of the search page, or in one below the box.
async function mount(form) {
  const input = form.querySelector("input");
  const page = document.getElementById("found");
  const out = page ?? make("div", "", { className: "drop", hidden: true });
  if (!page) form.append(out);
  const status = make("p", "");
  status.setAttribute("role", "status");
  const finder = await load(form);

  const show = async () => {
    const query = input.value.trim();
    if (page) history.replaceState(null, "", query ? "?q=" + encodeURIComponent(query) : location.pathname);
    if (!query) return out.replaceChildren(), close();
    let result = finder.find(query);
    if (result.needsEnglish) {
      draw(query, result);
      finder.english ??= new Set((await (await fetch(form.dataset.words)).text()).split("\n"));
      if (query != input.value.trim()) return;
      result = finder.find(query);
    }
    draw(query, result);
  };
  const draw = (query, { found, readAs }) => {
    const n = found.length;
    status.textContent = !n ? "Nothing is called so. Try fewer or other words." : `${n} record${n > 1 ? "s" : ""} for “${query}”.` + (readAs.length ? ` Read ${readAs.join(", ")}.` : "");
    const links = list(found);
    if (out.contains(status)) status.nextSibling.replaceWith(links); // the live region stays, so that it is read
    else out.replaceChildren(status, links);
    if (!page) out.hidden = false;
    document.dispatchEvent(new CustomEvent("find", { detail: query }));
  };
  const close = () => {
    if (!page) out.hidden = true;
  };

  input.addEventListener("input", show);
  input.addEventListener("focus", () => !page && input.value.trim() && show());
  form.addEventListener("focusout", (e) => form.contains(e.relatedTarget) || close());
  form.addEventListener("submit", (e) => {
    if (!page) return; // which shows what was typed
    e.preventDefault();
    show();
  });
  const move = (e) => {
    const stops = [input, ...out.querySelectorAll("a")];
    const at = stops.indexOf(document.activeElement);
    if (e.key == "Escape") {
      if (at > 0) input.focus();
      close();
    } else if ((e.key == "ArrowDown" || e.key == "ArrowUp") && at >= 0) {
      stops[at + (e.key == "ArrowDown" ? 1 : -1)]?.focus();
    } else return;
    e.preventDefault();
  };
  form.addEventListener("keydown", move);
  if (page) page.addEventListener("keydown", move);
  if (page && !input.value) input.value = new URLSearchParams(location.search).get("q") ?? "";
  if (input.value) show();
}

// suggest shows the records that the address of a page that does not exist may have meant.
async function suggest(form, out) {
  const near = (await load(form)).near(location.pathname);
  if (near.length) out.replaceChildren(make("p", "Perhaps one of these:"), list(near));
}

export { Finder, mount, suggest };
