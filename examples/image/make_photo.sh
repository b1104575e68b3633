#!/usr/bin/env bash
# Writes photo.pgm, the picture that sharpen.sh takes where it is given none: computes scene.tw, and puts the header of a
# PGM before the values. TILEWRIGHT names the command line (default: that of this tree).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
tilewright=${TILEWRIGHT:-../../build/tilewright}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$tilewright" run scene.tw -o "$work/photo.npy"
{
  printf 'P5\n320 240\n255\n'
  tail -c $((320 * 240)) "$work/photo.npy"
} >photo.pgm
