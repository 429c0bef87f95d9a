#!/usr/bin/env bash
# Installs the clients from npm that the tests of testvectors run.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
"$here/.ci/npm" "$here/testvectors/testdata/clients" npm-402 --legacy-peer-deps
cp "$here/testvectors/testdata/clients/clients.mjs" "${ALMANAC_CACHE:-$HOME/.cache/almanac}/npm-402/"
