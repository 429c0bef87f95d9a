#!/usr/bin/env bash
# Installs the tools that check deployment files, the load balancer for the tests with several replicas (Debian packages; none is started), and Pebble, the
# ACME server that issues a certificate to the test of -acme (built from its Go module, kept in the cache).
set -euo pipefail
ci=$(cd "$(dirname "$0")" && pwd)

cache="${ALMANAC_CACHE:-$HOME/.cache/almanac}"
if [ ! -x "$cache/bin/pebble" ] || [ ! -x "$cache/bin/pebble-challtestsrv" ]; then
	mkdir -p "$cache/bin"
	GOBIN="$cache/bin" go install github.com/letsencrypt/pebble/v2/cmd/pebble@v2.8.0 github.com/letsencrypt/pebble/v2/cmd/pebble-challtestsrv@v2.8.0
fi

# The check of the container files is built by its test; this downloads its modules.
(cd "$ci/../deploy/check" && go build -o /dev/null .)

packages=()
for pair in nginx:nginx-light promtool:prometheus caddy:caddy systemd-analyze:systemd; do
	command -v "${pair%%:*}" >/dev/null || [ -x "/usr/sbin/${pair%%:*}" ] || packages+=("${pair##*:}")
done
[ ${#packages[@]} -eq 0 ] || "$ci/apt" "${packages[@]}"
