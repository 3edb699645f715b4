#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Palettes, component mappings and channel definitions, and what programs are told of headers and tile-parts, are with Kostka's
# libopenjp2.so.7 what they are with OpenJPEG's, whose opj_dump prints the same.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
for program in opj_compress opj_dump; do
    command -v $program >/dev/null || lacks $program
done
picture 150 120 >a.ppm
opj_compress -i a.ppm -o parts.j2k -t 64,64 -TP R -n 3 >log 2>&1
opj_compress -i a.ppm -o precincts.jp2 -c '[64,64],[32,32]' -r 20,5,1 -p RPCL -M 41 -SOP >log 2>&1
opj_compress -i a.ppm -o rate.jp2 -r 10 -I -t 100,50 -d 7,3 -T 2,1 >log 2>&1
set -- parts.j2k precincts.jp2 rate.jp2

expect 0 "$CHANNELS" "$@"
mv out theirs
LD_LIBRARY_PATH=$COMPAT expect 0 "$CHANNELS" "$@"
mv out ours

# common FILE: without what OpenJPEG refuses, columns that are not used each once and in turn, or does not do, to pass over
# the boxes for a single tile
common() {
    awk '/^[^ ]/ { apart = /^(columns in another order|a column left out|passed over, 2)/ } !apart' "$1"
}
common theirs >theirs.common
common ours >ours.common
diff theirs.common ours.common || fail 'other channels'
[ "$(grep -c ': decoded' theirs.common)" -gt 40 ] || fail 'hardly anything is decoded'
[ "$(grep -c ': an error' theirs.common)" -gt 15 ] || fail 'hardly anything is refused'
equals "$(grep -cE '^(columns in another order|a column left out|passed over), .: decoded' ours)" 9

# The mapping says which column a channel is of.
column() { # NAME CHANNEL
    sed -n "/^$1, 0/,/^$1, 1/s/^  40x40 //p" ours | sed -n "$2p"
}
for pair in 1:3 2:1 3:2; do
    equals "$(column 'columns in another order' "${pair%:*}")" "$(column 'three columns' "${pair#*:}")"
    equals "$(column 'columns in another order of other depths' "${pair%:*}")" "$(column '16 bits and signs' "${pair#*:}")"
done
for pair in 1:1 2:1 3:3; do
    equals "$(column 'a column left out' "${pair%:*}")" "$(column 'three columns' "${pair#*:}")"
done

for file in "$@" "$KOSTKA_CORPUS"/jpeg2000/streams/*; do
    [ -f "$file" ] || continue
    opj_dump -i "$file" -o theirs >log 2>&1
    code=$?
    LD_LIBRARY_PATH=$COMPAT expect $code opj_dump -i "$file" -o ours
    same theirs ours
    rm -f theirs ours
done
finish
