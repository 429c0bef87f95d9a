#!/usr/bin/env bash
# Builds btcd and lnd from their Go modules (l402/node/lnd/daemons) into the cache, for the tests that pay a real node.
# Does nothing when what is there was built from the same files; two runs at once build once.
# A cold build costs about 13 minutes of processor time and 1.7 GB of memory.
set -euo pipefail

daemons=$(cd "$(dirname "$0")/../l402/node/lnd/daemons" && pwd)
cache=${ALMANAC_CACHE:-$HOME/.cache/almanac}/lnd

# The tag integration makes lnd's key derivation cheap: ready in a second instead of seven. Never run such a build with money.
tags="integration signrpc walletrpc chainrpc invoicesrpc peersrpc"

mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9

want=$(cat "$daemons/go.mod" "$daemons/go.sum" "$0" <(go version) | sha256sum | cut -d' ' -f1)
if [ -x "$cache/btcd" ] && [ -x "$cache/lnd" ] && [ "$(cat "$cache/built-from" 2>/dev/null)" = "$want" ]; then
	exit 0
fi

cd "$daemons"
for cmd in github.com/btcsuite/btcd github.com/lightningnetwork/lnd/cmd/lnd; do
	name=$(basename "$cmd")
	CGO_ENABLED=0 nice -n 19 go build -p "${ALMANAC_BUILD_JOBS:-2}" -mod=readonly -trimpath \
		-tags "$tags" -ldflags "-s -w" -o "$cache/$name.new" "$cmd"
	mv "$cache/$name.new" "$cache/$name"
done
echo "$want" >"$cache/built-from"
