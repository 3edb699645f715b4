#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Applies each filter to a picture: NAME.jpg in the output folder, and index.html, which shows them with their chains.
#
#     filters.sh KOSTKA OUTPUT-FOLDER FILE [OPTION…]
set -eu
kostka=$1
out=$2
file=$3
shift 3
mkdir -p "$out"

# A table of colours that makes shadows blue and lights yellow.
table=$out/warm.cube
{
    echo 'LUT_3D_SIZE 2'
    awk 'BEGIN { for (b = 0; b < 2; b++) for (g = 0; g < 2; g++) for (r = 0; r < 2; r++)
        print 0.05 + 0.95 * r, 0.03 + 0.93 * g, 0.2 + 0.55 * b }'
} >"$table"
trap 'rm -f "$table"' EXIT

index=$out/index.html
cat >"$index" <<'HTML'
<!DOCTYPE html>
<meta charset="utf-8">
<title>Filters</title>
<style>
body { font: 15px sans-serif; background: #202020; color: #eee; }
figure { display: inline-block; margin: 8px; vertical-align: top; }
img { max-width: 320px; max-height: 240px; }
</style>
HTML

# What is left of the picture by a crop depends on its size.
size=$("$kostka" info --json "$file" | sed -n 's/^ *"\(width\|height\)": \([0-9]*\),*$/\1=\2/p')
width=$(echo "$size" | sed -n 's/^width=//p' | head -n 1)
height=$(echo "$size" | sed -n 's/^height=//p' | head -n 1)
part=$(((width + 1) / 2))x$(((height + 1) / 2)):$((width / 4)):$((height / 4))

# Each line: the picture's name, and the chain of filters.
while read -r name chain; do
    chain=$(echo "$chain" | sed "s/PART/$part/; s/WIDTH/$(((width + 2) / 3))/; s/LEFT/$((width / 9))/; s/DOWN/$((height / 4))/")
    "$kostka" filter "$(echo "$chain" | sed "s|TABLE|$table|")" -q 85 "$@" "$file" "$out/$name.jpg"
    printf '<figure><img src="%s.jpg" alt=""><figcaption>%s</figcaption></figure>\n' "$name" "$chain" >>"$index"
done <<'CHAINS'
crop crop=PART
resize resize=WIDTHx
rotate rotate=90
flip flip
grey grey
depth depth=16,depth=8
invert invert
levels levels=60:200
threshold grey,threshold=120
equalise equalise
gaussian gaussian=4
median median=4
bilateral bilateral=60:5
sharpen sharpen=2:1.5
sobel sobel
canny grey,gaussian=1,canny=40:120
warp warp=0.9:-0.25:LEFT:0.1:1.2:-DOWN:0.0004:0.0004:weights=bicubic
rgb grey,rgb
channel channel=blue
matrix matrix=0.393:0.769:0.189:0.349:0.686:0.168:0.272:0.534:0.131
lut lut=TABLE
xyz xyz=bits=8
normalise levels=0:65535:70:180,normalise
oil oil=3
cartoon cartoon
painterly painterly=4
lines lines
CHAINS
