#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Disparities of two pictures: 'kostka filter stereo'.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# Noise that has moved by three pixels, of which every fifth one is dearer than the one before.
awk 'BEGIN { srand(7); print "P2 43 24 255"; for (i = 0; i < 43 * 24; i++) print int(rand() * 256) }' >wide.pgm
expect 0 "$KOSTKA" filter crop=40x24:0:0 wide.pgm left.png
expect 0 "$KOSTKA" filter crop=40x24:3:0 wide.pgm right.png
expect 0 "$KOSTKA" filter stereo left.png right.png out.png --disparities 16 --confidence sure.png -v
says 'matched: 40x24, 16 disparities'
equals "$("$KOSTKA" info --json out.png | json 0 depth)" 16 depth
equals "$("$KOSTKA" info --json sure.png | json 0 depth)" 8 depth

# Most pixels have moved by 3 × 256; threads change nothing.
expect 0 "$KOSTKA" filter stereo left.png right.png out.pgm --disparities 16 --threads 1
found=$(tail -c 1920 out.pgm | od -An -v -tu1 -w2 | awk '$1 == 3 && $2 < 32 || $1 == 2 && $2 > 224 { n++ } END { print n + 0 }')
[ "$found" -gt 700 ] || fail "$found of 960 disparities are right"
expect 0 "$KOSTKA" filter stereo left.png right.png again.png --disparities=16 --threads=3
same again.png out.png

# PFM has rows from the lowest one on, in pixels.
expect 0 "$KOSTKA" filter stereo left.png right.png out.pfm --disparities 16 --tolerance none --uniqueness 0
equals "$(head -c 14 out.pfm | tr '\n' ' ')" 'Pf 40 24 -1.0 ' header
equals "$(wc -c <out.pfm)" $((14 + 40 * 24 * 4)) length
found=$(tail -c +15 out.pfm | od -An -v -tf4 -w4 | awk '$1 > 2.9 && $1 < 3.1 { n++ } END { print n + 0 }')
[ "$found" -gt 700 ] || fail "$found of 960 disparities in PFM are right"

# What is wrong is said, and nothing is written.
expect 0 "$KOSTKA" filter crop=39x24 wide.pgm narrow.png
expect 1 "$KOSTKA" filter stereo left.png narrow.png no.png
says '40x24 pixels and the right one 39x24'
expect 1 "$KOSTKA" filter stereo left.png missing.png no.png
says 'missing.png'
expect 1 "$KOSTKA" filter stereo left.png right.png no.png --p1 9 --p2 8
says 'p1 is not above it'
expect 1 "$KOSTKA" filter stereo left.png right.png no.png --paths 6
says 'paths are 4 or 8'
expect 1 "$KOSTKA" filter stereo left.png right.png no.png --max-memory 100K
says 'raise the limit with --max-memory'
expect 2 "$KOSTKA" filter stereo left.png right.png no.png --disparities 1
says 'disparities takes a number from 2 to 256'
expect 2 "$KOSTKA" filter stereo left.png right.png no.jpg
says 'is written as PNG, TIFF, PGM, PAM or PFM'
expect 2 "$KOSTKA" filter stereo left.png right.png no.png --confidence no.pfm
says 'no.pfm'
expect 2 "$KOSTKA" filter stereo left.png right.png no.png --confidence no.png
says 'would replace'
expect 2 "$KOSTKA" filter stereo left.png right.png
says 'takes LEFT, RIGHT and OUT, not 2 names'
expect 2 "$KOSTKA" filter stereo left.png right.png no.png --tolerance 256
says 'tolerance'
[ ! -e no.png ] || fail 'no.png was written'
finish
