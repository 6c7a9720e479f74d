#!/usr/bin/env bash
# The image and compose.yaml, tried on a real Docker engine: builds, migrates, takes a callback into its own
# Postgres, refuses a wrong token, is healthy, stops cleanly. GitHub Actions runs it; nothing of it stays.
set -euo pipefail
cd "$(dirname "$0")/.."

[ ! -e .env ] || { echo "container-smoke: .env is there already, and would be overwritten." >&2; exit 1; }
token=$(openssl rand -hex 16)
export RELAY_PORT=4999 RELAY_OPS_PORT=4998

clean_up() {
  docker compose logs --no-color >container-smoke.log 2>&1 || true
  docker compose down --volumes --timeout 15 || true
  rm -f .env
}
trap clean_up EXIT

cat >.env <<SETTINGS
POSTGRES_PASSWORD=$(openssl rand -hex 16)
PUBLIC_URL=https://relay.example.com
COLLECTION_API_URL=https://provider.invalid
COLLECTION_API_KEY=$(openssl rand -hex 16)
CALLBACK_TOKENS=$token
SNS_TOPIC_ARN=arn:aws:sns:us-east-1:000000000000:smoke
AWS_REGION=us-east-1
SETTINGS

docker compose up --build --detach
relay="http://127.0.0.1:$RELAY_PORT"
curl --silent --output /dev/null --fail --retry 60 --retry-delay 1 --retry-all-errors "http://127.0.0.1:$RELAY_OPS_PORT/readyz"
expect() {
  local wanted=$1 found
  shift
  found=$(curl --silent --output /dev/null --write-out '%{http_code}' "$@")
  [ "$found" = "$wanted" ] || { echo "container-smoke: $* answered $found instead of $wanted" >&2; exit 1; }
}
expect 200 --json '{"data":{"id":"3f1c6a52-0000-4000-8000-000000000001"}}' "$relay/callbacks/$token"
expect 404 "$relay/metrics"
expect 404 --request POST "$relay/callbacks/not-a-token-that-anybody-gave-out"

recorded=$(docker compose exec -T postgres psql --username invoice_relay --tuples-only --no-align \
  --command "select count(*) from callback")
[ "$recorded" = 1 ] || { echo "container-smoke: $recorded callbacks recorded instead of 1" >&2; exit 1; }
[ "$(docker compose run --rm --no-deps -T relay --version)" = "$(node -p 'require("./package.json").version')" ]

docker compose stop --timeout 15 relay
code=$(docker inspect --format '{{.State.ExitCode}}' "$(docker compose ps --all --quiet relay)")
[ "$code" = 0 ] || { echo "container-smoke: stopped with exit code $code instead of 0" >&2; exit 1; }
echo "container-smoke: built, migrated, recorded, stopped"
