#!/usr/bin/env bash
# Builds the on-chain program.
#   bash program/build.sh           writes program/karat.so, program/karat.so.json and program/layout.json
#   bash program/build.sh --check   changes nothing: rebuilds elsewhere and compares, runs the host tests of the crate
#   bash program/build.sh --to FILE FOLDER    builds the crate in FOLDER to FILE; KARAT_BUILD_TARGET keeps compiled dependencies
# Needs Debian 12 or a system with the same packages; as root it installs what is missing.
set -euo pipefail

readonly LINKER_VERSION=0.2.6 # of sbpf-linker
readonly LLVM_MAJOR=22        # what rustc-web is built with; the linker reads its bitcode
readonly TARGET=bpfel-unknown-none
readonly RUSTC=/usr/bin/rustc # Debian's rustc-web: the one that has core for the target

program=$(cd "$(dirname "$0")" && pwd)
tools=${XDG_CACHE_HOME:-$HOME/.cache}/karat
linker=$tools/sbpf-linker-$LINKER_VERSION-llvm-$LLVM_MAJOR/bin/sbpf-linker
cargo=cargo
work=$(mktemp -d)
target_folder=${KARAT_BUILD_TARGET:-$work/target}
trap 'rm -rf "$work"' EXIT

say() { printf 'program: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

# Installs the Debian packages that are missing.
install_packages() {
  local wanted=(rustc-web libstd-rust-web-dev libstd-rust-web-dev-bpf "llvm-$LLVM_MAJOR" "llvm-$LLVM_MAJOR-dev"
    "libpolly-$LLVM_MAJOR-dev" zlib1g-dev libzstd-dev gcc g++ libc6-dev ca-certificates)
  cargo_is_recent || wanted+=(cargo-web)
  local missing=() package
  for package in "${wanted[@]}"; do
    dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
  done
  if ((${#missing[@]} > 0)); then
    [[ $(id -u) == 0 ]] || die "these packages are missing, run as root once: apt-get install ${missing[*]}"
    say "installing ${missing[*]}"
    apt-get update -qq -o Acquire::Retries=3
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Acquire::Retries=3 --no-install-recommends "${missing[@]}" >"$work/apt.log" 2>&1 ||
      { tail -n 20 "$work/apt.log" >&2; die 'the packages could not be installed'; }
  fi
  cargo_is_recent || cargo=/usr/bin/cargo
  [[ -x $RUSTC ]] || die "no compiler at $RUSTC"
}

# Whether the cargo on the path is 1.85 or newer.
cargo_is_recent() {
  local version
  version=$(cargo --version 2>/dev/null | sed -E 's/^cargo ([0-9]+)\.([0-9]+).*/\1 \2/') || return 1
  read -r major minor <<<"$version"
  [[ ${major:-} =~ ^[0-9]+$ ]] && ((major > 1 || minor >= 85))
}

# Builds the linker into the cache of the user, once for all checkouts.
install_linker() {
  [[ -x $linker ]] && return
  say "building sbpf-linker $LINKER_VERSION, once (about a minute)"
  # It links one small crate: optimizing it would take more than twice as long, and change no byte of what it writes.
  CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off env -u CARGO_ENCODED_RUSTFLAGS -u RUSTFLAGS LLVM_PREFIX=/usr/lib/llvm-$LLVM_MAJOR RUSTC=$RUSTC \
    "$cargo" install "sbpf-linker@$LINKER_VERSION" --locked --quiet --no-default-features \
    --features "bpf-linker/llvm-$LLVM_MAJOR" --root "${linker%/bin/*}" --target-dir "$work/linker" >&2
}

# Compiles the crate in folder $1 to file $2. Paths of this machine are kept out of the binary.
compile() {
  local flags=(-Cpanic=abort -Crelocation-model=static -Ctarget-cpu=v2
    # The Solana VM reads unaligned words; without this every 8 bytes are 8 loads.
    -Ctarget-feature=+allows-misaligned-mem-access
    -Clink-arg=--llvm-args=--bpf-stack-size=4096
    -Clink-arg=--export=memcpy,memmove,memset,memcmp,bcmp
    "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo" "--remap-path-prefix=$1=/karat")
  local encoded
  encoded=$(printf '%s\x1f' "${flags[@]}")
  (
    cd "$1"
    env -u RUSTFLAGS RUSTC=$RUSTC CARGO_TARGET_DIR="$target_folder" CARGO_ENCODED_RUSTFLAGS="${encoded%$'\x1f'}" \
      CARGO_TARGET_BPFEL_UNKNOWN_NONE_LINKER="$linker" \
      "$cargo" rustc --locked --quiet --release --lib --crate-type cdylib --target $TARGET
  ) >"$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; die 'the program does not build'; }
  cp "$target_folder/$TARGET/release/libkarat_program.so" "$2"
}

# Runs cargo for this machine, in the crate, with the same compiler.
host_cargo() {
  (cd "$program" && env -u CARGO_ENCODED_RUSTFLAGS -u RUSTFLAGS RUSTC=$RUSTC RUSTDOC=/usr/bin/rustdoc \
    CARGO_TARGET_DIR="$program/target" \
    "$cargo" "$1" --locked --quiet --target "$($RUSTC -vV | sed -n 's/^host: //p')" "${@:2}")
}

# What the binary depends on beside its source.
toolchain() {
  $RUSTC -vV
  "$linker" --version | sed -n 1p
  printf 'linker LLVM: %s\n' "$("/usr/lib/llvm-$LLVM_MAJOR/bin/llvm-config" --version)"
}

sha256() { sha256sum "$1" | cut -d' ' -f1; }

# Prints the manifest of binary $1.
manifest() {
  printf '{\n  "sha256": "%s",\n  "size": %s,\n  "toolchain": [\n' "$(sha256 "$1")" "$(stat -c %s "$1")"
  toolchain | sed 's/.*/    "&",/; $ s/,$//'
  printf '  ]\n}\n'
}

build() {
  compile "$program" "$program/karat.so"
  manifest "$program/karat.so" >"$program/karat.so.json"
  host_cargo run --example layout >"$program/layout.json"
  say "karat.so is $(stat -c %s "$program/karat.so") bytes, sha256 $(sha256 "$program/karat.so")"
}

check() {
  local committed=$program/karat.so fresh=$work/karat.so
  grep -q "\"$(sha256 "$committed")\"" "$program/karat.so.json" || die 'karat.so is not the file that karat.so.json names'

  say 'host tests of the crate'
  host_cargo test
  host_cargo run --example layout | cmp - "$program/layout.json" || die 'layout.json is not current: run program/build.sh'

  # Another folder than the committed build's: the result must not depend on it.
  mkdir "$work/source"
  cp -r "$program/Cargo.toml" "$program/Cargo.lock" "$program/src" "$work/source/"
  compile "$work/source" "$fresh"
  manifest "$fresh" >"$work/manifest.json"
  if [[ $(sha256 "$fresh") == "$(sha256 "$committed")" ]]; then
    say "the rebuild is karat.so, byte for byte: sha256 $(sha256 "$fresh")"
    mkdir "$work/source/tests"
    cp -r "$program/tests/multisig" "$work/source/tests/"
    compile "$work/source/tests/multisig" "$work/multisig.so"
    cmp "$work/multisig.so" "$program/tests/multisig.so" || die 'tests/multisig.so is not what its source builds to'
  elif diff <(sed -n '/toolchain/,$p' "$work/manifest.json") <(sed -n '/toolchain/,$p' "$program/karat.so.json") >&2; then
    die "karat.so is not current: the same compiler and linker give $(sha256 "$fresh"); run program/build.sh"
  else
    say 'compiler or linker differ from those of karat.so (above): testing the fresh build instead of comparing bytes'
    (cd "$(dirname "$program")" && KARAT_PROGRAM_SO=$fresh npx --loglevel=error vitest run --project program)
    say 'the fresh build passes the whole test suite of the program; its bytes were not compared'
  fi
}

install_packages
install_linker
case ${1:-} in
  '') build ;;
  --check) check ;;
  --to) compile "$(cd "$3" && pwd)" "$2" ;;
  *) die "unknown option $1" ;;
esac
