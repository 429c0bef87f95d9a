#!/usr/bin/env bash
# Installs the MCP clients and the conformance suite that the tests of mcpserver run, at the versions of
# .ci/mcp/package-lock.json, with the Node.js that they need.
set -euo pipefail
cd "$(dirname "$0")/mcp"
dir="${ALMANAC_CACHE:-$HOME/.cache/almanac}/npm-mcp"
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9
if cmp -s package-lock.json "$dir/installed-lock.json" && [ -x "$dir/node_modules/.bin/node" ]; then
	exit 0
fi
cp package.json package-lock.json "$dir/"
(cd "$dir" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
cp package-lock.json "$dir/installed-lock.json"
