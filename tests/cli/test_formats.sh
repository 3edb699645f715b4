#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is read from one format and written to another comes back the same.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

convert() {
    "$KOSTKA" convert "$@" 2>err || fail "convert $*: $(cat err)"
}

picture 37 23 >plain.ppm
convert plain.ppm colour.ppm
equals "$(head -c 2 colour.ppm)" P6
identical plain.ppm colour.ppm
{ printf 'P2\n3 2 255\n'; echo 0 50 100 150 200 255; } >plain.pgm
convert plain.pgm grey.pgm
{ printf 'P5\n3 2\n255\n'; printf '\000\062\144\226\310\377'; } >expected.pgm
same grey.pgm expected.pgm
{ printf 'P1\n# bits\n10 2\n'; echo '1010101010 0000011111'; } >plain.pbm
convert plain.pbm bits.pgm
{ printf 'P4 10 2\n'; printf '\252\200\007\300'; } >raw.pbm
identical raw.pbm bits.pgm
equals "$(tail -c 20 bits.pgm | od -An -tu1 -v | tr -s ' \n' ' ')" \
    " 0 255 0 255 0 255 0 255 0 255 255 255 255 255 255 0 0 0 0 0 " 'PBM: 1 is black'

# Every format returns the pixels that were written, grey and colour, 8 and 16 bits, with and without compression.
picture 37 23 65535 >wide.ppm
{ printf 'P2\n3 2 65535\n'; echo 0 1 256 32768 65534 65535; } >wide.pgm
for extension in png tif pam pnm; do
    for file in plain.ppm plain.pgm plain.pbm wide.ppm wide.pgm; do
        convert "$file" "back.$extension"
        identical "$file" "back.$extension"
        "$KOSTKA" compare "$file" "back.$extension" >/dev/null || fail "$file through $extension"
    done
done
for level in 0 1 9; do
    convert plain.ppm level.png --compression $level
    identical plain.ppm level.png
    convert wide.ppm level.tif --compression $level
    identical wide.ppm level.tif
done
convert wide.ppm wide.png
equals "$("$KOSTKA" info --json wide.png | json 0 depth)" 16
expect 1 "$KOSTKA" compare plain.ppm wide.ppm
prints 'bit depth'

# Maxima of all kinds; samples above the maximum are taken for it.
{ printf 'P2\n4 1 3\n'; echo 0 1 2 3; } >three.pgm
convert three.pgm scaled.pgm
equals "$(tail -c 4 scaled.pgm | od -An -tu1 | tr -s ' ')" ' 0 85 170 255'
{ printf 'P2\n2 1 1023\n'; echo 5 1023; } >ten.pgm
convert ten.pgm ten.pnm
grep -qa '^1023$' ten.pnm || fail 'ten bits are not kept'
convert ten.pgm ten.png
equals "$("$KOSTKA" info --json ten.png | json 0 depth)" 16
{ printf 'P2\n2 1 10\n'; echo 5 4000; } >above.pgm
convert above.pgm above2.pgm
equals "$(tail -c 2 above2.pgm | od -An -tu1 | tr -s ' ')" ' 128 255'

# PAM's tuple types.
{ printf 'P7\nWIDTH 1\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\n# ink\nENDHDR\n'; printf '\001\002\003\004\377\376\375\374'; } >inks.pam
for extension in tif pam; do
    convert inks.pam "inks2.$extension"
    convert "inks2.$extension" back.pam
    equals "$(tail -c 8 back.pam | od -An -tu1 | tr -s ' ')" ' 1 2 3 4 255 254 253 252' "CMYK through $extension"
done
convert inks.pam inks.png
equals "$("$KOSTKA" info --json inks.png | json 0 colour)" RGB
{ printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'; printf 'abcdefgh'; } >alpha.pam
for extension in png tif pam; do
    convert alpha.pam "alpha2.$extension"
    convert "alpha2.$extension" back.pam
    equals "$(tail -c 8 back.pam)" abcdefgh "alpha through $extension"
done
convert alpha.pam alpha.ppm
equals "$(tail -c 6 alpha.ppm)" abcefg
{ printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n'; printf 'aXbY'; } >greyalpha.pam
convert greyalpha.pam back.pam
equals "$(tail -c 8 back.pam)" aaaXbbbY
expect 0 "$KOSTKA" convert alpha.pam alpha.jpg
says 'transparency is dropped'
convert colour.ppm opaque.pam
expect 0 "$KOSTKA" encode opaque.pam opaque.jpg
[ ! -s err ] || fail "an opaque picture warns: $(cat err)"

# The format is known by the contents, whatever the name; --out-format goes before the extension.
cp back.png misnamed.ppm
identical misnamed.ppm back.png
convert plain.ppm odd.name --out-format png
identical odd.name plain.ppm
expect 1 "$KOSTKA" convert plain.ppm colour.pgm
says 'grey only'
[ ! -e colour.pgm ] || fail 'a file was made of nothing'
convert plain.pgm grey.ppm
equals "$(head -c 2 grey.ppm)" P6

# Damaged files are errors, and leave nothing behind.
for file in plain.ppm plain.pgm plain.pbm raw.pbm wide.png level.tif inks.pam alpha2.png; do
    size=$(wc -c <"$file")
    for part in 1 2 3; do
        head -c $((size * part / 4)) "$file" >cut.file
        rm -f made.ppm
        "$KOSTKA" convert cut.file made.ppm >out 2>err
        code=$?
        [ $code = 1 ] || [ $code = 0 ] || fail "$file cut to $part/4: exit status $code"
        [ $code = 0 ] || [ -s err ] || fail "$file cut to $part/4: no message"
        [ $code = 0 ] || [ ! -e made.ppm ] || fail "$file cut to $part/4: a file was made"
    done
done
: >empty.ppm
expect 1 "$KOSTKA" convert empty.ppm made.png
says empty
echo 'P6 99999999 99999999 255' >huge.ppm
expect 1 "$KOSTKA" convert huge.ppm made.png
says max-pixels
echo 'P6 0 5 255' >nothing.ppm
expect 1 "$KOSTKA" convert nothing.ppm made.png
echo 'hello, world' >text.ppm
expect 1 "$KOSTKA" convert text.ppm made.png
says 'no known format'
expect 1 "$KOSTKA" convert plain.ppm made.png --max-pixels 850
expect 0 "$KOSTKA" convert plain.ppm made.png --max-pixels 851
finish
