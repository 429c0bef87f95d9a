#!/usr/bin/env bash
# Installs what the tests and the benchmarks of the mirror use. Debian packages: xmllint for the grammars of the feeds, and for the
# benchmarks hugo, nginx and caddy. npm packages in the cache: parsers of OpenAPI, feeds, JSON-LD and SHACL shapes.
set -euo pipefail
ci=$(cd "$(dirname "$0")" && pwd)

debian=()
for pair in xmllint:libxml2-utils hugo:hugo nginx:nginx-light caddy:caddy; do
	command -v "${pair%%:*}" >/dev/null || [ -x "/usr/sbin/${pair%%:*}" ] || debian+=("${pair##*:}")
done
if [ ${#debian[@]} -gt 0 ]; then
	"$ci/apt" "${debian[@]}"
fi

packages=(@seriousme/openapi-schema-validator@2.11.0 @redocly/cli@2.77.0 feedsmith@3.0.1 jsonld@9.0.0 n3@2.13.12 rdf-validate-shacl@0.6.5)
cache=${ALMANAC_CACHE:-$HOME/.cache/almanac}/npm-mirror
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
if [ "$(cat "$cache/installed" 2>/dev/null)" != "${packages[*]}" ]; then
	npm install --prefix "$cache" --no-save --no-audit --no-fund --silent "${packages[@]}"
	echo "${packages[*]}" >"$cache/installed"
fi
