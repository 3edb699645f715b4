#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# BMP that is read: all depths, masks, run lengths and headers, with samples worked out by hand; damage and limits.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# bytes NUMBER…: each a byte; little LENGTH NUMBER…: each so many bytes, the lowest first
bytes() {
    for value in "$@"; do
        # shellcheck disable=SC2059 # the format is made here, of octal digits
        printf "\\$((value >> 6 & 3))$((value >> 3 & 7))$((value & 7))"
    done
}
little() {
    length=$1
    shift
    for number in "$@"; do
        i=0
        while [ $i -lt "$length" ]; do
            bytes $((number >> (8 * i)))
            i=$((i + 1))
        done
    done
}

# header DIB-LENGTH WIDTH HEIGHT BITS COMPRESSION COLOURS BYTES-BEFORE-PIXELS
header() {
    printf BM
    little 4 0 0 $((14 + $1 + $7)) "$1"
    if [ "$1" = 12 ]; then
        little 2 "$2" "$3" 1 "$4"
    else
        little 4 "$2" "$3"
        little 2 1 "$4"
        little 4 "$5" 0 2835 2835 "$6" 0
    fi
}

# gives FILE SAMPLE…: the samples of the picture, all channels of a pixel together
gives() {
    file=$1
    shift
    if "$KOSTKA" convert "$file" made.raw --interleave 2>err; then
        equals "$(od -An -v -tu1 made.raw | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')" "$*" "$file"
    else
        fail "$file: $(cat err)"
    fi
    "$KOSTKA" info "$file" >out 2>err || fail "info $file: $(cat err)"
    prints "$file: bmp, "
    # Row by row and as a whole the same is read.
    expect 0 "$KOSTKA" convert -q 100 "$file" whole.jpg
    cp err whole.err
    expect 0 "$KOSTKA" encode -q 100 "$file" rows.jpg
    same whole.jpg rows.jpg
    same whole.err err
    "$KOSTKA" encode -q 100 - - <"$file" >rows.jpg 2>err || fail "$file through pipes: $(cat err)"
    same whole.jpg rows.jpg
}

# Palettes: rows from the bottom, of whole words, entries blue first. Grey ones make grey.
{ header 40 10 2 1 0 2 8; bytes 10 20 30 0 40 50 60 0; bytes 170 128 0 0 255 64 0 0; } >one.bmp
a='30 20 10' b='60 50 40'
# shellcheck disable=SC2086 # words
gives one.bmp $b $b $b $b $b $b $b $b $a $b $b $a $b $a $b $a $b $a $b $a
{ header 40 3 1 4 0 3 12; bytes 0 0 0 0 128 128 128 0 255 255 255 0; bytes 33 0 0 0; } >four.bmp
gives four.bmp 255 128 0
{ header 40 3 1 2 0 4 16; bytes 0 0 0 0 85 85 85 0 170 170 170 0 255 255 255 0; bytes 228 0 0 0; } >two.bmp
gives two.bmp 255 170 85
{ header 12 2 2 8 0 0 768; i=0; while [ $i -lt 256 ]; do bytes $i 1 2; i=$((i + 1)); done; bytes 7 8 0 0 9 255 0 0; } >core.bmp
gives core.bmp 2 1 9 2 1 255 2 1 7 2 1 8
{ header 40 2 1 8 0 1 4; bytes 5 6 7 0; bytes 0 200 0 0; } >short.bmp
gives short.bmp 7 6 5 0 0 0

# Whole colours, upside down or not, and with masks.
{ header 40 2 2 24 0 0 0; bytes 1 2 3 4 5 6 0 0 7 8 9 10 11 12 0 0; } >plain.bmp
gives plain.bmp 9 8 7 12 11 10 3 2 1 6 5 4
{ header 40 2 -2 24 0 0 0; bytes 1 2 3 4 5 6 0 0 7 8 9 10 11 12 0 0; } >down.bmp
gives down.bmp 3 2 1 6 5 4 9 8 7 12 11 10
{ header 40 1 2 32 0 0 0; bytes 1 2 3 4 5 6 7 8; } >unused.bmp
gives unused.bmp 7 6 5 3 2 1
{ header 40 2 1 16 0 0 0; little 2 31744 993; } >fives.bmp
gives fives.bmp 255 0 0 0 255 8
{ header 40 2 1 16 3 0 12; little 4 63488 2016 31; little 2 63488 2016; } >sixes.bmp
gives sixes.bmp 255 0 0 0 255 0
{ header 108 1 1 32 3 0 0; little 4 255 65280 16711680 4278190080; i=0; while [ $i -lt 52 ]; do bytes 0; i=$((i + 1)); done; bytes 1 2 3 4; } >alpha.bmp
gives alpha.bmp 1 2 3 4
{ header 40 1 1 32 3 0 12; little 4 1072693248 1047552 1023; little 4 1072693248; } >tens.bmp
gives tens.bmp 255 255 0 0 0 0
equals "$("$KOSTKA" info --json tens.bmp | json 0 depth)" 16

# Run lengths: runs, pixels as they are, a move, the ends of a row and of the picture.
grey='0 0 0 0 50 50 50 0 100 100 100 0 150 150 150 0'
# shellcheck disable=SC2086 # words
{ header 40 5 3 8 1 4 16; bytes $grey; bytes 3 1 0 0 0 3 1 2 3 0 0 2 1 1 1 2 0 1; } >runs8.bmp
gives runs8.bmp 0 0 0 0 100 50 100 150 0 0 50 50 50 0 0
# shellcheck disable=SC2086 # words
{ header 40 5 2 4 2 4 16; bytes $grey; bytes 5 18 0 0 0 3 49 32 0 1; } >runs4.bmp
gives runs4.bmp 150 50 100 0 0 50 100 50 100 50
# shellcheck disable=SC2086 # words
{ header 40 2 2 8 1 4 16; bytes $grey; bytes 255 1 0 2 255 0 255 2 0 0 255 3 0 1; } >beyond.bmp
gives beyond.bmp 150 150 50 50

# The profile of the last version, the density, and what becomes of them.
{ header 124 1 1 24 0 0 0; little 4 0 0 0 0 1296188740; i=0; while [ $i -lt 52 ]; do bytes 0; i=$((i + 1)); done; little 4 128 6 0; bytes 1 2 3 0; printf ABCDEF; } >profile.bmp
gives profile.bmp 3 2 1
expect 0 "$KOSTKA" convert profile.bmp profile.jpg
"$KOSTKA" info profile.jpg >out
prints 'density 72x72'
prints 'icc  *6 bytes'

# Whatever is cut off or changed is an error or a picture; nothing is made of an error.
for file in one four core plain sixes alpha runs8 runs4 profile; do
    size=$(wc -c <$file.bmp)
    mkdir "damaged-$file"
    at=0
    while [ $at -lt "$size" ]; do
        head -c $at $file.bmp >"damaged-$file/cut-$at.bmp"
        { cat "damaged-$file/cut-$at.bmp"; printf '\377'; tail -c +$((at + 2)) $file.bmp; } >"damaged-$file/changed-$at.bmp"
        at=$((at + (at < 70 ? 3 : 41)))
    done
    survives_damage 100000000 "damaged-$file"
done
{ header 40 60000 60000 8 1 1 4; bytes 0 0 0 0 0 1; } >huge.bmp
expect 1 "$KOSTKA" convert huge.bmp huge.ppm
says max-pixels
{ header 40 20000 20000 1 0 1 4; bytes 0 0 0 0 0 1; } >huge.bmp
expect 1 "$KOSTKA" convert huge.bmp huge.ppm --max-memory 100000000
says max-memory
expect 1 "$KOSTKA" convert huge.bmp huge.ppm
says 'the file ends'
{ header 40 1 -2147483648 24 0 0 0; } >huge.bmp
expect 1 "$KOSTKA" convert huge.bmp huge.ppm
{ header 40 1 1 24 4 0 0; bytes 0 0 0 0; } >jpeg.bmp
expect 1 "$KOSTKA" convert jpeg.bmp made.ppm
says '24 bits with compression 4 cannot be read'
finish
