#!/usr/bin/env bash
# Installs the generators of API clients that the tests try, each in a folder of its own with the TypeScript it needs: the
# project's own is newer than they can use. From the npm registry, by their lock files; without them those tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/../packages/sdk/test/clients"
for client in */; do
  (cd "$client" && npm ci --no-audit --no-fund)
done
