#!/usr/bin/env bash
# Builds lnget's client with a stub wallet into the cache. LNGET, if set, is a clone of lnget.
set -euo pipefail
commit=c855f418fc6eb872921f09f85b56d185af0e197e
here=$(cd "$(dirname "$0")" && pwd)
cache=${ALMANAC_CACHE:-$HOME/.cache/almanac}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
git clone -q "${LNGET:-https://github.com/lightninglabs/lnget}" "$dir/lnget"
cd "$dir/lnget"
git checkout -q "$commit"
mkdir cmd/matrix
cp "$here/lnget.go.txt" cmd/matrix/main.go
mkdir -p "$cache/402"
CGO_ENABLED=0 nice -n 19 go build -p 1 -trimpath -ldflags "-s -w" -o "$cache/402/lnget" ./cmd/matrix
