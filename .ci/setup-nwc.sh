#!/usr/bin/env bash
# Installs a relay and a wallet service from npm, which were not written here, for the test of selling over Nostr Wallet Connect.
set -euo pipefail
ci=$(cd "$(dirname "$0")" && pwd)
"$ci/npm" "$ci/../l402/node/nwc/testdata" npm-nwc
