#!/usr/bin/env bash
# Makes the tests' Python environment in build/venv once and again whenever requirements.txt changes.
# usage: venv.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
venv=$1/venv
if cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
  exit 0
fi
echo "Making the tests' Python environment in $venv"
rm -rf "$venv"
mkdir -p "$1"
# Debian's own interpreter: another one on the PATH may lack the venv module.
/usr/bin/python3 -m venv "$venv"
"$venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
cp "$here/requirements.txt" "$venv/requirements.txt"
