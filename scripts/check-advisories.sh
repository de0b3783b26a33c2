#!/usr/bin/env bash
# Asks the registry for known faults of the packages that users install; a registry that keeps no advisories is told, and passes.
set -euo pipefail
cd "$(dirname "$0")/.."
if said=$(npm audit --omit=dev --audit-level=high 2>&1); then
  echo 'The registry knows no grave fault of what users install.'
elif grep -q 'audit endpoint returned an error\|ENOTFOUND\|ECONNREFUSED\|EAI_AGAIN' <<< "$said"; then
  echo 'The registry keeps no advisories here: known faults were not looked for.'
else
  echo "$said"
  exit 1
fi
