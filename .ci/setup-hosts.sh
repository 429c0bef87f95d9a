#!/usr/bin/env bash
# Installs MCP hosts whose configuration the tests of /connect/ write, as npm publishes them.
set -euo pipefail
ci=$(cd "$(dirname "$0")" && pwd)
"$ci/npm" "$ci/hosts" npm-hosts
