#!/bin/sh
# Installs what the tests of the paid interface need besides Go: a PostgreSQL server (the tests start their own, private
# cluster), the L402 clients from npm, and a client built from Lightning Labs' Go modules.
set -eu

cache="${ALMANAC_CACHE:-$HOME/.cache/almanac}"
here="$(cd "$(dirname "$0")/.." && pwd)"

if ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	# Debian would start a cluster of its own, which is not needed.
	if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
		$sudo mkdir -p /etc/postgresql-common
		echo "create_main_cluster = false" | $sudo tee /etc/postgresql-common/createcluster.conf >/dev/null
	fi
	"$here/.ci/apt" postgresql
fi

npm="$cache/npm-l402"
mkdir -p "$npm"
if ! cmp -s "$here/l402/testdata/package-lock.json" "$npm/installed-lock.json"; then
	cp "$here/l402/testdata/package.json" "$here/l402/testdata/package-lock.json" "$npm/"
	(cd "$npm" && npm ci --silent --no-audit --no-fund --ignore-scripts)
	cp "$here/l402/testdata/package-lock.json" "$npm/installed-lock.json"
fi

client="$cache/l402/aperture-client"
want="$(cat "$here"/l402/interop/go.mod "$here"/l402/interop/go.sum "$here"/l402/interop/*.go | sha256sum)"
if [ "$(cat "$client.built-from" 2>/dev/null)" != "$want" ]; then
	mkdir -p "$cache/l402"
	(cd "$here/l402/interop" && CGO_ENABLED=0 nice -n 19 go build -mod=readonly -trimpath -ldflags "-s -w" -o "$client" .)
	echo "$want" >"$client.built-from"
fi
