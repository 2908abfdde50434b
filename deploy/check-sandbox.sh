#!/usr/bin/env bash
# Builds the image of the sandbox and tries what docs/sandbox.md promises of it. For root on Debian 12, after npm ci, without a
# Docker daemon: the image runs as process 1 of its own, on a folder in the place of a volume, but on the network of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/bases.sh
trap 'set +e; [ -z "${engine:-}" ] || kill -KILL "$engine" 2>/dev/null; rm -rf "$work"' EXIT

build sandbox.Dockerfile karat-sandbox
container=$(buildah from --pull=never localhost/karat-sandbox)
mounted=$(buildah mount "$container")
check_size "$mounted" 330
configured() { buildah inspect --format "{{range .OCIv1.Config.$1}}{{println .}}{{end}}" "$container" | grep .; }
mapfile -t env < <(configured Env)
mapfile -t entry < <(configured Entrypoint)
folder=$(buildah inspect --format '{{.OCIv1.Config.WorkingDir}}' "$container")
# On the network of this machine, which may have the usual ports already, and is its own host.
env+=(KARAT_PORT=18080 KARAT_OPERATOR_PORT=18090 KARAT_RPC_PORT=18899 KARAT_SHOP_PORT=18070)
echo '127.0.0.1 localhost host.docker.internal' >"$work/hosts"
touch "$mounted/etc/hosts"

# start USER STATE [VARIABLE=VALUE...]: starts the image and waits until its health check passes. Sets `engine`, which ends with
# the sandbox, and `sandbox`, its process.
start() {
  local user=$1 state=$2 began=$SECONDS
  mkdir -p "$state"
  chown "$user:$user" "$state"
  env --ignore-environment "${env[@]}" "${@:3}" unshare --mount --pid --ipc --fork --kill-child bash -ec '
    mount --bind "$1" "$0/state"
    mount --bind "$2" "$0/etc/hosts"
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    exec unshare --root="$0" --wd="$3" --setgid "$4" --setuid "$4" "${@:5}"' \
    "$mounted" "$state" "$work/hosts" "$folder" "$user" "${entry[@]}" >"$work/log" 2>&1 &
  engine=$!
  until inside "$user" healthy.mjs 2>/dev/null; do
    if ! kill -0 "$engine" 2>/dev/null || ((SECONDS - began > 180)); then
      cat "$work/log"
      return 1
    fi
    sleep 0.2
  done
  echo "healthy after $((SECONDS - began)) s"
}

# inside USER SCRIPT [ARGUMENT...]: runs a script of the image next to the sandbox, as `docker exec` does.
inside() {
  sandbox=$(pgrep --parent "$engine" --full 'main\.mjs') || return 1
  env --ignore-environment "${env[@]}" \
    nsenter --target "$sandbox" --mount --pid --root --wd --setgid "$1" --setuid "$1" node "${@:2}"
}

# trade STATE WALLET: trades as a partner does on the host, by the script of docs/first-trade.md.
trade() { KARAT_STATE_DIR="$1" node examples/first-trade.mjs "keys/$2.json" | grep "status: 'confirmed'"; }

# webhook STATE: has a webhook sent to a receiver on the host, by the name that containers have for it.
webhook() {
  node - "$1/sandbox.json" <<'JS'
const { partner_api_url: api, partners: [{ api_key: key }] } = JSON.parse(require('fs').readFileSync(process.argv[2]));
const post = async (path, body) => {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const response = await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
};
const receiver = require('http').createServer((_, response) => response.end());
receiver.listen(0, async () => {
  const url = `http://host.docker.internal:${receiver.address().port}/`;
  const { endpoint_id: id, message } = await post('/v1/webhook-endpoints', { url });
  const { delivered, error } = await post(`/v1/webhook-endpoints/${id}/test`, {});
  console.log('webhook', delivered, message ?? error ?? '');
  process.exit(delivered ? 0 : 1);
});
JS
}

state="$work/volume"
start 65532 "$state"
trade "$state" spare-1
webhook "$state"
inside 65532 karat.mjs trigger trade.confirmed | grep -q '"type":"trade.confirmed"'
# What was acknowledged outlives any number of kills; the numbers of processes begin at 1 each time.
for wallet in spare-2 spare-3 spare-4; do
  kill -KILL "$sandbox"
  wait "$engine" 2>/dev/null || true
  start 65532 "$state"
  trade "$state" "$wallet"
done
kill -TERM "$sandbox"
wait "$engine"
grep -q 'Karat has stopped' "$work/log"
[ ! -e "$state/sandbox.json" ]

# Another user, as `docker run --user` makes one, whose the files are; and another name for the machine.
state="$work/other"
start 12345 "$state" KARAT_ADVERTISED_HOST=localhost
[ "$(stat -c %u:%a "$state/sandbox.json" "$state/keys/spare-1.json" | sort -u)" = 12345:600 ]
[ "$(grep -c '://localhost:18' "$state/sandbox.json")" = 8 ]
grep -q 'documentation  http://localhost:18080/' "$work/log"
trade "$state" spare-1
kill -TERM "$sandbox"
wait "$engine"
buildah rm "$container" >/dev/null
