// Runs the script of the pages over an index, for TestOneRanking. Reads the queries from standard input.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const dir = process.argv[2];
const { Finder } = await import(pathToFileURL(join(dir, "find.mjs")));
const finder = new Finder(JSON.parse(readFileSync(join(dir, "index.json"), "utf8")));
finder.english = new Set(readFileSync(join(dir, "english.txt"), "utf8").split("\n"));
const { queries, addresses, words } = JSON.parse(readFileSync(0, "utf8"));
const results = (queries ?? []).map((q) => finder.find(q));
process.stdout.write(
  JSON.stringify({
    found: results.map((r) => r.found.map((f) => f.path)),
    totals: results.map((r) => r.total),
    readAs: results.map((r) => r.readAs),
    unknown: results.map((r) => r.unknown),
    near: (addresses ?? []).map((a) => finder.near(a).map((r) => r.path)),
    stems: (words ?? []).map((w) => finder.stem(w)),
  }),
);
