#!/usr/bin/env bash
# Installs what the tests of the pages use: Debian's Chromium, and npm packages in the cache: axe-core (accessibility rules, run in
# the browser), html-validate (the HTML checker) and lighthouse.
set -euo pipefail
ci=$(cd "$(dirname "$0")" && pwd)

packages=(axe-core@4.14.1 html-validate@10.17.0 lighthouse@13.5.0)
cache=${ALMANAC_CACHE:-$HOME/.cache/almanac}/npm-pages

if ! command -v chromium >/dev/null; then
	"$ci/apt" chromium
fi

mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
if [ "$(cat "$cache/installed" 2>/dev/null)" != "${packages[*]}" ]; then
	npm install --prefix "$cache" --no-save --no-audit --no-fund --silent "${packages[@]}"
	echo "${packages[*]}" >"$cache/installed"
fi
