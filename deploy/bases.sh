# What deploy/check.sh and deploy/check-sandbox.sh share: buildah without a Docker daemon, and the images that Karat's are built
# on. Where no registry of images can be reached, these are made of Debian's packages and of the Node that npm has, once.
# Sets `work`, a folder that goes with the script, and `bases`, the arguments of `buildah bud` that name the images.
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends buildah curl mmdebstrap procps systemd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bases=()

# Makes an image of an archive of a root; prints the name of a container of it for more.
import() {
  local container
  container=$(buildah from scratch)
  buildah add -q "$container" "$1" / >/dev/null
  echo "$container"
}

# Returns whether an image is here.
have() { buildah inspect --type image "$1" >/dev/null 2>&1; }

make_node() {
  local image=$1 version=$2 container
  npm pack --silent --pack-destination "$work" "node-linux-$(node -p process.arch)@$version" npm@11 >/dev/null
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
  buildah commit -q --rm "$container" "$image"
}

make_runtime() {
  mmdebstrap --quiet --variant=extract bookworm "$work/cc.tar" \
    --include=base-files,ca-certificates,libc6,libgcc-s1,libgomp1,libssl3,libstdc++6,netbase,tzdata
  buildah commit -q --rm "$(import "$work/cc.tar")" "$1"
}

node_image=$(sed -n 's/^ARG NODE_IMAGE=//p' deploy/Dockerfile)
if ! buildah pull -q "docker.io/library/$node_image" 2>/dev/null; then
  node_version=${node_image#node:}
  node_version=${node_version%%-*}
  have "localhost/karat-node:$node_version" || make_node "localhost/karat-node:$node_version" "$node_version"
  bases+=(--build-arg "NODE_IMAGE=localhost/karat-node:$node_version")
fi
if ! buildah pull -q "$(sed -n 's/^ARG RUNTIME_IMAGE=//p' deploy/Dockerfile)" 2>/dev/null; then
  have localhost/karat-runtime || make_runtime localhost/karat-runtime
  bases+=(--build-arg RUNTIME_IMAGE=localhost/karat-runtime)
fi

# build FILE NAME [ARGUMENT...]: builds an image; HEALTHCHECK is Docker's.
build() { buildah bud --format docker --pull=never "${bases[@]}" -f "deploy/$1" -t "$2" "${@:3}" .; }

# Prints the megabytes of a mounted image, and fails above a limit.
check_size() {
  local size
  size=$(du -s --apparent-size --block-size=1000000 "$1" | cut -f 1)
  echo "the image has $size MB"
  [ "$size" -lt "$2" ]
}
