#!/usr/bin/env bash
# What the test of selling over Nostr Wallet Connect uses: a relay and a wallet service from npm that were not written here, in the cache.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
npm=${ALMANAC_CACHE:-$HOME/.cache/almanac}/npm-nwc
mkdir -p "$npm"
exec 9>"$npm/lock"
flock 9
if ! cmp -s "$here/l402/nwc/testdata/package-lock.json" "$npm/installed-lock.json"; then
	cp "$here/l402/nwc/testdata/package.json" "$here/l402/nwc/testdata/package-lock.json" "$npm/"
	(cd "$npm" && npm ci --silent --no-audit --no-fund --ignore-scripts)
	cp "$here/l402/nwc/testdata/package-lock.json" "$npm/installed-lock.json"
fi
