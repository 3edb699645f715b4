#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares the PSNR of JPEG 2000 at equal size with OpenJPEG and Grok: bench/j2k_quality.sh KOSTKA PHOTO… For each
# photograph (at half its size) and ratio the others make a file each, and Kostka one that is no longer than the shorter
# of them.
set -eu
kostka=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
size() {
    wc -c <"$1" | tr -d ' '
}
decibels() {
    "$kostka" compare "$work/photo.ppm" "$1" 2>/dev/null | sed -n 's/.*PSNR \([0-9.]*\) dB.*/\1/p'
}
printf '%-16s %5s %9s %9s %9s %9s %9s %9s\n' photograph ratio bytes OpenJPEG Kostka bytes Grok Kostka
for photo in "$@"; do
    "$kostka" convert --scale 1/2 "$photo" "$work/photo.ppm" || continue
    pixels=$(head -n 2 "$work/photo.ppm" | tail -n 1 | awk '{ print $1 * $2 }')
    for ratio in 10 20 50; do
        opj_compress -i "$work/photo.ppm" -o "$work/opj.jp2" -I -r "$ratio" >/dev/null 2>&1
        grk_compress -i "$work/photo.ppm" -o "$work/grk.jp2" -I -r "$ratio" >/dev/null 2>&1
        line=$(printf '%-16s %5s' "$(basename "$photo" .jpg)" "$ratio")
        for peer in opj grk; do
            bytes=$(size "$work/$peer.jp2")
            rate=$(awk "BEGIN { printf \"%.8f\", 8 * $bytes / $pixels }")
            "$kostka" encode --rate "$rate" "$work/photo.ppm" "$work/own.jp2"
            [ "$(size "$work/own.jp2")" -le "$bytes" ] || exit 1
            line="$line $(printf '%9s %9s %9s' "$bytes" "$(decibels "$work/$peer.jp2")" "$(decibels "$work/own.jp2")")"
        done
        printf '%s\n' "$line"
    done
done
