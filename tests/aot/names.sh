#!/usr/bin/env bash
# Builds the kernels of names.tw into a folder, links them with names.c and runs it.
# usage: names.sh FOLDER; TILEWRIGHT names the command, CC the compiler
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?usage: names.sh FOLDER}
rm -rf "$folder"
mkdir -p "$folder"
for kernel in a a_run a_0; do "$TILEWRIGHT" build "$here/names.tw" -k "$kernel" -o "$folder"; done
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I"$folder" "$here/names.c" "$folder"/*.o -o "$folder/names" -lm -lmvec
"$folder/names"
