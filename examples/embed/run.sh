#!/usr/bin/env bash
# Builds the example with plain compilers against two bundles, for this machine and for AArch64, and runs both (the latter under qemu).
# usage: run.sh [HEADRACE [WORK_DIR]]      default: build/bin/headrace, build/embed
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
headrace=$(realpath "${1:-$top/build/bin/headrace}")
work=${2:-$top/build/embed}
mkdir -p "$work"
work=$(cd "$work" && pwd)

# build COMPILER BUNDLE TRIPLE OUT FLAGS...: two programs, OUT-mapped and OUT-linked.
build() {
  local compiler=$1 bundle=$2 triple=$3 out=$4
  shift 4
  local flags=(-O2 -std=c11 -D_GNU_SOURCE -I"$bundle/include" -DWEIGHTS_FILE="\"$bundle/weights.bin\"" "$@")
  local libraries=("$bundle/lib/$triple/libbrook.a" "$bundle/lib/$triple/libhr_port_posix.a" -pthread)
  "$compiler" "${flags[@]}" "$here/embed.c" "$here/weights_mapped.c" "${libraries[@]}" -o "$out-mapped"
  "$compiler" "${flags[@]}" "$here/embed.c" "$here/weights_linked.c" "$here/weights_linked.S" "${libraries[@]}" -o "$out-linked"
}

# check TEXT NAME: every variant says the same.
check() {
  if [[ -z ${expected:-} ]]; then
    expected=$1
    echo "$expected"
  elif [[ $1 != "$expected" ]]; then
    echo "$2 says something else: $1" >&2
    exit 1
  fi
  echo "ok: $2"
}

for target in host armv8.2-a+dotprod; do
  "$headrace" compile "$top/examples/models/brook" -o "$work/$target.bundle" --target "$target" --quant w4
done
build cc "$work/host.bundle" "$(uname -m)-linux-gnu" "$work/host"
for variant in mapped linked; do check "$("$work/host-$variant")" "cc, weights $variant"; done

if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
  build aarch64-linux-gnu-gcc "$work/armv8.2-a+dotprod.bundle" aarch64-linux-gnu "$work/aarch64" -static
  for variant in mapped linked; do
    check "$(qemu-aarch64 -cpu cortex-a76 "$work/aarch64-$variant")" "aarch64-linux-gnu-gcc under qemu, weights $variant"
  done
fi
