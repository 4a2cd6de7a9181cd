#!/usr/bin/env bash
# A fleet on one machine: one PostgreSQL, one NATS server, one simulated network, two daemons that pay through it as one
# Lightning node, and three solvers, on free ports of loopback.
# Usage: start.sh [DIRECTORY]     files go to DIRECTORY; default: a temporary one, removed at the end
# It prints what to try once the fleet is up. Ctrl-C stops everything. It needs the packages postgresql and nats-server.
set -euo pipefail

fulgurite=${FULGURITE:-$(cd "$(dirname "$0")/../.." && pwd)/bin/fulgurite.mjs}
graph=${GRAPH:-synthetic:300}
directory=${1:-$(mktemp -d)}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)

postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$postgres" ] || postgres=$(dirname "$(command -v postgres)")
nats=$(PATH=$PATH:/usr/sbin command -v nats-server)

pids=()
finish() {
  trap - EXIT INT TERM
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  [ -n "${1:-}" ] || rm -rf "$directory"
}
trap 'finish "${1:-}"' EXIT
trap 'exit 0' INT TERM

free_port() {
  node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close(); })"
}

# PostgreSQL refuses to run as root.
as_user=()
database=$directory/postgres
if [ "$(id -u)" = 0 ]; then
  as_user=(setpriv --reuid=postgres --regid=postgres --init-groups)
  database=$(mktemp -d /tmp/fulgurite-postgres-XXXXXX)
  chown postgres "$database"
  trap 'finish "${1:-}"; rm -rf "$database"' EXIT
fi
cd /
port=$(free_port)
"${as_user[@]}" "$postgres/initdb" -D "$database/data" -U owner --auth=trust --encoding=UTF8 --no-locale >"$directory/initdb.log"
"${as_user[@]}" "$postgres/postgres" -D "$database/data" -p "$port" \
  -c listen_addresses=127.0.0.1 -c unix_socket_directories= >"$directory/postgres.log" 2>&1 &
pids+=($!)
until "$postgres/pg_isready" -q -h 127.0.0.1 -p "$port"; do sleep 0.1; done
"$postgres/psql" -q -h 127.0.0.1 -p "$port" -U owner -d postgres \
  -c 'CREATE DATABASE fleet' -c 'CREATE ROLE daemon LOGIN' -c 'CREATE ROLE solver LOGIN'
store() { echo "postgres://$1@127.0.0.1:$port/fleet"; }
"$fulgurite" store prepare "$(store owner)" --daemon-role daemon --solver-role solver

nats_port=$(free_port)
"$nats" -a 127.0.0.1 -p "$nats_port" >"$directory/nats.log" 2>&1 &
pids+=($!)
bus=nats://127.0.0.1:$nats_port

network=127.0.0.1:$(free_port)
"$fulgurite" network simulated --listen "$network" --data-dir "$directory/network" --graph "$graph" \
  >"$directory/network.out" 2>"$directory/network.log" &
pids+=($!)
until grep -q '^ready' "$directory/network.out"; do
  sleep 0.1
  kill -0 "${pids[-1]}" 2>/dev/null || { cat "$directory/network.log" >&2; exit 1; }
done

for n in 1 2; do
  "$fulgurite" start --simulated-network "$network" --data-dir "$directory/daemon$n" --chain regtest --graph "$graph" --workers 1 \
    --store "$(store daemon)" --bus "$bus" >"$directory/daemon$n.out" 2>"$directory/daemon$n.log" &
  pids+=($!)
done
for n in 1 2 3; do
  "$fulgurite" solver --chain regtest --graph "$graph" --workers 1 \
    --store "$(store solver)" --bus "$bus" >"$directory/solver$n.out" 2>"$directory/solver$n.log" &
  pids+=($!)
done
for out in daemon1 daemon2 solver1 solver2 solver3; do
  until grep -q '^ready' "$directory/$out.out"; do
    sleep 0.1
    for pid in "${pids[@]}"; do
      kill -0 "$pid" 2>/dev/null || { cat "$directory"/*.log >&2; exit 1; }
    done
  done
done

echo "the fleet is up. Try:"
echo "  $fulgurite --data-dir $directory/daemon1 listnodes"
echo "  $fulgurite fleet status --chain regtest --store $(store daemon) --bus $bus"
echo "Ctrl-C ends it."
wait
