#!/usr/bin/env bash
# Tries what the test suite cannot: systemd's own check of the units, and a build of the image, started with a read-only
# root. For root on Debian 12, without a Docker daemon. With helm on the path, the chart is linted, too.
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
touch "$root/etc/karat/karat.env" "$root/etc/karat/signer.env"
systemd-analyze --root="$root" verify karat.target

if command -v helm >/dev/null; then
  helm lint --strict --set settings.KARAT_PROGRAM_ID=11111111111111111111111111111111,sanctionsList.configMap=lists \
    deploy/helm/karat
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
