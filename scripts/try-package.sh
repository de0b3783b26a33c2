#!/usr/bin/env bash
# Packs the project, installs the package into an empty folder as a user would, and runs a demonstration and the service.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

(cd "$project" && npm pack --silent --pack-destination "$folder" > /dev/null)
cd "$folder"
echo '{ "private": true }' > package.json
npm install --no-audit --no-fund --prefer-offline --loglevel=error ./mediamill-*.tgz

# Fail if the installed package has more than 600 MB (docs/notes/installation.md).
megabytes=$(du -sm node_modules | cut -f1)
echo "node_modules: $megabytes MB"
test "$megabytes" -le 600

# Work outside the checkout, so that the package cannot use its files by accident.
test ! -e node_modules/mediamill/packages/server
npx --no-install mediamill --version
npx --no-install mediamill demo
# Start the service with its own database. If this script runs as root, the database runs as another user, who must be able to enter the folder.
chmod 711 "$folder"
DATA_DIR="$folder/data" PORT=18080 LOG_LEVEL=warn node_modules/.bin/mediamill serve > serve.log &
service=$!
trap 'kill "$service" 2> /dev/null || true; wait "$service" || true; rm -rf "$folder"' EXIT
curl -sf --retry 60 --retry-connrefused --retry-delay 1 --max-time 90 http://127.0.0.1:18080/readyz > /dev/null
kill "$service"
wait "$service"
echo 'The package installs into an empty folder, and runs there.'
