#!/usr/bin/env bash
# Builds the kernels of layer.tw ahead of time and the C program that uses them, into a folder, and runs it.
# usage: build.sh FOLDER; TILEWRIGHT names the command, CC the compiler
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?usage: build.sh FOLDER}
mkdir -p "$folder"
for kernel in layer norm softmax classify; do
  "${TILEWRIGHT:-tilewright}" build "$here/layer.tw" -k "$kernel" -o "$folder" >"$folder/$kernel.files"
done
"${CC:-cc}" -std=c11 -O2 -Wall -Wextra -Werror -I"$folder" "$here/main.c" "$folder"/*.o -o "$folder/main" -lm -lmvec
"$folder/main"
