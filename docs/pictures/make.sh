#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes the pictures of docs/filters.md from a scene that is drawn here, so that they are nobody else's.
#
#     docs/pictures/make.sh KOSTKA
set -eu
kostka=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Hills under an evening sky, a house with lit windows, a fence, and grain.
awk -v w=240 -v h=180 '
function hill(x, base, tall, wide) { return base - tall * (sin(x / wide) + 0.5 * sin(x / wide * 2.7 + 1)) }
BEGIN {
    srand(7)
    print "P3"; print w, h; print 255
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++) {
            r = 60 + 150 * y / h; g = 90 + 60 * y / h; b = 190 - 80 * y / h
            d = sqrt((x - 176) ^ 2 + (y - 50) ^ 2)
            if (d < 22) { r = 255; g = 225; b = 130 }
            else if (d < 60) { r += 60 - d; g += (60 - d) / 2 }
            if (y > hill(x, 112, 14, 34)) { r = 70; g = 80; b = 130 }
            if (y > hill(x + 90, 128, 10, 21)) { r = 60; g = 110; b = 80 }
            if (y > hill(x + 30, 146, 5, 47)) { r = 90; g = 140; b = 50 }
            if (x > 40 && x < 108 && y > 92 && y < 150) { r = 190; g = 150; b = 120; if (y % 8 == 0) { r -= 30; g -= 30; b -= 30 } }
            if (y > 64 && y <= 92 && x > 74 - (y - 62) * 1.4 && x < 74 + (y - 62) * 1.4) { r = 150; g = 55; b = 45; if ((x + y) % 7 == 0) r -= 40 }
            if (((x > 50 && x < 66) || (x > 82 && x < 98)) && y > 104 && y < 122) { r = 255; g = 230; b = 120; if (x == 58 || x == 90 || y == 113) { r = 60; g = 40; b = 30 } }
            if (x > 68 && x < 80 && y > 120 && y < 150) { r = 80; g = 45; b = 30 }
            if (y > 146 && y < 172 && (x % 14 < 3 || y % 12 < 2)) { r = 235; g = 232; b = 225 }
            n = (rand() - 0.5) * 14
            if (rand() < 0.004) n = rand() < 0.5 ? -150 : 150
            printf "%d %d %d\n", c(r + n), c(g + n), c(b + n)
        }
}
function c(v) { v = int(v + 0.5); return v < 0 ? 0 : v > 255 ? 255 : v }' >"$work/scene.ppm"

sh "$here/../../examples/filters.sh" "$kostka" "$work/pictures" "$work/scene.ppm" -q 75 --optimize
"$kostka" encode "$work/scene.ppm" "$here/original.jpg" -q 75 --optimize
for file in "$work"/pictures/*.jpg; do
    cp "$file" "$here/$(basename "$file")"
done
