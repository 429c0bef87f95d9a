#!/usr/bin/env bash
# Installs the MCP clients and the conformance suite that the tests of mcpserver run, with the Node.js that they need.
set -euo pipefail
ci=$(cd "$(dirname "$0")" && pwd)
"$ci/npm" "$ci/mcp" npm-mcp
