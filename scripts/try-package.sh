#!/usr/bin/env bash
# Packs the project, installs the package into an empty folder as anybody would, and runs its demonstration.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

(cd "$project" && npm pack --silent --pack-destination "$folder" > /dev/null)
cd "$folder"
echo '{ "private": true }' > package.json
npm install --no-audit --no-fund --prefer-offline --loglevel=error ./mediamill-*.tgz

# The installed size is at most 600 MB (docs/notes/installation.md).
megabytes=$(du -sm node_modules | cut -f1)
echo "node_modules: $megabytes MB"
test "$megabytes" -le 600

# Away from the checkout: nothing of it is found by accident.
test ! -e node_modules/mediamill/packages/server
npx --no-install mediamill --version
DATA_DIR="$folder/data" LOG_LEVEL=warn npx --no-install mediamill demo
echo 'The package installs into an empty folder, and runs there.'
