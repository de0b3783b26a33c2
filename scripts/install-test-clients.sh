#!/usr/bin/env bash
# Installs the generators of API clients that the tests try. Each has its own folder with an older TypeScript, because the generators
# do not support the project's version. Installs from the npm registry, by their lock files. If a generator is missing, its tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/../packages/sdk/test/clients"
for client in */; do
  (cd "$client" && npm ci --no-audit --no-fund)
done
