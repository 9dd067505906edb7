#!/usr/bin/env bash
# Brings published chat templates into CACHE/chat-templates, once: those that the package llama-cpp-python carries in its sources.
# usage: chat_templates.sh PYTHON CACHE
set -euo pipefail
python=$1
cache=$2
version=0.3.36
out=$cache/chat-templates
[[ ! -e $out/done-$version ]] || exit 0
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
[[ ! -e $out/done-$version ]] || exit 0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$python" -m pip download -q --disable-pip-version-check --no-deps --no-binary llama-cpp-python -d "$tmp" llama-cpp-python==$version
tar -xzf "$tmp"/llama_cpp_python-$version.tar.gz -C "$tmp" --wildcards '*/vendor/llama.cpp/models/templates/*.jinja'
rm -rf "$out"
mkdir -p "$out"
cp "$tmp"/llama_cpp_python-$version/vendor/llama.cpp/models/templates/*.jinja "$out"
touch "$out/done-$version"
