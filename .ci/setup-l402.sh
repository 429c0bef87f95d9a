#!/usr/bin/env bash
# Installs what the tests of the paid interface use beside Go: PostgreSQL and PgBouncer, of which they start their own, L402 clients from npm, and a
# client built from Lightning Labs' Go modules.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
cache=${ALMANAC_CACHE:-$HOME/.cache/almanac}

"$here/.ci/packages" postgresql pgbouncer
"$here/.ci/npm" "$here/l402/testdata" npm-l402

client=$cache/l402/aperture-client
want=$(cat "$here"/l402/testdata/interop/go.mod "$here"/l402/testdata/interop/go.sum "$here"/l402/testdata/interop/*.go | sha256sum)
if [ "$(cat "$client.built-from" 2>/dev/null)" != "$want" ]; then
	mkdir -p "$cache/l402"
	(cd "$here/l402/testdata/interop" && CGO_ENABLED=0 nice -n 19 go build -mod=readonly -trimpath -ldflags "-s -w" -o "$client" .)
	echo "$want" >"$client.built-from"
fi
