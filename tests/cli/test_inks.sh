#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CMYK pictures keep their inks from format to format, whichever sense a format counts ink in.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# pam NAME WIDTH HEIGHT MAXIMUM PIXEL: a PAM file of one ink mixture, given as printf escapes
pam() {
    printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL %d\nTUPLTYPE CMYK\nENDHDR\n' "$2" "$3" "$4" >"$1"
    i=0
    while [ $i -lt $(($2 * $3)) ]; do
        # shellcheck disable=SC2059 # the pixel is a format
        printf "$5"
        i=$((i + 1))
    done >>"$1"
}

# samples FILE: the last pixel's bytes
samples() {
    tail -c "$2" "$1" | od -An -tu1 | tr -s ' \n' ' '
}

pam inks.pam 5 3 255 '\1\2\3\4'
expect 0 "$KOSTKA" encode inks.pam inks.jp2
expect 0 "$KOSTKA" decode inks.jp2 back.pam
same inks.pam back.pam
identical inks.pam inks.jp2

# Table M.25 of T.801: 0 is no ink, and so it is in PAM and TIFF.
expect 0 "$KOSTKA" encode inks.pam inks.j2k
expect 0 "$KOSTKA" decode --format raw --interleave inks.j2k inks.raw
equals "$(samples inks.raw 4)" " 1 2 3 4 "
if command -v opj_decompress >/dev/null; then
    expect 0 opj_decompress -i inks.j2k -o opj.raw
    equals "$(samples opj.raw 1)" " 4 "
    equals "$(head -c 1 opj.raw | od -An -tu1 | tr -d ' ')" 1
fi

expect 0 "$KOSTKA" convert inks.pam inks.tif
expect 0 "$KOSTKA" convert inks.tif tiff.jp2
expect 0 "$KOSTKA" convert tiff.jp2 tiff.pam
same inks.pam tiff.pam

pam deep.pam 4 4 65535 '\1\2\100\4\200\6\377\10'
expect 0 "$KOSTKA" encode deep.pam deep.jp2
expect 0 "$KOSTKA" decode deep.jp2 deep-back.pam
same deep.pam deep-back.pam

# JPEG, as Adobe writes it and decoded by libjpeg, in both directions
pam flat.pam 16 16 255 '\20\40\100\0'
expect 0 "$KOSTKA" encode -q 100 flat.pam flat.jpg
expect 0 "$KOSTKA" convert flat.pam flat.tif
expect 0 "$KOSTKA" convert flat.jpg flat.jp2
expect 0 "$KOSTKA" convert flat.jp2 flat-jpeg.pam
expect 0 "$KOSTKA" decode flat.jpg flat-direct.pam
same flat-jpeg.pam flat-direct.pam
expect 0 "$KOSTKA" convert -q 100 flat.jp2 again.jpg
expect 0 "$KOSTKA" decode again.jpg again.pam
same flat-direct.pam again.pam

# Inks have no chrominance to make smaller: with --subsampling they are coded as YCCK, which has some.
coded() {
    expect 0 "$KOSTKA" info "$1"
    prints "JPEG, 16x16, $2, "
}
expect 0 "$KOSTKA" encode flat.pam plain.jpg
coded plain.jpg 'CMYK 1x1,1x1,1x1,1x1'
expect 0 "$KOSTKA" encode flat.pam full.jpg --subsampling 444
same plain.jpg full.jpg
expect 0 "$KOSTKA" encode flat.pam small.jpg --subsampling 420 -q 100
coded small.jpg 'YCCK 2x2,1x1,1x1,2x2'
expect 0 "$KOSTKA" convert flat.jp2 small-jp2.jpg --subsampling 422
coded small-jp2.jpg 'YCCK 2x1,1x1,1x1,2x1'
expect 0 "$KOSTKA" convert flat.tif small-tiff.jpg --subsampling 4:2:0 -q 100
same small-tiff.jpg small.jpg
expect 0 "$KOSTKA" encode flat.tif small-rows.jpg --subsampling 420 -q 100
same small-rows.jpg small.jpg
expect 0 "$KOSTKA" convert plain.jpg small-jpeg.jpg --subsampling 420
coded small-jpeg.jpg 'YCCK 2x2,1x1,1x1,2x2'
"$KOSTKA" decode small.jpg small.pam
"$KOSTKA" compare small.pam flat.pam >out 2>err
between "$(sed -n 's/.*maximum error \([0-9]*\).*/\1/p' out)" 0 3 'difference of inks by way of YCCK'
expect 0 "$KOSTKA" encode flat.pam factors.jpg --subsampling 2x1,1x1,1x1,2x1
coded factors.jpg 'CMYK 2x1,1x1,1x1,2x1'
finish
