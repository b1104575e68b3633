#!/usr/bin/env bash
# usage: sharpen.sh [IN.pgm [OUT.pgm]]
# Sharpens a binary PGM (P5, 8 bits, header without comments) with sharpen.tw, and prints its statistics before and
# after. A PGM and a .npy file both end in their values, so only the headers change on the way. IN is photo.pgm and OUT
# is sharp.pgm where left out. TILEWRIGHT names the command line (default: that of this tree).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tilewright=${TILEWRIGHT:-$here/../../build/tilewright}
input=${1:-$here/photo.pgm}
output=${2:-sharp.pgm}

fail() { printf 'sharpen.sh: %s\n' "$*" >&2; exit 2; }

[[ -r $input ]] || fail "cannot read '$input'"
{ read -r magic && read -r width height && read -r lightest; } <"$input" 2>/dev/null || fail "'$input' is no PGM"
[[ $magic == P5 && $lightest == 255 && $width =~ ^[0-9]{1,6}$ && $height =~ ^[0-9]{1,6}$ ]] ||
  fail "'$input' is no binary PGM of 8 bits, or its header has comments"
((width > 1 && height > 0)) || fail "'$input' is $width x $height"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
values=$((width * height))
{
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($height, $width), }"
  tail -c "$values" "$input"
} >"$work/image.npy"

statistics() { "$tilewright" run "$here/sharpen.tw" -k statistics -i image="$1" | sed '1d; s/^/  /'; }

printf '%s (%d x %d):\n' "$input" "$width" "$height"
statistics "$work/image.npy"
"$tilewright" run "$here/sharpen.tw" -k sharpen -i image="$work/image.npy" -o "$work/sharp.npy" --verify
{
  printf 'P5\n%d %d\n255\n' "$width" "$height"
  tail -c "$values" "$work/sharp.npy"
} >"$work/sharp.pgm"
mv "$work/sharp.pgm" "$output"
printf '%s:\n' "$output"
statistics "$work/sharp.npy"
