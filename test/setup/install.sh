#!/usr/bin/env bash
# Installs the Debian packages of the named groups of packages.txt that are missing; silent and quick when none is.
# usage: install.sh GROUP...
set -euo pipefail
list=$(dirname "$0")/packages.txt

missing=()
for group in "$@"; do
  for package in $(awk -v g="$group" '$1 == g { print $2 }' "$list"); do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [[ $status == "install ok installed" ]] || missing+=("$package")
  done
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "install.sh: error: these packages are missing, and neither root nor sudo is here to install them: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${#missing[@]} packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A third-party source that cannot be reached must not stop the installation: only the second command decides.
"${as_root[@]}" apt-get update >"$log" 2>&1 || true
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "install.sh: error: apt-get could not install them; clang-22 and the LLVM 22 packages need Debian 12's bookworm-security suite" >&2
  exit 1
fi
