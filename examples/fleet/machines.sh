#!/usr/bin/env bash
# A fleet on three machines, simulated by network namespaces (Linux, root), each with its own address:
#   10.26.0.11  PostgreSQL, NATS, the simulated network and a daemon
#   10.26.0.12  a daemon and a solver
#   10.26.0.13  a daemon and a solver
# Connections to the database and the bus are encrypted, with a private authority. In front of the daemons, HAProxy
# listens on 127.0.0.1:8326 and checks /readyz of each. Usage: machines.sh [DIRECTORY]. It needs the packages
# postgresql, nats-server, haproxy, iproute2. It prints a rune and what to try, and writes `up` into the directory.
# Ctrl-C stops everything.
set -euo pipefail

fulgurite=${FULGURITE:-$(cd "$(dirname "$0")/../.." && pwd)/bin/fulgurite.mjs}
graph=${GRAPH:-synthetic:300}
directory=${1:-$(mktemp -d)}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
postgres=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
PATH=$PATH:/usr/sbin
first=10.26.0.11

pids=()
database=$(mktemp -d /tmp/fulgurite-postgres-XXXXXX)
finish() {
  trap - EXIT INT TERM
  daemons=$(cat "$directory"/*.pid 2>/dev/null || true)
  for pid in "${pids[@]}" $daemons; do kill "$pid" 2>/dev/null || true; done
  wait
  # A daemon that was restarted is not a child of this script, so `wait` does not cover it.
  for pid in $daemons; do while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; done
  for n in 1 2 3; do
    ip link del "fulgurite-$n" 2>/dev/null || true
    ip netns del "fulgurite$n" 2>/dev/null || true
  done
  ip link del fulgurite0 2>/dev/null || true
  rm -rf "$database"
}
trap finish EXIT
trap 'exit 0' INT TERM

# Three machines on one switch.
ip link add fulgurite0 type bridge
ip addr add 10.26.0.1/24 dev fulgurite0
ip link set fulgurite0 up
for n in 1 2 3; do
  ip netns add "fulgurite$n"
  ip link add "fulgurite-$n" type veth peer name eth0 netns "fulgurite$n"
  ip link set "fulgurite-$n" master fulgurite0 up
  ip -n "fulgurite$n" addr add "10.26.0.1$n/24" dev eth0
  ip -n "fulgurite$n" link set eth0 up
  ip -n "fulgurite$n" link set lo up
done
# `ip netns exec` is replaced by the program that it starts, so a background process has the process id of the program.

# One authority, one certificate for the first machine.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj '/CN=fleet authority' \
  -keyout "$directory/ca.key" -out "$directory/ca.pem" 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$first" \
  -keyout "$database/server.key" -out "$directory/server.csr" 2>/dev/null
openssl x509 -req -in "$directory/server.csr" -CA "$directory/ca.pem" -CAkey "$directory/ca.key" -CAcreateserial -days 30 \
  -extfile <(echo "subjectAltName=IP:$first") -out "$database/server.pem" 2>/dev/null

# The database accepts encrypted connections with passwords.
password=$(openssl rand -hex 16)
chown -R postgres "$database"
cd /
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
as_postgres "$postgres/initdb" -D "$database/data" --auth=peer --encoding=UTF8 --no-locale --data-checksums >"$directory/initdb.log"
echo 'hostssl all all 10.26.0.0/24 scram-sha-256' >>"$database/data/pg_hba.conf"
ip netns exec fulgurite1 setpriv --reuid=postgres --regid=postgres --init-groups "$postgres/postgres" -D "$database/data" \
  -c listen_addresses="$first" -c unix_socket_directories="$database" -c ssl=on \
  -c ssl_cert_file="$database/server.pem" -c ssl_key_file="$database/server.key" >"$directory/postgres.log" 2>&1 &
pids+=($!)
until "$postgres/pg_isready" -q -h "$database"; do sleep 0.2; done
as_postgres "$postgres/psql" -q -h "$database" <<SQL
CREATE ROLE fulgurite_owner LOGIN PASSWORD '$password';
CREATE ROLE fulgurite_daemon LOGIN PASSWORD '$password';
CREATE ROLE fulgurite_solver LOGIN PASSWORD '$password';
CREATE DATABASE fulgurite OWNER fulgurite_owner;
SQL
store() { echo "postgres://fulgurite_$1:$password@$first/fulgurite?sslrootcert=$directory/ca.pem"; }
FULGURITE_STORE=$(store owner) ip netns exec fulgurite1 "$fulgurite" store prepare \
  --daemon-role fulgurite_daemon --solver-role fulgurite_solver

# The bus.
cat >"$directory/nats.conf" <<CONF
host: $first
tls { cert_file: "$database/server.pem", key_file: "$database/server.key" }
authorization { token: "$password" }
CONF
ip netns exec fulgurite1 nats-server -c "$directory/nats.conf" >"$directory/nats.log" 2>&1 &
pids+=($!)
bus="tls://$password@$first?ca=$directory/ca.pem"

# The network, daemons and solvers. Addresses with passwords are in files.
ready() { until grep -qs '^ready' "$directory/$1.out"; do sleep 0.2; done; }
ip netns exec fulgurite1 "$fulgurite" network simulated --listen "$first:9790" --data-dir "$directory/network" --graph "$graph" \
  >"$directory/network.out" 2>"$directory/network.log" &
pids+=($!)
ready network
for n in 1 2 3; do
  install -d -m 700 "$directory/daemon$n"
  (umask 077; cat >"$directory/daemon$n/config" <<CONF
store=$(store daemon)
bus=$bus
simulated-network=$first:9790
graph=$graph
chain=regtest
workers=1
http=10.26.0.1$n:3010
http-tls=off
http-host=pay.example
CONF
  )
  # A separate script, so that each daemon can be stopped and started alone, as in an upgrade.
  cat >"$directory/start$n.sh" <<CONF
#!/bin/sh
rm -f "$directory/daemon$n.out"
ip netns exec fulgurite$n "$fulgurite" start --data-dir "$directory/daemon$n" \\
  >"$directory/daemon$n.out" 2>>"$directory/daemon$n.log" &
echo \$! >"$directory/daemon$n.pid"
until grep -qs '^ready' "$directory/daemon$n.out"; do sleep 0.2; done
CONF
  sh "$directory/start$n.sh"
done
for n in 2 3; do
  FULGURITE_STORE=$(store solver) FULGURITE_BUS=$bus ip netns exec "fulgurite$n" "$fulgurite" solver --chain regtest --graph "$graph" --workers 1 \
    --health "10.26.0.1$n:3011" >"$directory/solver$n.out" 2>"$directory/solver$n.log" &
  pids+=($!)
done
ready solver2
ready solver3

# One endpoint. A request that a daemon did not accept goes to another daemon; each request has an idempotency key.
rune=$("$fulgurite" --data-dir "$directory/daemon1" -R createrune | sed -E 's/.*"rune" *: *"([^"]+)".*/\1/')
cat >"$directory/haproxy.cfg" <<CONF
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  retries 5
  option redispatch 1
  retry-on conn-failure empty-response response-timeout 503
frontend pay
  bind 127.0.0.1:8326
  http-request set-header Host pay.example
  default_backend daemons
backend daemons
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host pay.example hdr Rune $rune
  server daemon1 10.26.0.11:3010 check inter 500 fall 1 rise 1
  server daemon2 10.26.0.12:3010 check inter 500 fall 1 rise 1
  server daemon3 10.26.0.13:3010 check inter 500 fall 1 rise 1
CONF
haproxy -f "$directory/haproxy.cfg" >"$directory/haproxy.log" 2>&1 &
pids+=($!)
until (exec 3<>/dev/tcp/127.0.0.1/8326) 2>/dev/null; do sleep 0.1; done

echo "$rune" >"$directory/rune"
touch "$directory/up"
echo "the fleet is up. Try:"
echo "  curl -H 'Rune: $rune' http://127.0.0.1:8326/v1/getinfo -d '{}'"
echo "  kill \$(cat $directory/daemon2.pid); sh $directory/start2.sh      # a rolling upgrade, one daemon after the other"
echo "  sudo ip netns exec fulgurite1 $fulgurite fleet status --data-dir $directory/daemon1"
echo "Ctrl-C ends it."
wait
