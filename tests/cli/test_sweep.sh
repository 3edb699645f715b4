#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Depths from pictures with their cameras: 'kostka filter sweep'.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# Three cameras side by side see a wall five units away; their pictures are parts of a wider one.
awk 'BEGIN { srand(7); print "P2 56 30 255"; for (i = 0; i < 56 * 30; i++) print int(rand() * 256) }' >noise.pgm
expect 0 "$KOSTKA" filter gaussian=0.8 noise.pgm wide.pgm
mkdir scene
expect 0 "$KOSTKA" filter crop=48x30:3:0 wide.pgm scene/middle.png
expect 0 "$KOSTKA" filter crop=48x30:8:0 wide.pgm scene/right.png
expect 0 "$KOSTKA" filter crop=48x30:0:0 wide.pgm scene/left.png
turn='1 0 0 0 1 0 0 0 1'
lens='50 0 24 0 50 15 0 0 1'
printf '3\nmiddle.png %s %s 0 0 0\nleft.png %s %s 0.3 0 0\nright.png %s %s -0.5 0 0\n' "$lens" "$turn" "$lens" "$turn" "$lens" "$turn" >scene/wall_par.txt
expect 0 "$KOSTKA" filter sweep --depths 3:10 --unit 0.001 scene/wall_par.txt depth.pgm --confidence sure.png --cloud wall.ply -v
says 'swept: 48x30, 3 views, 64 planes'
right=$(tail -c 2880 depth.pgm | od -An -v -tu1 -w2 | awk '{ d = $1 * 256 + $2; if (d > 4900 && d < 5100) n++ } END { print n + 0 }')
[ "$right" -gt 1000 ] || fail "$right of 1440 depths are right"
equals "$("$KOSTKA" info --json sure.png | json 0 depth)" 8 depth

# The cloud has a point for each known depth, which lies where the wall is.
known=$(tail -c 2880 depth.pgm | od -An -v -tu1 -w2 | awk '$1 + $2 > 0 { n++ } END { print n + 0 }')
equals "$(sed -n 's/^element vertex //p' wall.ply)" "$known" points
length=$(sed '/^end_header$/q' wall.ply | wc -c)
equals "$(wc -c <wall.ply)" $((length + 15 * known)) length
flat=$(tail -c +$((length + 1)) wall.ply | od -An -v -tu1 -w15 | awk '$12 == 64 && $11 >= 152 && $11 < 168 { n++ } END { print n + 0 }')
[ "$flat" -gt 1000 ] || fail "$flat points lie from 4.75 to 5.25"

# JSON says the same, as do other threads; PFM has the numbers themselves.
camera='"k": [50, 0, 24, 0, 50, 15, 0, 0, 1], "r": [1, 0, 0, 0, 1, 0, 0, 0, 1], "t"'
printf '{"cameras": [{"file": "left.png", %s: [0.3, 0, 0]}, {"file": "middle.png", %s: [0, 0, 0]}, {"file": "right.png", %s: [-0.5, 0, 0]}]}' \
    "$camera" "$camera" "$camera" >scene/wall.json
expect 0 "$KOSTKA" filter sweep --depths 3:10 --unit 0.001 --reference middle.png --threads 1 scene/wall.json again.pgm
same again.pgm depth.pgm
expect 0 "$KOSTKA" filter sweep --depths 3:10 --measure sad --views 2 --agreeing 1 --planes 16 --radius 3 scene/wall_par.txt depth.pfm
equals "$(head -c 14 depth.pfm | tr '\n' ' ')" 'Pf 48 30 -1.0 ' header

# What is wrong is said, and nothing is written.
expect 2 "$KOSTKA" filter sweep scene/wall_par.txt no.png
says 'needs --depths'
expect 2 "$KOSTKA" filter sweep --depths 3 scene/wall_par.txt no.png
says 'NEAREST:FARTHEST'
expect 2 "$KOSTKA" filter sweep --depths 4:3 scene/wall_par.txt no.png
says 'NEAREST:FARTHEST'
expect 2 "$KOSTKA" filter sweep --depths 3:10 scene/wall_par.txt no.jpg
says 'is written as PNG'
expect 2 "$KOSTKA" filter sweep --depths 3:10 --cloud no.txt scene/wall_par.txt no.png
says 'choose the extension .ply'
expect 1 "$KOSTKA" filter sweep --depths 3:10 --reference other.png scene/wall_par.txt no.png
says "no camera has the picture 'other.png'"
expect 1 "$KOSTKA" filter sweep --depths 3:10 --views 2 scene/wall_par.txt no.png
says 'must agree'
expect 1 "$KOSTKA" filter sweep --depths 3:10 --views 4 scene/wall_par.txt no.png
says 'the list has 3 cameras, and --views asks for 4'
expect 1 "$KOSTKA" filter sweep --depths 3:10 --unit 0.0001 scene/wall_par.txt no.png
says 'more than 65535 units'
expect 2 "$KOSTKA" filter sweep --depths 3:10 --confidence no.png scene/wall_par.txt no.png
says 'would replace'
printf '1\nmiddle.png %s %s 0 0 0\n' "$lens" "$turn" >scene/alone.txt
expect 1 "$KOSTKA" filter sweep --depths 3:10 scene/alone.txt no.png
says 'depths need two or more'
for list in '' 'x' '0' '1.5' '4097' '1 a.png 1 2 3' '2 a.png' '{' '{"cameras": []}' '{"cameras": [{"file": "a.png"}]}'; do
    printf '%s' "$list" >bad.txt
    expect 1 "$KOSTKA" filter sweep --depths 3:10 bad.txt no.png
    says 'bad.txt: '
done
sed 's/-0.5 0 0/nan 0 0/' scene/wall_par.txt >scene/nan.txt
expect 1 "$KOSTKA" filter sweep --depths 3:10 scene/nan.txt no.png
says 'camera 2 has a number beyond'
sed 's/right.png/missing.png/' scene/wall_par.txt >scene/missing.txt
expect 1 "$KOSTKA" filter sweep --depths 3:10 scene/missing.txt no.png
says 'missing.png'
[ ! -e no.png ] || fail 'no.png was written'
finish
