#!/usr/bin/env bash
# Installs the tools that check deployment files, the load balancers for the tests with several replicas (none is started), and Pebble, the ACME
# server that issues a certificate to the test of -acme (built from its Go module, in the cache).
set -euo pipefail
ci=$(cd "$(dirname "$0")" && pwd)
cache=${ALMANAC_CACHE:-$HOME/.cache/almanac}

"$ci/packages" nginx-light prometheus caddy systemd
if [ ! -x "$cache/bin/pebble" ] || [ ! -x "$cache/bin/pebble-challtestsrv" ]; then
	mkdir -p "$cache/bin"
	GOBIN="$cache/bin" go install github.com/letsencrypt/pebble/v2/cmd/pebble@v2.8.0 github.com/letsencrypt/pebble/v2/cmd/pebble-challtestsrv@v2.8.0
fi
