#!/usr/bin/env bash
# Tries what the test suite cannot: systemd's own check of the units, and a build of the image, started with a read-only
# root. For root on Debian 12, without a Docker daemon. With helm on the path, the chart is linted and rendered, too.
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
mkdir "$work/read-only"
# The same user as in the image, on a root that cannot be written.
unshare --mount bash -ec '
  mount --bind "$0" "$1"
  mount -o remount,ro,bind "$1"
  chroot --userspec=65532:65532 "$1" /usr/local/bin/node /karat/packages/service/bin/karat.mjs --help' \
  "$mounted" "$work/read-only" | grep -q 'karat <command>'
buildah rm "$container" >/dev/null
