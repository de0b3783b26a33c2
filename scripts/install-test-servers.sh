#!/usr/bin/env bash
# Installs the Debian packages that some tests require, as root: bubblewrap and a C compiler for the sandbox, PgBouncer, HAProxy, OpenStack
# Swift as an S3 server, an older PostgreSQL, promtool for the alerts, systemd-analyze and docker-compose for their files, and Chromium and
# jq for the console. Starts no server.
# If a package is not available, its tests are skipped with the reason. With REQUIRE_SERVERS=1, this script fails.
set -euo pipefail
packages=(bubblewrap gcc libc6-dev pgbouncer haproxy faketime memcached swift swift-proxy swift-account swift-container swift-object chromium jq prometheus systemd docker-compose)

older_postgresql=/usr/lib/postgresql/15/bin/initdb

missing() { ! { [ -x $older_postgresql ] && command -v bwrap && command -v cc && command -v pgbouncer && command -v haproxy && command -v faketime && command -v memcached && command -v swift-proxy-server && command -v chromium && command -v jq && command -v promtool && command -v systemd-analyze && command -v docker-compose; } > /dev/null; }
give_up() {
  echo "install-test-servers: $1; the tests that need PgBouncer, HAProxy, Swift, PostgreSQL 15 or Chromium may be skipped." >&2
  exit "${REQUIRE_SERVERS:-0}"
}

missing || exit 0
[ "$(id -u)" = 0 ] || give_up 'not root'
command -v apt-get > /dev/null || give_up 'no apt-get here'

# Debian's packages start their servers after the installation, unless this file forbids it.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  printf '#!/bin/sh\nexit 101\n' > $policy
  chmod +x $policy
fi
export DEBIAN_FRONTEND=noninteractive
quietly() { timeout "$1" "${@:2}" > /dev/null 2>&1 < /dev/null; }
quietly 120 apt-get update || true
quietly 600 apt-get install --yes --no-install-recommends "${packages[@]}" || give_up 'apt-get could not install them'
# Install PostgreSQL 15 separately, because not every Debian release has this version.
[ -x $older_postgresql ] || quietly 600 apt-get install --yes --no-install-recommends postgresql-15 || give_up 'no PostgreSQL 15'
