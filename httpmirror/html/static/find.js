// Finds records by their names: Index.Find of package index in the language of browsers, over /search/index.json. A test holds the two to
// one order.

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
const hasDigit = (s) => /[0-9]/.test(s);
const isJoin = (gap) => /^[-_.\u2011]$/.test(gap);
const seriesGap = /^( |-|_|\.|#| #|-#|\/|\u00a0|\u2011| no\. |: )$/;
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/gu;
const f32 = Math.fround; // scores have 32 bits in the index

// Those of package index.
const weights = { concept: f32(0.95), oneWay: f32(0.8), joined: f32(0.9), prefix: f32(0.7), correction: f32(0.7), filler: f32(0.3), asking: f32(0.8), longer: f32(0.4) };
const step = f32(0.1);
const pinnedScore = 1000, nameBonus = 2.5, aboutBonus = 5, rareWord = 2, maxTerms = 16, maxCompletions = 24, maxFound = 8, maxMore = 200;

class Finder {
  constructor(doc) {
    const digit = {};
    [...doc.digits].forEach((c, i) => (digit[c] = i));
    const base = doc.digits.length;
    const half = base >> 1;
    this.fields = doc.fields;
    this.records = doc.records.map(([id, kind, title, line, ...facts], n) => {
      const k = doc.kinds[kind];
      const order = digit[doc.order[2 * n]] * base + digit[doc.order[2 * n + 1]];
      return { n, order, isPage: order >= doc.pages, name: id, id: k.prefix + id, kind: k.kind, title, line, facts, path: k.path.replace("{id}", id.replace(/#.*/, "")) + (/#.*/.exec(id) ?? "") };
    });
    this.terms = [];
    this.postings = new Map(); // decoded when they are needed
    let term = "";
    for (const t of doc.terms.split(" ")) this.terms.push((term = term.slice(0, digit[t[0]]) + t.slice(1)));
    this.names = this.terms.filter((t) => !"=-@".includes(t[0]));
    const numbers = (list) => {
      const out = [];
      for (let j = 0, record = 0; j < list.length; j++) {
        let d = digit[list[j]];
        if (d >= half) d = half + (d - half) * base + digit[list[++j]];
        out.push((record += d));
      }
      return out;
    };
    let at = 0;
    doc.postings.split(" ").forEach((list, i) => {
      const from = at;
      for (let j = 0; j < list.length; j++, at++) j += digit[list[j]] >= half;
      this.postings.set(this.terms[i], [list, from]);
    });
    this.decode = ([list, from]) => numbers(list).map((n, i) => [n, f32(digit[doc.weights[from + i]] * step)]);
    this.tells = new Map(Object.entries(doc.tells).map(([topic, list]) => [topic, numbers(list)]));
    this.named = new Map();
    for (const r of this.records) for (const name of new Set([r.name, r.id])) this.named.set(name, [...(this.named.get(name) ?? []), r]);
    const l = doc.language;
    this.stop = new Set(l.stop);
    this.filler = new Set(l.filler);
    this.never = new Set(l.never);
    this.series = l.series;
    this.spelling = l.spelling;
    this.foreign = l.english;
    this.asks = Object.entries(l.asks).map(([phrase, topics]) => [phrase.split(" "), topics.split(" ")]);
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
    if (!Object.hasOwn(this.series, name) || number.length > 12 || !isNumber(number)) return "";
    number = number.replace(/^0+/, "");
    const as = this.series[name];
    const joined = as.replace(/[0-9]+$/, "") + number;
    return !number || (hasDigit(as) && joined != as) ? "" : joined;
  }

  // The word of a folded text; original is how it is written.
  word(s, original, span) {
    const w = { ...span, text: s, stem: this.stem(s) };
    w.concepts = this.concepts.get(w.stem) ?? [];
    const isName = w.concepts.some((c) => !c.rest.length && !c.concept.startsWith("=="));
    w.stop = this.stop.has(s) && !(isName && original.toUpperCase() == original);
    const series = /^([^\p{Nd}]+)(\p{Nd}+)$/u.exec(s);
    w.numbered = series ? this.joinSeries(series[1], series[2]) : "";
    return w;
  }

  words(text) {
    const words = [];
    const letter = "[\\p{L}\\p{Nd}\\p{Mn}\\u00ad\\u200b-\\u200d\\u2060\\ufeff]";
    for (const m of text.matchAll(new RegExp(`${letter}(?:['’]?${letter})*`, "gu"))) {
      let s = m[0].normalize("NFKD").replace(/\p{Mn}/gu, "").replace(invisible, "").replace(/’/g, "'").toLowerCase();
      const span = { start: m.index, end: m.index + m[0].length };
      const sign = m[0].length == 1 && m[0] < "\x80" ? (/^c(\+\+)/i.exec(text.slice(m.index)) ?? /^.(#)(?![\p{L}\p{Nd}\p{Mn}])/u.exec(text.slice(m.index))) : null;
      if (sign) { // C++, C#
        s += sign[1];
        span.end += sign[1].length;
      }
      if (s.includes("'") && this.stop.has(s)) {
        words.push({ ...span, text: s.replace(/'/g, ""), stem: s, stop: true, concepts: [], numbered: "" });
        continue;
      }
      s = s.replace(/^[dl]'(?=.)/, "").replace(/'s$/, "").replace(/'/g, "").slice(0, 64);
      if (s) words.push(this.word(s, text.slice(span.start, span.end), span));
    }
    // English words in the place of those of other languages.
    return words.map((w) => {
      const to = Object.hasOwn(this.foreign, w.text) ? this.foreign[w.text] : "";
      return to && !this.has(this.stem(w.text)) ? this.word(to, "a", { start: w.start, end: w.end }) : w;
    });
  }

  has(term) {
    return this.postings.has(term);
  }

  // The terms of words. Extra ones are not words of the text themselves.
  termsOf(words, text) {
    const terms = [];
    const gap = (i) => text.slice(words[i].end, words[i + 1].start);
    words.forEach((w, i) => {
      if (!w.stop) terms.push({ t: w.stem, first: i, last: i });
      if (w.numbered && w.numbered != w.stem) terms.push({ t: w.numbered, first: i, last: i, extra: true });
      if (Object.hasOwn(this.series, w.text) && i + 1 < words.length && seriesGap.test(gap(i))) {
        const s = this.joinSeries(w.text, words[i + 1].text);
        if (s) terms.push({ t: s, first: i, last: i + 1, extra: true, numbered: true });
      }
      let last = i;
      if (!(i > 0 && isJoin(gap(i - 1)))) while (last + 1 < words.length && last - i < 4 && isJoin(gap(last))) last++;
      const joined = words.slice(i, last + 1);
      if (last > i && !joined.every((x) => isNumber(x.text))) terms.push({ t: "-" + this.stem(joined.map((x) => x.text).join("")), first: i, last, extra: true });
      for (const { concept, rest } of w.concepts) {
        const end = i + rest.length;
        if (end < words.length && rest.every((s, n) => words[i + 1 + n].stem == s) && !(w.stop && end == i)) terms.push({ t: concept, first: i, last: end, extra: true });
      }
    });
    return terms;
  }

  // The parts of a word that is evidently written together, PaymentRequest; null: it is one.
  compound(w) {
    if (/^[a-z]*$/.test(w) || w.startsWith("0x")) return null;
    const parts = [];
    let part = "", last = "";
    for (const c of w) {
      let cut = (/\p{Ll}/u.test(last) && /\p{Lu}/u.test(c)) || (/[0-9]/.test(last) && /\p{L}/u.test(c));
      if (/[0-9]/.test(c) && /\p{L}/u.test(last)) cut = !this.isFamily(part.toLowerCase());
      if (cut) {
        parts.push(part);
        part = "";
      }
      part += c;
      last = c;
    }
    return parts.length && parts.length < 4 ? [...parts, part] : null;
  }

  splitCompounds(text, words, terms) {
    let out = "", at = 0;
    words.forEach((w, i) => {
      const parts = this.compound(text.slice(w.start, w.end));
      if (!parts || terms.some((t) => t.first == i && t.last == i && variants(t.t).some(([v]) => this.has(v)))) return;
      out += text.slice(at, w.start) + parts.join(" ");
      at = w.end;
    });
    return out + text.slice(at);
  }

  // The parts of a query that are looked up: names of several words, then each word.
  parts(words, terms, text) {
    const long = [], single = [];
    const like = (list, t) => list.find((p) => p.first == t.first && p.last == t.last);
    const part = (t) => ({ variants: variants(t.t), first: t.first, last: t.last, count: 1, numbered: t.numbered });
    for (const t of terms) {
      const list = t.first < t.last ? long : single;
      const same = t.extra || t.first < t.last ? like(list, t) : list.find((p) => p.variants[0][0] == t.t);
      if (!same) {
        if (list == long || !t.extra) list.push(part(t));
      } else if (t.extra || list == long) same.variants.push(...variants(t.t));
      else same.count++;
    }
    for (let i = 0; i + 1 < words.length; i++) {
      const [a, b] = [words[i], words[i + 1]];
      if (a.stop || b.stop || text.slice(a.end, b.start) != " " || like(long, { first: i, last: i + 1 })) continue;
      if (!this.from(a.text + b.text.slice(0, 2), 1).length) continue;
      const joined = this.stem(a.text + b.text);
      if (this.has(joined)) long.push({ variants: [[joined, 1]], first: i, last: i + 1, count: 1 });
    }
    return [...long, ...single].slice(0, maxTerms);
  }

  // The first names that begin with a prefix.
  from(prefix, most) {
    let low = 0;
    for (let high = this.names.length; low < high; ) {
      const mid = (low + high) >> 1;
      if (this.names[mid] < prefix) low = mid + 1;
      else high = mid;
    }
    const found = [];
    for (; found.length < most && this.names[low]?.startsWith(prefix); low++) found.push(this.names[low]);
    return found;
  }

  // Whether names are written with a number after these letters.
  isFamily(letters) {
    return Object.hasOwn(this.series, letters) || this.from(letters, Infinity).some((t) => t.length > letters.length && /^[0-9]+$/.test(t.slice(letters.length)));
  }

  mayMean(word, other) {
    return !this.never.has(word + "=" + other) && !this.never.has(other + "=" + word);
  }

  completions(word) {
    if ([...word].length < 2) return [];
    return this.from(word, Infinity).filter((t) => this.mayMean(word, t)).slice(0, maxCompletions);
  }

  // Whether a word is spelt correctly. Until the list of English words is there, no word is, and the search is repeated.
  isCorrect(word) {
    if (this.never.has(word)) return true;
    if (!this.english && word.length >= 5) this.needsEnglish = true;
    return this.english?.has(word) ?? false;
  }

  // The names of which a word may be an unfinished form, or else a misspelling.
  namesNear(w) {
    if (w.text.length < 5 || hasDigit(w.text) || this.isCorrect(w.text)) return [];
    for (let n = w.stem.length - 1; n >= Math.max(5, w.stem.length - 6); n--) if (this.has(w.stem.slice(0, n))) return [w.stem.slice(0, n)];
    let found = [];
    for (let edits = 1; edits <= 2 && !found.length && (edits == 1 || w.text.length >= 8); edits++) {
      found = this.names.filter((t) => (edits == 1 || t[0] == w.stem[0]) && !hasDigit(t) && withinEdits(w.stem, t, edits) && this.mayMean(w.text, t));
    }
    return found;
  }

  // The records that have any of the variants of a term, with the score of the best.
  list(variants) {
    const scores = new Map();
    for (const [term, weight] of variants) {
      const found = this.postings.get(term);
      for (const [n, frequency] of found ? this.decode(found) : []) scores.set(n, Math.max(scores.get(n) ?? 0, f32(weight * frequency)));
    }
    const rarity = this.rarity(scores.size);
    for (const [n, s] of scores) scores.set(n, f32(s * rarity));
    return { scores, rarity };
  }

  rarity(count) {
    return f32(Math.log(1 + (this.records.length - count + 0.5) / (count + 0.5)));
  }

  // Finds the best records, and their total. If a query has words that no record has together with the others, the others
  // find records. needsEnglish says that the list of English words is needed.
  find(query, most = maxFound) {
    const result = this.findAll(query, most), { unknown } = result;
    if (result.total || !unknown.length) return result;
    const others = query.trim().split(/\s+/).filter((field) => !unknown.some((w) => field.toLowerCase().includes(w.toLowerCase())));
    const { needsEnglish } = result;
    const found = this.findAll(others.join(" "), most);
    return { ...found, unknown, needsEnglish: needsEnglish || found.needsEnglish };
  }

  // find for all words of a query together.
  findAll(query, most) {
    this.needsEnglish = false;
    let text = query;
    let words = this.words(text);
    let terms = this.termsOf(words, text);
    const split = this.splitCompounds(text, words, terms);
    if (split != text) {
      text = split;
      words = this.words(text);
      terms = this.termsOf(words, text);
    }
    const parts = this.parts(words, terms, text);
    const q = { words: [], rarities: [], distant: 0, clauses: [] };
    const bits = words.map(() => 0), inName = [], found = [];
    for (const { first, last } of parts) {
      const w = words[first];
      if (first < last || this.filler.has(w.text)) continue;
      words.forEach((x, i) => x.stem == w.stem && (bits[i] = 1 << q.words.length));
      q.words.push(text.slice(w.start, w.end));
      q.rarities.push(0);
    }
    let numbered = null;
    const strange = []; // names with numbers that no record has, and words that ask for the reader's own affairs
    const addClause = (c) => {
      q.clauses.push(c);
      q.rarities.forEach((r, i) => (c.words >> i) & 1 && !r && (q.rarities[i] = f32(c.rarity / count(c.words))));
    };
    for (const p of parts) {
      const single = p.first == p.last, w = words[p.first];
      if (single && inName[p.first]) continue;
      let forms = p.variants;
      if (single && this.has("@" + w.text)) forms = w.stem == w.text ? [...forms, ["@" + w.text, 1]] : [["@" + w.text, 1]];
      const c = { words: 0, weight: p.count, term: text.slice(w.start, words[p.last].end), forms, ...this.list(forms) };
      for (let i = p.first; i <= p.last; i++) c.words |= bits[i];
      if (single && !c.words) c.weight = f32(c.weight * weights.filler);
      const size = c.scores.size;
      for (let i = p.first; i <= p.last; i++) inName[i] ||= p.numbered && (i > p.first || (size > 0 && words[i].text.length == 1));
      if (p.numbered) numbered = new Set([...(numbered ?? []), ...c.scores.keys()]);
      if (size) {
        if (single && (size <= rareWord || w.end == text.length) && w.text.length >= 3 && !hasDigit(w.text)) {
          const longer = this.completions(w.text).filter((t) => !forms.some(([v]) => v == t));
          if (longer.length) {
            c.forms = [...forms, ...longer.map((t) => [t, weights.longer])];
            Object.assign(c, this.list(c.forms));
          }
        }
        if (single && !this.has(this.stem(w.text))) q.distant |= c.words;
        addClause(c);
        for (let i = p.first; i <= p.last; i++) found[i] = true;
        continue;
      }
      if (!single || found[p.first]) continue;
      let guess = this.completions(w.text).map((t) => [t, weights.prefix]);
      if (!guess.length) {
        const near = this.namesNear(w);
        guess = near.flatMap(variants).map(([t, weight]) => [t, f32(weight * weights.correction)]);
        c.as = near.join(" or ");
      }
      const letters = w.text.replace(/[0-9]+$/, "");
      if (!guess.length && letters && letters != w.text && this.isFamily(letters)) strange.push(c.term);
      if (!guess.length) continue;
      q.distant |= c.words;
      addClause(Object.assign(c, { forms: guess }, this.list(guess)));
    }
    const unknown = this.rarity(0);
    q.words.forEach((w, i) => (q.rarities[i] ||= f32(unknown * this.strangeness(w))));
    const [topics, asking, said] = this.asked(words, bits);
    const tells = topics.flatMap((topic) => this.tells.get(topic) ?? []);
    if (tells.length) for (const c of q.clauses) if (c.words && !(c.words & ~asking)) c.weight = f32(c.weight * weights.asking);
    if (topics.includes("self")) for (const w of said) strange.push(text.slice(w.start, w.end));
    if (strange.length) numbered = new Set();

    const hits = new Map();
    const at = (n) => hits.get(n) ?? hits.set(n, { score: 0, words: 0 }).get(n);
    for (const c of q.clauses)
      for (const [n, s] of c.scores) {
        const h = at(n);
        h.score = f32(h.score + f32(s * c.weight));
        h.words |= c.words;
      }
    const all = (1 << q.words.length) - 1;
    const nameOf = (name) => (/[/.]/.test(name) ? [] : (this.named.get(name.trim().toLowerCase()) ?? []));
    let pinned = nameOf(query);
    if (!pinned.length && q.words.length == 1 && q.clauses.length) {
      pinned = nameOf(q.words[0]); // of "what is NAME", the record of that name
      if (!pinned.length) pinned = this.records.filter((r) => r.isPage && q.clauses[0].forms.some(([t]) => t == this.stem(r.name)));
    }
    for (const { n } of pinned) {
      at(n).score = f32(at(n).score + pinnedScore);
      at(n).words |= all;
    }
    const protocols = this.protocols(words, terms, text);
    for (const n of protocols) {
      at(n).score = f32(at(n).score + nameBonus);
      for (const about of this.tells.get(this.records[n].id) ?? []) if (hits.has(about)) Object.assign(hits.get(about), { score: f32(hits.get(about).score + aboutBonus), about });
    }
    for (const n of tells) if (hits.has(n)) hits.get(n).words |= asking;
    const list = [];
    for (const [n, h] of hits) {
      if (numbered && !pinned.length && !numbered.has(n)) continue;
      list.push({ ...this.records[n], ...h, tier: count(all & ~h.words) + (protocols.size > 0 && h.about == null) });
    }
    list.sort((a, b) => a.tier - b.tier || b.score - a.score || a.order - b.order);
    const readAs = q.clauses.filter((c) => c.as).map((c) => c.term.toLowerCase() + " as " + c.as);
    const { needsEnglish } = this;
    const covering = list.filter((h) => isCovered(q, h.words)), total = covering.length;
    const shown = covering.slice(0, Math.min(most, maxMore)).map((h) => this.answer(h, words, topics));
    if (total) return { found: shown, total, readAs, unknown: [], needsEnglish };
    if (strange.length && !list.length) return { found: [], total, readAs: [], unknown: strange, needsEnglish };
    return { found: [], total, readAs: [], unknown: q.words.filter((_, i) => !((list[0]?.words ?? 0) >> i & 1)), needsEnglish };
  }

  // The record with the fact that answers a question as its line: of a subject that is asked for, with most words of the question in its name.
  answer(r, words, topics) {
    let best = r, most = -1;
    for (let i = 0; i < r.facts.length; i += 2) {
      const [label, topic, anchor] = this.fields[r.facts[i]];
      if (!topics.includes(topic)) continue;
      const n = this.words(label + " " + anchor).filter((w) => words.some((t) => !t.stop && t.stem == w.stem)).length;
      if (n > most) [best, most] = [{ ...r, path: r.path + anchor, line: `${label}: ${r.facts[i + 1]}` }, n];
    }
    return best;
  }

  // The protocols that words name.
  protocols(words, terms, text) {
    const names = terms.filter((t) => t.t[0] == "=").map((t) => t.t.slice(1));
    names.push(...words.map((w) => text.slice(w.start, w.end).toLowerCase()));
    return new Set(names.flatMap((name) => this.named.get(name) ?? []).filter((r) => r.kind == "protocol").map((r) => r.n));
  }

  // The rarity of a word that no record has, beside the rarest.
  strangeness(word) {
    return f32(hasDigit(word) ? 1.5 : this.isCorrect(word.toLowerCase()) ? 1.3 : 0.7);
  }

  // The subjects of which a query asks, the bits of the words that say so, and these words.
  asked(words, bits) {
    const topics = [];
    let asking = 0;
    const said = new Set();
    words.forEach((w, i) => {
      for (const [phrase, of] of this.asks) {
        if (!phrase.every((s, n) => words[i + n]?.text == s)) continue;
        topics.push(...of);
        phrase.forEach((_, n) => {
          asking |= bits[i + n];
          said.add(words[i + n]);
        });
      }
    });
    return [topics, asking, said];
  }

  // The records whose pages an address that does not exist may have meant.
  near(address) {
    if (address.length > 200) return [];
    const clean = address.toLowerCase().replace(/\/index\.html$/, "").replace(/\/+$/, "");
    const cut = clean.lastIndexOf("/") + 1;
    const name = clean.slice(cut).replace(/\.[^.]*$/, "");
    const section = clean.slice(0, cut);
    const near = [];
    for (const s of nearest(name, [...new Set(this.records.map((r) => r.name))], Infinity)) {
      const same = [...this.named.get(s)].sort((a, b) => a.order - b.order);
      near.push(...same.filter((r) => r.path.startsWith(section)), ...same.filter((r) => !r.path.startsWith(section)));
    }
    near.push(...this.find(name.replace(/[-_.]/g, " ")).found);
    return near.filter((r, i) => near.findIndex((x) => x.id == r.id) == i).slice(0, 3);
  }
}

// The terms by which records have a term of a query, with weights.
function variants(term) {
  if (term[0] == "=") return [[term, term[1] == "=" ? weights.oneWay : weights.concept]];
  if (term[0] == "-") return [[term.slice(1), 1], [term, weights.joined]];
  return [[term, 1], ["-" + term, weights.joined]];
}

function count(bits) {
  let n = 0;
  for (; bits; bits &= bits - 1) n++;
  return n;
}

// Whether some words cover enough of a query, each counted by its rarity.
function isCovered(q, has) {
  let sum = 0, all = 0;
  q.rarities.forEach((r, i) => {
    all = f32(all + r);
    if ((has >> i) & 1) sum = f32(sum + ((q.distant >> i) & 1 ? f32(r * 0.5) : r));
  });
  if (q.rarities.length > 6) all = f32(all * f32(6 / q.rarities.length)); // a full question
  return !all || f32(sum / all) >= f32(0.4);
}

// Whether so many edits, or fewer, turn a into b.
function withinEdits(a, b, edits) {
  let i = 0;
  while (i < a.length && i < b.length && a[i] == b[i]) i++;
  [a, b] = [a.slice(i), b.slice(i)];
  if (!a || !b) return a.length + b.length <= edits;
  if (!edits || Math.abs(a.length - b.length) > edits) return false;
  const next = edits - 1;
  return withinEdits(a.slice(1), b.slice(1), next) || withinEdits(a.slice(1), b, next) || withinEdits(a, b.slice(1), next) ||
    (a[0] == b[1] && a[1] == b[0] && a.length > 1 && withinEdits(a.slice(2), b.slice(2), next));
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

const ROOT = new URL("..", import.meta.url).pathname; // of the site: / or, below another path, one like /almanac/

// load returns the finder of the site; later calls return the same one, unless that failed.
let loaded;
const load = (form) => (loaded ??= fetchFinder(form.dataset.find).catch((err) => ((loaded = null), Promise.reject(err))));

async function fetchFinder(url) {
  const res = await fetch(url);
  if (res.ok) {
    const doc = await res.json();
    for (const k of doc.kinds) k.path = ROOT + k.path.slice(1);
    return new Finder(doc);
  }
  const { title, code } = await res.json().catch(() => ({}));
  throw new Error(`${title ?? "The server answered"} (${code ? code + ", " : ""}${res.status})`);
}

function make(name, text, attributes) {
  const e = document.createElement(name);
  e.textContent = text;
  return Object.assign(e, attributes);
}

// parameters returns the parameters of the search page for so many results of a query.
const parameters = (query, n) => `?q=${encodeURIComponent(query)}${n > maxFound ? "&n=" + n : ""}`;

// list returns records as a list of links.
function list(records) {
  const ul = make("ul", "", { className: "found" });
  for (const r of records) {
    const li = make("li", "");
    li.append(make("a", r.title, { href: r.path }), " ", make("small", r.kind == "entry" ? "source" : r.kind == r.id ? "" : r.kind), make("span", r.line));
    ul.append(li);
  }
  return ul;
}

// mount makes a form find as one types: in the list of the search page, or in one below the box.
async function mount(form) {
  const input = form.querySelector("input");
  const page = document.getElementById("found");
  const out = page ?? make("div", "", { className: "drop", hidden: true });
  if (!page) {
    form.append(out);
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", false]]) input.setAttribute(name, value);
  }
  const status = make("p", "");
  status.setAttribute("role", "status");
  let finder;
  let most = maxFound;
  load(form).catch(() => {}); // show says so

  const show = async () => {
    try {
      finder = await load(form);
    } catch (err) {
      const reason = err instanceof TypeError ? (navigator.onLine ? "The server can’t be reached." : "You’re offline.") : err.message + ".";
      status.textContent = `The search index didn’t load. ${reason} Type or press Enter to try again.`;
      if (!page) out.hidden = false;
      return out.prepend(status);
    }
    const query = input.value.trim();
    if (page) history.replaceState(null, "", query ? parameters(query, most) : location.pathname);
    if (!query) return out.replaceChildren(), close();
    let result = finder.find(query, most);
    if (result.needsEnglish) {
      draw(query, result);
      finder.english ??= new Set((await (await fetch(form.dataset.words)).text()).split("\n"));
      if (query != input.value.trim()) return;
      result = finder.find(query, most);
    }
    draw(query, result);
  };
  const draw = (query, { found, total, readAs, unknown }) => {
    const n = found.length;
    const count = n < total ? `${n} of ${total.toLocaleString("en")}` : n;
    const none = unknown.length ? ` for “${unknown.join("”, “")}”` : "";
    status.textContent = !n ? `No results${none}. Try fewer or different words.` : `${count} record${total > 1 ? "s" : ""} for “${query}”.` + (readAs.length ? ` Read ${readAs.join(", ")}.` : "") + (unknown.length ? ` None has “${unknown.join("”, “")}” too.` : "");
    const links = list(found);
    if (n < Math.min(total, maxMore)) links.append(showMore(query, 2 * n));
    if (!page) makeOptions(links);
    const shown = out.querySelector(":scope > ul");
    if (out.firstChild == status && shown) shown.replaceWith(links); // the live region stays, so that it is read
    else out.replaceChildren(status, ...out.querySelectorAll(".found-answer"), links); // that of the server stays
    if (!page) out.hidden = false;
    document.dispatchEvent(new CustomEvent("find", { detail: query }));
    if (!n) out.querySelector(".found-answer")?.remove();
    clearTimeout(asking);
    if (n) asking = setTimeout(answer, 250, query);
  };
  // answer shows the fact or the statement that answers best, which the server has: a copy of the site without one has
  // none. An answer that takes the place of another moves nothing.
  let asking;
  const answer = async (query) => {
    const res = await fetch(ROOT + "search/" + parameters(query, 0)).catch(() => null);
    if (!res?.ok) return;
    const found = new DOMParser().parseFromString(await res.text(), "text/html").querySelector(".found-answer");
    if (query != input.value.trim() || !out.contains(status)) return;
    out.querySelector(".found-answer")?.remove();
    if (found) status.after(document.adoptNode(found));
  };
  // showMore returns a link to the search page with so many records, which shows them itself.
  const showMore = (query, n) => {
    const li = make("li", "");
    const a = make("a", "Show more", { href: (page ? "" : ROOT + "search/") + parameters(query, n) });
    if (page)
      a.onclick = async (e) => {
        e.preventDefault();
        most = n;
        await show();
        out.querySelectorAll("ul a")[n / 2].focus();
      };
    li.append(a);
    return li;
  };
  // makeOptions makes a list of links the list of the combobox, which keeps the focus while the arrows choose.
  const makeOptions = (links) => {
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
    input.setAttribute("aria-expanded", links.childElementCount > 0);
    input.removeAttribute("aria-activedescendant");
  };
  const close = () => {
    if (page) return;
    out.hidden = true;
    input.setAttribute("aria-expanded", false);
    input.removeAttribute("aria-activedescendant");
  };

  input.addEventListener("input", () => {
    most = maxFound;
    show();
  });
  input.addEventListener("focus", () => !page && input.value.trim() && show());
  form.addEventListener("focusout", (e) => form.contains(e.relatedTarget) || close());
  form.addEventListener("submit", (e) => {
    const chosen = !page && !out.hidden && out.querySelector("[aria-selected=true]");
    if (!page && !chosen) return; // the search page shows what was typed
    e.preventDefault();
    chosen ? chosen.click() : show();
  });
  const choose = (e) => {
    const all = [...out.querySelectorAll("[role=option]")];
    const at = all.findIndex((o) => o.ariaSelected == "true");
    if (e.key == "Escape") {
      input.focus();
      close();
    } else if ((e.key == "ArrowDown" || e.key == "ArrowUp") && !out.hidden) {
      const next = all[Math.max(-1, Math.min(at + (e.key == "ArrowDown" ? 1 : -1), all.length - 1))];
      for (const o of all) o.ariaSelected = o == next;
      if (next) input.setAttribute("aria-activedescendant", next.id), next.scrollIntoView({ block: "nearest" });
      else input.removeAttribute("aria-activedescendant");
    } else return;
    e.preventDefault();
  };
  const walk = (e) => {
    const stops = [input, ...out.querySelectorAll("a")];
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
  if (input.value) show();
}

// suggest shows the records that the address of a page that does not exist may have meant.
async function suggest(form, out) {
  const near = (await load(form)).near(location.pathname);
  if (near.length) out.replaceChildren(make("p", "Perhaps one of these:"), list(near));
}

export { Finder, mount, suggest };
