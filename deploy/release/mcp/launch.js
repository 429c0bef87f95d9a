#!/usr/bin/env node
// Starts the program of this system: as "almanac mcp" with the arguments given, over the same input and output.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `almanac-mcp-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/almanac`);
} catch {
  console.error(`almanac-mcp: there is no program for this system; the package ${name} is not installed`);
  process.exit(1);
}
const args = process.argv.slice(2);
const { site } = require("./package.json");
if (args.length === 0 && site) args.push("-base-url", site);
const child = spawn(program, ["mcp", ...args], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`almanac-mcp: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
