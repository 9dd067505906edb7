#!/usr/bin/env bash
# Links a headrace-run from the freestanding sources and the fake library, for x86-64 and (under qemu) AArch64, and runs it: threads by
# clone, output as JSON and .npy, errors and exit codes.
# usage: headrace_run.sh CLANG WRITE_BLOB WORK_DIR TEST_DIR INCLUDES(;) SOURCES(;)
set -euo pipefail
clang=$1 write_blob=$2 work=$3 tests=$4
ccache=$(command -v ccache || echo env)
IFS=';' read -ra includes <<<"$5"
IFS=';' read -ra sources <<<"$6"
rm -rf "$work" && mkdir -p "$work/fake.bundle"
"$write_blob" "$work/fake.bundle/weights.bin"

expect() { # exit code, pattern of the output, command ...
  local code=$1 pattern=$2 found=0 output
  shift 2
  output=$("$@" 2>&1) || found=$?
  if [ "$found" != "$code" ] || [[ $output != $pattern ]]; then
    echo "FAILED: $*"
    echo "exit code $found, expected $code; output:"
    echo "$output"
    echo "expected: $pattern"
    exit 1
  fi
}

check() { # triple, how to run
  local triple=$1 run=$work/headrace-run-$1 objects=() file
  shift
  mkdir -p "$work/$triple"
  for file in "${sources[@]}" "$tests/fake_library.c" "$tests/fake_tokenizer.c"; do
    objects+=("$work/$triple/$(basename "$file" .c).o")
    "$ccache" "$clang" --target="$triple" -O2 -std=c11 -ffreestanding -fvisibility=hidden -fPIC -ffp-contract=off -ffunction-sections \
      -Wall -Wextra -Wno-unused-parameter "${includes[@]/#/-I}" "-I$tests" -c "$file" -o "${objects[-1]}"
  done
  ld.lld-22 -static --gc-sections --no-undefined -z max-page-size=16384 -e _start "${objects[@]}" -o "$run"
  local b=$work/fake.bundle
  for threads in 1 2 3; do
    expect 0 "{\"ids\":\[*" "$@" "$run" "$b" --ids 72,105 -n 4 --temperature 0 --json --threads $threads
    "$@" "$run" "$b" -p Hi -n 30 --temperature 0 --json --threads $threads --logits "$work/l$threads.npy" --prompt-logits "$work/p$threads.npy" |
      sed 's/,"timings.*//' >"$work/$threads.json"
    cmp "$work/1.json" "$work/$threads.json"
    cmp "$work/l1.npy" "$work/l$threads.npy"
    cmp "$work/p1.npy" "$work/p$threads.npy"
  done
  # Twelve tokens at once, or five, a file, and seven: the same, with one token computed after loading. A stop string.
  local once
  once=$("$@" "$run" "$b" --ids 72,105 -n 12 --seed 3 --ignore-eos --json | sed 's/.*"ids":\[\([0-9,]*\)\].*/\1/')
  expect 0 "{\"ids\":\[${once%,*,*,*,*,*,*,*}\],*" "$@" "$run" "$b" --ids 72,105 -n 5 --seed 3 --ignore-eos --json --save-session "$work/s"
  [ ! -e "$work/s.part" ] || expect 1 "no .part file" false
  expect 0 "{\"ids\":\[${once#*,*,*,*,*,}\],*\"prompt_tokens\":7,\"cached_tokens\":6,\"prefilled_tokens\":1,\"prefill_steps\":1,*" \
    "$@" "$run" "$b" -n 7 --ignore-eos --json --load-session "$work/s"
  cp "$work/s" "$work/session-$triple"
  expect 0 "Hi*" "$@" "$run" "$b" --temperature 0 -n 6 --ignore-eos -p Hi
  local text=$("$@" "$run" "$b" --temperature 0 -n 6 --ignore-eos -p Hi)
  expect 0 "${text:0:4}" "$@" "$run" "$b" --temperature 0 -n 6 --ignore-eos -p Hi --stop nowhere --stop "${text:4:2}"
  expect 2 "headrace: error: --stop: expected a text that is not empty, found ''" "$@" "$run" "$b" -p Hi --stop ""
  head -c 100 "$work/s" >"$work/cut"
  expect 1 "headrace: error: */cut: the saved session is damaged, cut short or of another version" "$@" "$run" "$b" --load-session "$work/cut"
  expect 1 "headrace: error: */weights.bin: magic number: expected 0x* found 0x*" "$@" "$run" "$b" --load-session "$b/weights.bin"
  expect 1 "headrace: error: /absent: cannot be read: no such file or directory" "$@" "$run" "$b" --load-session /absent
  expect 1 "*headrace: error: /absent/s: cannot be written: no such file or directory" "$@" "$run" "$b" --ids 1 -n 1 --save-session /absent/s
  cp "$work/l1.npy" "$work/$triple.npy"
  cp "$work/1.json" "$work/$triple.json"
  expect 0 'usage: *--repetition-penalty R*Exit code*' "$@" "$run" --help
  expect 2 'headrace: error: one of --prompt, --ids and --load-session is missing' "$@" "$run" "$b"
  expect 2 'headrace: error: a bundle is missing' "$@" "$run"
  expect 2 'headrace: error: --prompt and --ids exclude each other' "$@" "$run" "$b" -p x --ids 1
  expect 2 "headrace: error: --ids: expected token ids separated by commas, found '1,x'" "$@" "$run" "$b" --ids 1,x
  expect 2 "headrace: error: --threads: expected a whole number from 1 to 64, found '0'" "$@" "$run" "$b" --ids 1 --threads 0
  expect 2 "headrace: error: --temperature: expected a number of at least 0, found '-1'" "$@" "$run" "$b" --ids 1 --temperature -1
  expect 2 "headrace: error: --top-p: expected a number from 0 to 1, found '1.5'" "$@" "$run" "$b" --ids 1 --top-p=1.5
  expect 2 "headrace: error: --tokens: expected a whole number, found 'many'" "$@" "$run" "$b" --ids 1 -n many
  expect 2 "headrace: error: options: expected one that --help lists, found '--nonsense'" "$@" "$run" "$b" --nonsense
  expect 1 'headrace: error: --ids: expected ids below 264, found 99999' "$@" "$run" "$b" --ids 1,99999
  expect 1 'headrace: error: --ids: expected at most 60 tokens, the context, found 61' "$@" "$run" "$b" --ids "$(seq -s, 1 61)"
  expect 1 'headrace: error: */absent/weights.bin: no such file or directory' "$@" "$run" "$work/absent" --ids 1
  expect 1 'headrace: error: layers.0.mlp.norm: a value became infinite or not a number' "$@" "$run" "$b" --ids 1,257
  expect 1 'headrace: error: /nonexistent/x.npy: cannot be written: no such file or directory' "$@" "$run" "$b" --ids 1 --logits /nonexistent/x.npy
  head -c 30000 "$b/weights.bin" >"$work/cut.bin"
  mkdir -p "$work/cut.bundle" && mv "$work/cut.bin" "$work/cut.bundle/weights.bin"
  expect 1 'headrace: error: */cut.bundle/weights.bin: file size: expected 65536, found 30000' "$@" "$run" "$work/cut.bundle" --ids 1
  local size
  size=$(stat -c %s "$run")
  echo "$triple: headrace-run without generated code and tokenizer: $size bytes"
}

check x86_64-linux-gnu env
if command -v qemu-aarch64 >/dev/null; then
  check aarch64-linux-gnu qemu-aarch64
  cmp "$work/x86_64-linux-gnu.npy" "$work/aarch64-linux-gnu.npy"
  cmp "$work/x86_64-linux-gnu.json" "$work/aarch64-linux-gnu.json"
  cmp "$work/session-x86_64-linux-gnu" "$work/session-aarch64-linux-gnu"
fi
cat "$work/1.json"
