#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# BMP that is written: grey and RGB, at once and in bands, to files and pipes; what it does not hold is said.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# numbers FILE AT COUNT: bytes of it, in decimal
numbers() {
    od -An -v -tu1 -j "$2" -N "$3" "$1" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# The bytes, worked out by hand: rows from the bottom, of whole words, blue first.
{ printf 'P6 3 2 255\n'; printf '\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017\020\021\022'; } >six.ppm
expect 0 "$KOSTKA" convert six.ppm six.bmp
equals "$(numbers six.bmp 0 54)" "66 77 78 0 0 0 0 0 0 0 54 0 0 0 40 0 0 0 3 0 0 0 2 0 0 0 1 0 24 0 0 0 0 0 24 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
equals "$(numbers six.bmp 54 24)" "12 11 10 15 14 13 18 17 16 0 0 0 3 2 1 6 5 4 9 8 7 0 0 0"
{ printf 'P5 2 2 255\n'; printf '\001\002\003\004'; } >four.pgm
expect 0 "$KOSTKA" convert four.pgm four.dib
equals "$(numbers four.dib 28 2)" "8 0"
equals "$(numbers four.dib 54 8) $(numbers four.dib 1074 4)" "0 0 0 0 1 1 1 0 255 255 255 0"
equals "$(numbers four.dib 1078 8)" "3 4 0 0 1 2 0 0"

# All widths modulo a word come back, from files and through pipes.
for width in 1 2 3 4 5 77; do
    picture $width 9 >a.ppm
    expect 0 "$KOSTKA" convert a.ppm a.bmp
    identical a.ppm a.bmp
    "$KOSTKA" convert a.ppm - --out-format bmp | cmp -s - a.bmp || fail "$width columns through a pipe"
    { echo "P2 $width 3 255"; seq $((3 * width)); } >a.pgm
    expect 0 "$KOSTKA" convert a.pgm a.bmp
    identical a.pgm a.bmp
done

# JPEG goes there in bands, with the same bytes as all at once and as djpeg's, and JPEG 2000 in strips.
picture 301 211 >a.ppm
for options in '' --grey; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" encode a.ppm a.jpg $options
    expect 0 "$KOSTKA" decode a.jpg bands.bmp
    expect 0 "$KOSTKA" convert a.jpg whole.bmp
    same bands.bmp whole.bmp
    "$KOSTKA" decode a.jpg - --out-format bmp | cmp -s - bands.bmp || fail 'bands through a pipe'
    expect 0 "$KOSTKA" decode -bmp a.jpg -o spelled.bmp
    same spelled.bmp bands.bmp
    if command -v djpeg >/dev/null; then
        djpeg -bmp a.jpg >djpeg.bmp
        first=$([ -z "$options" ] && echo 55 || echo 1079)
        tail -c "+$first" djpeg.bmp >expected
        tail -c "+$first" bands.bmp >found
        same expected found
    fi
done
for format in rgba bgra bgr; do
    expect 0 "$KOSTKA" decode --format $format a.jpg $format.bmp
    identical a.jpg $format.bmp
done
expect 0 "$KOSTKA" encode a.ppm a.jp2
expect 0 "$KOSTKA" decode a.jp2 strips.bmp --max-memory 600K
identical strips.bmp a.ppm
{ printf 'P6 6000 4000 255\n'; head -c 72000000 /dev/zero; } >large.ppm
expect 0 "$KOSTKA" encode large.ppm large.jpg
"$PEAK" peak.kb "$KOSTKA" decode large.jpg large.bmp || fail 'a large one'
between "$(cat peak.kb)" 1 200000 'kilobytes of 72 megabytes decoded'
equals "$(wc -c <large.bmp)" 72000054
if ! ldd "$KOSTKA" | grep -q 'lib.san'; then
    between "$(cat peak.kb)" 1 60000 'kilobytes of 72 megabytes decoded'
fi
rm -f large.*

# Inks become RGB; profile and density go along.
{ printf 'P7\nWIDTH 1\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n'; printf '\001\002\003\004\377\376\375\374'; } >inks.pam
expect 0 "$KOSTKA" convert inks.pam inks.bmp
expect 0 "$KOSTKA" convert inks.pam inks.ppm
identical inks.bmp inks.ppm
printf 'a profile' >a.icc
expect 0 "$KOSTKA" encode a.ppm a.jpg --icc a.icc
for call in decode convert; do
    expect 0 "$KOSTKA" $call a.jpg a.bmp
    expect 0 "$KOSTKA" convert a.bmp back.jpg
    expect 0 "$KOSTKA" info back.jpg
    prints 'icc  *9 bytes'
    identical a.bmp a.jpg
done

{ head -c 38 six.bmp; printf '\023\013\000\000\045\026\000\000'; tail -c +47 six.bmp; } >dense.bmp
expect 0 "$KOSTKA" convert dense.bmp again.bmp
same dense.bmp again.bmp

# If BMP cannot hold a picture, a message says so, and no file is made.
picture 5 4 65535 >wide.ppm
expect 1 "$KOSTKA" convert wide.ppm none.bmp
says 'its samples have 16 bits, and those of BMP 8; names ending in .png or .tif make files that hold them'
expect 0 "$KOSTKA" encode wide.ppm wide.jp2
expect 1 "$KOSTKA" decode wide.jp2 none.bmp
says 'its samples have 16 bits'
{ printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'; printf 'abcdefgh'; } >alpha.pam
expect 0 "$KOSTKA" convert alpha.pam alpha.bmp
says 'its transparency is dropped, for BMP of 24 bits has none'
equals "$(numbers alpha.bmp 54 8)" "99 98 97 103 102 101 0 0"
expect 2 "$KOSTKA" convert a.ppm none.bmp --compression 9
says '\--compression is for output in PNG and TIFF; this one is BMP'
# A header that promises 12 gigabytes.
expect 0 "$KOSTKA" encode six.ppm six.jpg
at=$(LC_ALL=C grep -obUa "$(printf '\377\300')" six.jpg | head -n 1 | cut -d: -f1)
{ head -c $((at + 5)) six.jpg; printf '\377\377\377\377'; tail -c +$((at + 10)) six.jpg; } >huge.jpg
expect 1 "$KOSTKA" decode huge.jpg none.bmp --max-pixels 5G --max-memory 100G
says 'BMP holds less than 4 gigabytes'
expect 1 sh -c "'$KOSTKA' convert --max-memory 190000 a.ppm - --out-format bmp >/dev/null"
says 'max-memory'
[ ! -e none.bmp ] || fail 'a file was made of an error'
finish
