// Checks files for machines with the parsers that others read them with.
//
//   node validate.mjs MODULES SITE
//
// MODULES is the folder with node_modules, SITE a folder with an exported site. Each fault is a
// line on standard output; the last line says how much was checked.
import { createRequire } from "node:module";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [modules, site] = process.argv.slice(2);
const require = createRequire(join(modules, "node_modules", "x.js"));
const load = async (name) => {
	const module = await import(pathToFileURL(require.resolve(name)).href);
	return module.default && Object.keys(module).length === 1 ? module.default : module;
};
const read = (path) => readFileSync(join(site, path), "utf8");
const fault = (path, message) => console.log(`${path}: ${message}`);
let checked = 0;

// OpenAPI 3.1, against the official schema. The package's own look at the references takes a
// property with the name $schema for the keyword; another test has them followed by redocly.
const { Validator } = await load("@seriousme/openapi-schema-validator");
const openapi = new Validator().getAjvValidator("3.1");
if (!openapi(JSON.parse(read("openapi.json")))) fault("openapi.json", JSON.stringify(openapi.errors).slice(0, 2000));
checked++;

// Feeds, by a feed reader's parser.
const feedsmith = await load("feedsmith");
const atom = feedsmith.parseAtomFeed(read("changes/feed.atom"));
const json = feedsmith.parseJsonFeed(read("changes/feed.json"));
if (!(atom.entries?.length > 0) || atom.entries.length !== json.items?.length) {
	fault("changes/feed.atom", `${atom.entries?.length} entries, and the JSON feed has ${json.items?.length}`);
}
for (const [i, entry] of (atom.entries ?? []).entries()) {
	const item = json.items[i];
	if (entry.id !== item.id || entry.title?.value !== item.title || !entry.updated || !entry.links?.length) {
		fault("changes/feed.atom", `entry ${i} is not item ${i} of the JSON feed: ${JSON.stringify(entry).slice(0, 300)}`);
	}
}
checked += 2;

// The calendar, by a calendar program's parser: the events of the JSON document, whole days, each once.
const ical = await load("ical.js");
const ICAL = ical.default ?? ical;
const calendar = JSON.parse(read("api/calendar.json"));
const events = new ICAL.Component(ICAL.parse(read("calendar.ics"))).getAllSubcomponents("vevent").map((e) => new ICAL.Event(e));
if (events.length !== calendar.count || new Set(events.map((e) => e.uid)).size !== calendar.count) {
	fault("calendar.ics", `${events.length} events of ${new Set(events.map((e) => e.uid)).size} UIDs, and the JSON document has ${calendar.count}`);
}
for (const [i, entry] of calendar.entries.entries()) {
	const e = events[i];
	if (!e.startDate.isDate || e.startDate.toString() !== entry.date || e.duration.toString() !== "P1D" || !e.description.startsWith(entry.text)) {
		fault("calendar.ics", `event ${i} on ${e.startDate} for ${e.duration} is not ${JSON.stringify(entry).slice(0, 300)}`);
	}
}
checked++;

// JSON-LD: expand in safe mode, which refuses what would be dropped; nothing is fetched.
const jsonld = await load("jsonld");
const documentLoader = async (url) => {
	if (!/^https:\/\/schema\.org\/?$/.test(url)) throw new Error(`wants to fetch ${url}`);
	return { contextUrl: null, documentUrl: url, document: { "@context": { "@vocab": "https://schema.org/" } } };
};
const expand = async (path, doc, base) => {
	try {
		const expanded = await jsonld.expand(doc, { base, safe: true, documentLoader });
		if (expanded.length === 0) fault(path, "says nothing");
		checked++;
		return expanded;
	} catch (err) {
		fault(path, `JSON-LD: ${err.message} ${JSON.stringify(err.details ?? {}).slice(0, 500)}`);
	}
};
for (const name of readdirSync(join(site, "datasets"), { withFileTypes: true })) {
	if (!name.isDirectory()) continue;
	const path = `datasets/${name.name}/croissant.json`;
	await expand(path, JSON.parse(read(path)), "https://almanac.example/" + path);
}
for (const path of readdirSync(site, { recursive: true })) {
	if (!path.endsWith("index.html")) continue;
	for (const [, text] of read(path).matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)) {
		const doc = JSON.parse(text);
		const expanded = await expand(path, doc, "https://almanac.example/");
		for (const node of expanded ?? []) {
			if (!node["@type"]?.every((type) => type.startsWith("https://schema.org/"))) fault(path, `JSON-LD of type ${node["@type"]}`);
		}
	}
}

// DCAT, as RDF against shapes.
const catalog = JSON.parse(read("catalog.jsonld"));
await expand("catalog.jsonld", catalog, "https://almanac.example/catalog.jsonld");
const n3 = await load("n3");
const SHACL = (await load("rdf-validate-shacl")).default ?? (await load("rdf-validate-shacl"));
const quads = await jsonld.toRDF(catalog, { safe: true, documentLoader, format: "application/n-quads" });
const data = new n3.Store(new n3.Parser({ format: "N-Quads" }).parse(quads));
const shapes = new n3.Store(new n3.Parser().parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), "schemas/dcat.ttl"), "utf8")));
const report = await new SHACL(shapes).validate(data);
for (const result of report.results) {
	fault("catalog.jsonld", `${result.focusNode?.value} ${result.path?.value ?? ""}: ${result.message.map((m) => m.value).join(" ") || result.sourceConstraintComponent?.value}`);
}
if (data.size < 50) fault("catalog.jsonld", `only ${data.size} statements`);
console.log(`checked ${checked}`);
