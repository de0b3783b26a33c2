#!/usr/bin/env bash
# Runs the SQL tests on Debian's PostgreSQL. All other test runs use the embedded PostgreSQL.
#   scripts/test-on-postgresql.sh [version] [test files …]
# Starts a server in a new folder, with a Unix socket and no port. If the version is not installed, runs no test; with REQUIRE_SERVERS=1, fails.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:-15}
shift || true
[ $# -gt 0 ] || set -- 'packages/server/src/db/**/*.test.ts' 'packages/server/src/requests/**/*.test.ts'
programs=/usr/lib/postgresql/$version/bin
if [ ! -x "$programs/initdb" ]; then
  echo "test-on-postgresql: PostgreSQL $version is not installed; its tests are skipped." >&2
  exit "${REQUIRE_SERVERS:-0}"
fi

folder=$(mktemp -d)
chmod 755 "$folder"
user=$(id -un)
# PostgreSQL cannot run as root, so run it as the user that Debian's package creates.
if [ "$(id -u)" = 0 ]; then user=postgres; fi
install -d -o "$user" "$folder/server"
as_user() { if [ "$(id -u)" = 0 ]; then setpriv --reuid="$user" --regid="$user" --clear-groups "$@"; else "$@"; fi; }
control() { as_user "$programs/pg_ctl" --pgdata="$folder/server/data" --silent --wait "$@" > /dev/null; }
stop() {
  control --mode=immediate stop || true
  rm -rf "$folder"
}

as_user "$programs/initdb" --pgdata="$folder/server/data" --username=mediamill --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync > /dev/null
trap stop EXIT
control --log="$folder/server/log" \
  --options="-c listen_addresses= -c unix_socket_directories=$folder/server -c max_connections=200 -c fsync=off" start
TEST_DATABASE_URL="postgres://mediamill@localhost/postgres?host=$folder/server" \
  node_modules/.bin/node --import ./lab/support/compile-cache.ts --import ./lab/support/file-limit.ts --test --test-timeout=900000 --test-concurrency=2 "$@"
