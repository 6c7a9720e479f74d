#!/usr/bin/env bash
# What needs more than Node and npm, called by `npm run check:slow` as root on Debian:
# 1. the whole `relay` project on Debian's PostgreSQL 15, the oldest that is supported;
# 2. the `slow` project, which embeds its own Postgres, takes several users, and runs consumers in other languages.
# Exits non-zero when any of it failed, and leaves nothing running or behind but the installed packages.
set -uo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

readonly BIN=/usr/lib/postgresql/15/bin
folder=""

fail() {
  echo "check:slow: $*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "needs root, since it installs packages and runs Postgres as several users."

# What PostgreSQL 15 is, and what the consumers in examples/ are written in and need.
readonly PACKAGES=(postgresql-15
  python3 python3-cryptography python3-psycopg
  golang-go golang-github-lib-pq-dev
  default-jdk-headless libjackson2-databind-java libpostgresql-jdbc-java
  php-cli php-pgsql)

install_packages() {
  dpkg-query -W -f '${Status}\n' "${PACKAGES[@]}" 2>/dev/null | grep -c '^install ok installed$' |
    grep -qx "${#PACKAGES[@]}" && return
  echo "check:slow: installing ${PACKAGES[*]}"
  # The package must not start a cluster of its own.
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  apt-get update -qq || fail "apt-get update failed."
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${PACKAGES[@]}" >/dev/null ||
    fail "they could not be installed."
}

as_postgres() {
  (cd / && umask 077 && runuser -u postgres -- "$@")
}

clean_up() {
  [ -n "$folder" ] || return
  [ -e "$folder/cluster/postmaster.pid" ] &&
    as_postgres "$BIN/pg_ctl" -D "$folder/cluster" -m immediate -w stop >/dev/null
  rm -rf "$folder"
  folder=""
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

start_postgres() {
  folder=$(mktemp -d /tmp/invoice-relay-pg15-XXXXXX) && chown postgres: "$folder" || fail "no temp folder."
  password=$(node -p 'require("node:crypto").randomBytes(18).toString("base64url")')
  (umask 077 && echo "$password" >"$folder/password") && chown postgres: "$folder/password"
  as_postgres "$BIN/initdb" -D "$folder/cluster" -U postgres --auth=scram-sha-256 --pwfile="$folder/password" \
    --encoding=UTF8 --locale=C --no-sync --no-instructions >/dev/null || fail "initdb failed."
  # A time zone and a date style that are not ours: nothing may depend on the server's defaults.
  local options="-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c fsync=off
    -c full_page_writes=off -c timezone=Asia/Kolkata -c datestyle=SQL,DMY"
  for _ in 1 2 3 4 5; do
    port=$(free_port)
    as_postgres "$BIN/pg_ctl" -D "$folder/cluster" -l "$folder/log" -o "${options//$'\n'/ } -c port=$port" -w start \
      >/dev/null && return
  done
  cat "$folder/log" >&2
  fail "PostgreSQL 15 did not start."
}

status=0

install_packages
start_postgres
echo "check:slow: the relay project on $("$BIN/postgres" --version)"
DATABASE_URL="postgres://postgres:$password@127.0.0.1:$port/postgres" vitest run --project relay || status=1
clean_up

echo "check:slow: the slow project on embedded Postgres"
env -u DATABASE_URL vitest run --project slow || status=1

exit "$status"
