#!/usr/bin/env bash
# Starts an S3 server for tests: OpenStack Swift with its s3api and one replica, on loopback.
#
#   scripts/swift.sh start FOLDER PORT    prints the address when it is ready; key test:tester, secret testing
#   scripts/swift.sh stop FOLDER
#
# Requires root, because Swift only reads /etc/swift/swift.conf: the servers get their own folder at that path, in a mount
# namespace. Also requires Debian's packages:
#   apt-get install --no-install-recommends swift swift-proxy swift-account swift-container swift-object memcached
# Uses five ports, starting at PORT. A port in use is an error.
set -euo pipefail
verb=${1:?start or stop} folder=${2:?a folder}

if [ "$verb" = stop ]; then
  for file in "$folder"/run/*.pid; do kill "$(cat "$file")" 2>/dev/null || true; done
  rm -rf "$folder"
  exit
fi

port=${3:?a port}
if [ "${4-}" != apart ]; then exec unshare --mount --propagation private "$0" "$@" apart; fi
mount -t tmpfs tmpfs /etc/swift
mkdir -p "$folder"/{etc,devices/d1,run}
folder=$(cd "$folder" && pwd)
printf '[swift-hash]\nswift_hash_path_prefix = test\nswift_hash_path_suffix = test\n[storage-policy:0]\nname = default\ndefault = yes\n' \
  > /etc/swift/swift.conf

# defaults PORT: prints the settings that the configuration files of all servers contain.
defaults() {
  printf '[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = %s\nuser = swift\nswift_dir = %s/etc\ndevices = %s/devices\n' "$1" "$folder" "$folder"
  printf 'mount_check = false\nworkers = 0\nlog_level = WARNING\nlog_address = /dev/null\nbind_timeout = 2\n'
}

next=$port
for name in object container account; do
  next=$((next + 1))
  {
    defaults "$next"
    printf '[pipeline:main]\npipeline = %s-server\n[app:%s-server]\nuse = egg:swift#%s\n' $name $name $name
  } > "$folder/etc/$name-server.conf"
  (
    cd "$folder/etc"
    swift-ring-builder $name.builder create 4 1 0
    swift-ring-builder $name.builder add "r1z1-127.0.0.1:$next/d1" 1
    swift-ring-builder $name.builder rebalance
  ) > /dev/null
done

memcached_port=$((next + 1))
# Returns whether a server accepts connections on a port.
answers() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }
for ((one = port; one <= memcached_port; one++)); do
  if answers "$one"; then echo "port $one is taken" >&2 && exit 1; fi
done
{
  defaults "$port"
  echo '[pipeline:main]'
  echo 'pipeline = catch_errors proxy-logging cache listing_formats bulk s3api tempauth copy slo dlo proxy-logging proxy-server'
  printf '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\nallow_account_management = true\n'
  printf '[filter:tempauth]\nuse = egg:swift#tempauth\nuser_test_tester = testing .admin\n'
  printf '[filter:s3api]\nuse = egg:swift#s3api\ns3_acl = false\nlocation = us-east-1\ncheck_bucket_owner = false\n'
  printf '[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:%s\n' $memcached_port
  for filter in catch_errors listing_formats bulk copy slo dlo; do printf '[filter:%s]\nuse = egg:swift#%s\n' $filter $filter; done
  printf '[filter:proxy-logging]\nuse = egg:swift#proxy_logging\n'
} > "$folder/etc/proxy-server.conf"
chown -R swift:swift "$folder"

# start NAME COMMAND…: starts a command in the background. Its output and its process id are stored under run/.
start() {
  setsid "${@:2}" > "$folder/run/$1.log" 2>&1 < /dev/null &
  echo $! > "$folder/run/$1.pid"
}
start memcached memcached -u nobody -l 127.0.0.1 -p $memcached_port -m 32
for name in account container object proxy; do start $name swift-$name-server "$folder/etc/$name-server.conf"; done

# all_live: returns whether all servers are running. If a port is in use, its server has exited.
all_live() { for file in "$folder"/run/*.pid; do kill -0 "$(cat "$file")" 2> /dev/null || return; done; }
# all_listen: returns whether all servers accept connections. The proxy responds even if it cannot reach the other servers.
all_listen() { for ((one = port; one <= memcached_port; one++)); do answers "$one" || return; done; }

for _ in $(seq 300); do
  all_live || break
  if all_listen; then
    echo "http://127.0.0.1:$port"
    exit
  fi
  sleep 0.1
done
cat "$folder"/run/*.log >&2
"$0" stop "$folder"
exit 1
