#!/usr/bin/env bash
# Tries what the test suite cannot: systemd's own check of the units, and a build of the image, started with a read-only
# root. For root on Debian 12, without a Docker daemon. Where no registry of images can be reached, the bases are made of
# Debian's packages and of the Node that npm has. With helm on the path, the chart is linted, too.
set -euo pipefail
cd "$(dirname "$0")/.."
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends buildah mmdebstrap systemd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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

node_image=$(sed -n 's/^ARG NODE_IMAGE=//p' deploy/Dockerfile)
last_image=$(sed -n 's/^ARG RUNTIME_IMAGE=//p' deploy/Dockerfile)
bases=()

# Makes an image of an archive of a root; prints the name of a container of it for more.
import() {
  local container
  container=$(buildah from scratch)
  buildah add -q "$container" "$1" / >/dev/null
  echo "$container"
}

if ! buildah pull -q "docker.io/library/$node_image" 2>/dev/null; then
  version=${node_image#node:}
  node_image=localhost/karat-node
  bases+=(--build-arg "NODE_IMAGE=$node_image")
  npm pack --silent --pack-destination "$work" "node-linux-$(node -p process.arch)@${version%%-*}" npm@11 >/dev/null
  mkdir "$work/node" "$work/npm"
  tar -xzf "$work"/node-linux-*.tgz -C "$work/node"
  tar -xzf "$work"/npm-*.tgz -C "$work/npm"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates,libatomic1,libstdc++6 bookworm "$work/slim.tar"
  container=$(import "$work/slim.tar")
  buildah copy -q "$container" "$work/node/package/bin/node" /usr/local/bin/node
  buildah copy -q "$container" "$work/npm/package" /usr/local/lib/node_modules/npm
  buildah run "$container" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
  buildah run "$container" -- ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
  buildah run "$container" -- chmod +x /usr/local/lib/node_modules/npm/bin/npm-cli.js /usr/local/lib/node_modules/npm/bin/npx-cli.js
  # A network with a certificate authority of its own.
  buildah copy -q "$container" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  buildah commit -q --rm "$container" "$node_image"
fi
if ! buildah pull -q "$last_image" 2>/dev/null; then
  mmdebstrap --quiet --variant=extract bookworm "$work/cc.tar" \
    --include=base-files,ca-certificates,libc6,libgcc-s1,libgomp1,libssl3,libstdc++6,netbase,tzdata
  bases+=(--build-arg RUNTIME_IMAGE=localhost/karat-runtime)
  buildah commit -q --rm "$(import "$work/cc.tar")" localhost/karat-runtime
fi

buildah bud --format docker --pull=never "${bases[@]}" -f deploy/Dockerfile -t karat .
buildah bud --format docker --pull=never "${bases[@]}" -f deploy/Dockerfile --target signer -t karat-signer .
container=$(buildah from --pull=never localhost/karat)
mounted=$(buildah mount "$container")
size=$(du -s --apparent-size --block-size=1000000 "$mounted" | cut -f 1)
echo "the image has $size MB"
mkdir "$work/read-only"
# The same user as in the image, on a root that cannot be written.
unshare --mount bash -ec '
  mount --bind "$0" "$1"
  mount -o remount,ro,bind "$1"
  chroot --userspec=65532:65532 "$1" /usr/local/bin/node /karat/packages/service/bin/karat.mjs --help' \
  "$mounted" "$work/read-only" | grep -q 'karat <command>'
buildah rm "$container" >/dev/null
[ "$size" -lt 250 ]
