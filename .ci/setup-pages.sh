#!/usr/bin/env bash
# Installs what the tests of the pages use: Chromium, accessibility rules that run in it, and an HTML checker.
set -euo pipefail
ci=$(cd "$(dirname "$0")" && pwd)
"$ci/packages" chromium-headless-shell
"$ci/npm" "$ci/pages" npm-pages
