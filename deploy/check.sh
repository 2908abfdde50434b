#!/usr/bin/env bash
# Tries what the test suite cannot: systemd's own check of the units, and a build of the image, which serves a trade from a root
# that cannot be written. For root on Debian 12, after npm ci, without a Docker daemon. With helm on the path, the chart is linted
# and rendered, too.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/bases.sh

root="$work/root"
mkdir -p "$root/etc/karat" "$root/etc/systemd/system" "$root/opt/karat/packages/service/bin" "$root/usr/lib/systemd"
cp -r /usr/lib/systemd/system "$root/usr/lib/systemd/"
cp -r deploy/systemd/. "$root/etc/systemd/system/"
cp packages/service/bin/karat.mjs "$root/opt/karat/packages/service/bin/"
mkdir -p "$root/opt/karat/packages/signer/bin"
cp packages/signer/bin/karat-signer.mjs "$root/opt/karat/packages/signer/bin/"
touch "$root"/etc/karat/{karat,partners,operators,signer}.env
systemd-analyze --root="$root" verify karat.target
# Tenths of the exposure that each may have at most.
exposed() { systemd-analyze security --offline=true --root="$root" --no-pager --threshold="$1" "$2.service" | tail -n 1; }
for name in partners operators keeper; do exposed 2 "karat-sign-$name"; done
for name in serve-partners@1 serve-operators index keep deliver; do exposed 12 "karat-$name"; done

if command -v helm >/dev/null; then
  everything=deploy/helm/karat/ci/everything-values.yaml
  for values in --set=settings.KARAT_PROGRAM_ID=11111111111111111111111111111111 --values=$everything; do
    helm lint --strict "$values" deploy/helm/karat
    helm template --kube-version 1.30 "$values" karat deploy/helm/karat >"$work/manifests.yaml"
  done
fi

build Dockerfile karat
build Dockerfile karat-signer --target signer
container=$(buildah from --pull=never localhost/karat)
mounted=$(buildah mount "$container")
check_size "$mounted" 250
# As another process of a sandbox that runs here: on its database and its chain, with its keys.
state="$work/sandbox"
keys="$work/keys"
clean_up() {
  set +e
  [ -z "${engine:-}" ] || pkill -KILL --parent "$engine"
  [ -z "${sandbox:-}" ] || kill "$sandbox"
  wait
  buildah rm "$container" >/dev/null
  rm -rf "$work"
}
trap clean_up EXIT
node scripts/start.mjs main --state-dir "$state" --port 18080 --operator-port 18090 --rpc-port 18899 --shop-port 18070 >"$work/sandbox.log" 2>&1 &
sandbox=$!
# ready SECONDS PROCESS COMMAND...: waits until the command succeeds, for as long as the process lives.
ready() {
  local end=$((SECONDS + $1))
  until "${@:3}"; do
    if ((SECONDS >= end)) || ! kill -0 "$2"; then
      tail -n 30 "$work"/*.log
      return 1
    fi
    sleep 0.2
  done
}
ready 120 "$sandbox" grep -q 'Karat is ready' "$work/sandbox.log"
read_info() { node -p "const info = $(cat "$state/sandbox.json"); info.$1"; }
mkdir "$keys"
cp "$state"/keys/{service.json,kyc-key} "$keys"
chown -R 65532:65532 "$keys"
mkdir "$mounted/keys"
# The same user as in the image, on a root that cannot be written.
env --ignore-environment PATH=/usr/local/bin:/usr/bin:/bin DATABASE_URL="$(read_info database_url)" \
  KARAT_RPC_URL="$(read_info rpc_url)" KARAT_WS_URL="$(read_info ws_url)" KARAT_PROGRAM_ID="$(read_info chain.program_id)" \
  KARAT_PICKUP_SECRET="$(cat "$state/keys/pickup-secret")" KARAT_KYC_KEY=/keys/kyc-key KARAT_SERVICE_SIGNER=/keys/service.json \
  KARAT_NETWORK=localnet KARAT_MARKET_HOURS=always KARAT_PORT=18180 KARAT_OPERATOR_PORT=18190 \
  unshare --mount --pid --fork --kill-child bash -ec '
    mount --bind "$0" "$0"
    mount -o remount,ro,bind "$0"
    mount --bind "$1" "$0/keys"
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    exec unshare --root="$0" --wd=/karat --setgid 65532 --setuid 65532 node packages/service/bin/karat.mjs serve' \
  "$mounted" "$keys" >"$work/image.log" 2>&1 &
engine=$!
ready 60 "$engine" curl -sf -o /dev/null http://127.0.0.1:18180/ready
# A customer trades through it, by the script of docs/first-trade.md.
mkdir "$work/through"
ln -s "$state/keys" "$work/through/keys"
sed 's,:18080",:18180",' "$state/sandbox.json" >"$work/through/sandbox.json"
KARAT_STATE_DIR="$work/through" node examples/first-trade.mjs | grep "status: 'confirmed'"
grep -q '"route":"/v1/buy"' "$work/image.log"
# It is a child of what made its namespaces, and ends with what it has begun.
pkill --parent "$engine"
timeout 30 tail --pid="$engine" -f /dev/null
