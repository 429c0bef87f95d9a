#!/usr/bin/env bash
# Installs the clients from npm that the tests of testvectors run.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
"$here/.ci/npm" "$here/e2e/clients/testdata/clients" npm-402 --legacy-peer-deps
cp "$here/e2e/clients/testdata/clients/clients.mjs" "${ALMANAC_CACHE:-$HOME/.cache/almanac}/npm-402/"
