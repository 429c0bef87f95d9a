#!/usr/bin/env bash
# What the tests of the buyer use beside Go: sellers that were not written here. Aperture (Lightning Labs' L402 proxy, which also sells by Payment), built
# from its Go module, and mppx (the reference implementation of Payment) from npm, in the cache.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
cache=${ALMANAC_CACHE:-$HOME/.cache/almanac}

"$here/.ci/npm" "$here/cmd/almanac/buyer/testdata" npm-buyer --legacy-peer-deps

mkdir -p "$cache/aperture"
exec 9>"$cache/aperture/lock"
flock 9
aperture=$cache/aperture/aperture
want=$(cat "$here/cmd/almanac/buyer/sellers/go.mod" "$here/cmd/almanac/buyer/sellers/go.sum" "$0" <(go version) | sha256sum | cut -d' ' -f1)
if [ "$(cat "$aperture.built-from" 2>/dev/null)" != "$want" ]; then
	(cd "$here/cmd/almanac/buyer/sellers" && CGO_ENABLED=0 nice -n 19 go build -p "${ALMANAC_BUILD_JOBS:-2}" -mod=readonly -trimpath -ldflags "-s -w" \
		-o "$aperture.new" github.com/lightninglabs/aperture/cmd/aperture)
	mv "$aperture.new" "$aperture"
	echo "$want" >"$aperture.built-from"
fi
