#!/usr/bin/env bash
# Installs the parsers and web servers that the tests and benchmarks of the mirror use.
set -euo pipefail
ci=$(cd "$(dirname "$0")" && pwd)
"$ci/packages" libxml2-utils hugo nginx-light caddy
"$ci/npm" "$ci/mirror" npm-mirror
