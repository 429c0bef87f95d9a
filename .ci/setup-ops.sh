#!/usr/bin/env bash
# The tools that check deployment files, the balancer of the tests with several replicas (Debian packages; none is started), and Pebble, the
# ACME server that the test of -acme gets a certificate from (built from its Go module, kept in the cache).
set -euo pipefail

cache="${ALMANAC_CACHE:-$HOME/.cache/almanac}"
if [ ! -x "$cache/bin/pebble" ] || [ ! -x "$cache/bin/pebble-challtestsrv" ]; then
	mkdir -p "$cache/bin"
	GOBIN="$cache/bin" go install github.com/letsencrypt/pebble/v2/cmd/pebble@v2.8.0 github.com/letsencrypt/pebble/v2/cmd/pebble-challtestsrv@v2.8.0
fi

packages=()
for pair in nginx:nginx-light promtool:prometheus caddy:caddy systemd-analyze:systemd; do
	command -v "${pair%%:*}" >/dev/null || [ -x "/usr/sbin/${pair%%:*}" ] || packages+=("${pair##*:}")
done
[ ${#packages[@]} -eq 0 ] && exit 0

sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
