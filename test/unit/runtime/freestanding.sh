#!/usr/bin/env bash
# Compiles the freestanding runtime for every triple, with and without optimisation, and looks at what came out:
#   - nothing is undefined in the core with its support functions, as a whole archive and as a shared object,
#   - no public symbol but those of the public headers,
#   - core, tokenizer and sampler stay within 96 KB of code and constants on AArch64.
#   - the core as one file compiles on its own.
# usage: freestanding.sh CLANG WORK_DIR INCLUDES(;) CORE(;) SUPPORT(;) PORT_NONE(;) ONE_FILE
set -euo pipefail
clang=$1 work=$2
ccache=$(command -v ccache || echo env)
IFS=';' read -ra includes <<<"$3"
IFS=';' read -ra core <<<"$4"
IFS=';' read -ra support <<<"$5"
IFS=';' read -ra none <<<"$6"
one_file=$7
version=22
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

check() { # triple, optimisation, extra flags ...
  local triple=$1 level=$2 out="$work/$1-O$2"
  shift 2
  rm -rf "$out" && mkdir -p "$out"
  local objects=() file object
  for file in "${core[@]}" "${support[@]}" "${none[@]}"; do
    object="$out/$(basename "$file" .c).o"
    "$ccache" "$clang" --target="$triple" "-O$level" -std=c11 -ffreestanding -fvisibility=hidden -fPIC -ffp-contract=off \
      -Wall -Wextra -Werror -Wno-unused-parameter "$@" "${includes[@]/#/-I}" -c "$file" -o "$object"
    objects+=("$object")
  done
  ld.lld-$version -r "${objects[@]}" -o "$out/all.o"
  local undefined
  undefined=$(llvm-nm-$version -u "$out/all.o" | awk '{print $NF}' | sort -u | tr '\n' ' ')
  [ -z "$undefined" ] || fail "$triple -O$level: undefined: $undefined"
  if [[ $triple == *linux* ]]; then
    ld.lld-$version -shared --no-undefined -z max-page-size=16384 "$out/all.o" -o "$out/libcore.so" || fail "$triple -O$level: shared object"
    local foreign
    foreign=$(llvm-nm-$version -D --defined-only "$out/libcore.so" | awk '{print $NF}' | grep -v '^hr_' | tr '\n' ' ' || true)
    [ -z "$foreign" ] || fail "$triple -O$level: exports $foreign"
  fi
  local size
  size=$(llvm-size-$version -A "$out/all.o" | awk '/^\.(text|rodata)/ {sum += $2} END {print sum}')
  echo "$triple -O$level: $size bytes of code and constants"
  if [[ $triple == aarch64-linux-gnu && $level == 2 ]] && ((size > 96 * 1024)); then
    fail "$triple: expected at most $((96 * 1024)) bytes, found $size"
  fi
}

for level in 0 2; do
  check x86_64-linux-gnu $level
  check aarch64-linux-gnu $level
  check aarch64-none-elf $level
  check thumbv7em-none-eabi $level -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=softfp
done
for triple in x86_64-linux-gnu aarch64-none-elf; do
  "$ccache" "$clang" --target=$triple -O2 -std=c11 -ffreestanding -Wall -Wextra -Werror -Wno-unused-parameter -c "$one_file" \
    -o "$work/one-file.o" || fail "$triple: headrace_runtime.c"
done
exit $failed
