#!/usr/bin/env bash
# Brings SmolLM2-135M-Instruct (Apache-2.0) into CACHE as Hugging Face folders, once: CACHE/smollm2 and CACHE/smollm2-sharded, float32.
# usage: smollm2.sh PYTHON CACHE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=$1
cache=$2
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
[[ ! -e $cache/smollm2/done || ! -e $cache/smollm2-sharded/done ]] || exit 0
PATH=$(dirname "$python"):$PATH sh "$here/fetch.sh" "$cache" smollm2
"$python" "$here/gguf_to_hf.py" "$cache/smollm2-135m-instruct.gguf" "$cache/smollm2" float32
"$python" "$here/gguf_to_hf.py" "$cache/smollm2-135m-instruct.gguf" "$cache/smollm2-sharded" float32 128
touch "$cache/smollm2/done" "$cache/smollm2-sharded/done"
