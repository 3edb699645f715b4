#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The examples whose pixels stay on the device: white becomes darker towards the edges, a negative of it black.
set -eu
examples=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    printf 'P6\n301 201\n255\n'
    head -c $((301 * 201 * 3)) /dev/zero | tr '\0' '\377'
} >"$work/white.ppm"
"$KOSTKA" encode -q 100 "$work/white.ppm" "$work/white.jpg"

# pixel FILE NUMBER: the first channel of a pixel
pixel() {
    "$KOSTKA" decode "$1" "$work/out.ppm"
    tail -c $((301 * 201 * 3)) "$work/out.ppm" | od -A n -t u1 -j $(($2 * 3)) -N 1 | tr -d ' '
}

ran=0
if "$examples/pipeline_opencl" "$work/white.jpg" "$work/shaded.jpg" 2>"$work/errors"; then
    [ "$(pixel "$work/shaded.jpg" 0)" -lt 70 ]
    [ "$(pixel "$work/shaded.jpg" $((100 * 301 + 150)))" -gt 250 ]
    ran=1
else
    cat "$work/errors"
    grep -q 'where there is OpenCL' "$work/errors"
fi
if "$examples/pipeline_cuda" "$work/white.jpg" "$work/black.jpg" 2>"$work/errors"; then
    [ "$(pixel "$work/black.jpg" $((100 * 301 + 150)))" -lt 5 ]
    "$examples/pipeline_cuda" "$work/black.jpg" "$work/again.jpg"
    [ "$(pixel "$work/again.jpg" 7)" -gt 250 ]
    ran=1
fi
[ "$ran" = 1 ] || {
    echo 'skipped: there is no GPU'
    exit 77
}
