#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that metadata, tables and sampling are kept when a picture is encoded again.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

convert() {
    "$KOSTKA" convert "$@" 2>err || fail "convert $*: $(cat err)"
}

# hexdigits FILE: to look for bytes in
hexdigits() {
    od -An -v -tx1 "$1" | tr -d ' \n'
}

# holds FILE TEXT…: the file has each of the texts
holds() {
    file=$1
    shift
    for text; do
        grep -aqF "$text" "$file" || fail "$file has no '$text'"
    done
}

lacks() {
    grep -aqF "$2" "$1" && fail "$1 has '$2'"
}

value() {
    "$KOSTKA" info --json "$1" | json 0 "$2"
}

tables() {
    "$KOSTKA" info --json "$1" | json 0 components "$2" quantisers
}

# An Exif structure: orientation 6, PixelXDimension 90, a thumbnail (IFD1) whose bytes are "THUMBNAIL!".
be() { printf '%b' "\\0$(printf %o $(($1 / 256)))\\0$(printf %o $(($1 % 256)))"; }
entry() { be "$1" && be "$2" && be 0 && be 1 && if [ "$2" = 3 ]; then be "$3" && be 0; else be 0 && be "$3"; fi; }
{
    printf 'MM\000\052\000\000\000\010'
    be 2 && entry 274 3 6 && entry 34665 4 38 && be 0 && be 68
    be 2 && entry 40962 3 90 && entry 40963 3 70 && be 0 && be 0
    be 2 && entry 513 4 98 && entry 514 4 10 && be 0 && be 0
    printf 'THUMBNAIL!'
} >exif
equals "$(wc -c <exif)" 108
packet="<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
<rdf:Description xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='6' tiff:Make='a maker'/>\
</rdf:RDF></x:xmpmeta>"

# segment MARKER CONTENTS-FILE
segment() {
    printf '\377%b' "$1" && be $(($(wc -c <"$2") + 2)) && cat "$2"
}

picture 90 70 >a.ppm
"$KOSTKA" encode a.ppm plain.jpg -q 91 --subsampling 422 --exif exif --comment 'a remark' || fail 'cannot encode'
# What holds pixels alone says so, once in a run, and only where there is something.
"$KOSTKA" encode a.ppm bare.jpg || fail 'cannot encode'
cp plain.jpg again.jpg
expect 0 "$KOSTKA" decode bare.jpg plain.jpg again.jpg --out-dir pixels
equals "$(grep -c 'note: dropped Exif, comment, for PNM' err)" 1 'notes of a run'
equals "$(wc -l <err)" 1 'lines of a run'
for format in pam raw pgx; do
    expect 0 "$KOSTKA" decode --out-format $format plain.jpg - --format grey
    says 'standard output: note: dropped Exif, comment, for PNM, PAM, PGX and raw'
done
expect 0 "$KOSTKA" convert plain.jpg plain.png
expect 0 "$KOSTKA" convert plain.png pixels.ppm
says 'pixels.ppm: note: dropped Exif, comment, for PNM'
expect 0 "$KOSTKA" decode bare.jpg pixels.ppm
equals "$(cat err)" '' 'a picture without metadata'
printf 'http://ns.adobe.com/xap/1.0/\000%s' "$packet" >xmp
printf 'Photoshop 3.0\0008BIM\004\004\000\000\000\000\000\016\034\002\170\000\011a caption\000' >iptc
printf 'MPF\000nothing' >mpf
header=$((4 + 16))
{
    head -c $header plain.jpg
    segment '\341' xmp
    segment '\355' iptc
    segment '\342' mpf
    tail -c +$((header + 1)) plain.jpg
} >a.jpg
equals "$(value a.jpg orientation)" 6

# From JPEG to JPEG all of it, with the tables and the sampling that it had.
convert a.jpg b.jpg
holds b.jpg 'a remark' 'a caption' 'a maker' 'THUMBNAIL!'
lacks b.jpg MPF
equals "$(value b.jpg orientation)" 6
equals "$(value b.jpg sampling)" 4:2:2
equals "$(value b.jpg quality)" 91
equals "$("$KOSTKA" info --json b.jpg | json 0 metadata | tr '}' '\n' | grep -c '"kind"')" 4
"$KOSTKA" encode a.jpg c.jpg 2>err || fail 'cannot encode'
holds c.jpg 'a remark' 'a caption' 'a maker' 'THUMBNAIL!'
equals "$(value c.jpg quality)" 75

# The options' metadata replace those of the input.
convert a.jpg b.jpg -q 60
equals "$(value b.jpg quality)" 60
equals "$(value b.jpg sampling)" 4:2:2
convert a.jpg b.jpg --subsampling 444 --comment 'another one'
equals "$(value b.jpg quality)" 91
equals "$(value b.jpg sampling)" 4:4:4
holds b.jpg 'another one' 'a caption'
lacks b.jpg 'a remark'
convert a.jpg b.jpg --grey
equals "$(value b.jpg quality)" 91
equals "$(value b.jpg colour)" grey
convert a.jpg b.jpg --rgb
equals "$(value b.jpg quality)" 75
equals "$(value b.jpg colour)" RGB
convert a.jpg b.jpg --scale 1/2
equals "$(value b.jpg quality)" 75
equals "$(value b.jpg sampling)" 4:2:0
hexdigits b.jpg | grep -q 'a0020004000000010000002d' || fail 'PixelXDimension is not 45'
holds b.jpg 'THUMBNAIL!'
awk 'BEGIN { for (i = 0; i < 64; i++) print 40 }' >tables.txt
convert a.jpg b.jpg --qtables tables.txt
equals "$(tables b.jpg 0 | tr -d '[]' | cut -d, -f1-3)" 40,40,40

# Upright: nothing says any more that it wants turning, tables and sampling are turned, the thumbnail is gone.
convert a.jpg b.jpg --orient
equals "$(value b.jpg width)x$(value b.jpg height)" 70x90
equals "$(value b.jpg orientation)" 1
equals "$(value b.jpg sampling)" 4:4:0
equals "$(value b.jpg quality)" 91
holds b.jpg 'a remark' 'a caption' "tiff:Orientation='1'"
lacks b.jpg 'THUMBNAIL!'
hexdigits b.jpg | grep -q 'a00200040000000100000046' || fail 'PixelXDimension is not 70'
convert a.jpg b.jpg --region 32x32+0+0
lacks b.jpg 'THUMBNAIL!'
holds b.jpg 'a maker'
equals "$(value b.jpg orientation)" 6

# Through other formats and back.
convert a.jpg b.jp2
holds b.jp2 'a remark' 'a maker' 'THUMBNAIL!'
equals "$(value b.jp2 orientation)" 6
convert b.jp2 c.jpg
holds c.jpg 'a remark' 'a maker' 'THUMBNAIL!'
equals "$(value c.jpg orientation)" 6
convert b.jp2 d.jp2
equals "$(grep -aoF 'a remark' d.jp2 | wc -l)" 1
for format in png tif; do
    convert a.jpg b.$format
    convert b.$format c.jpg
    holds b.$format 'a maker'
    holds c.jpg 'a maker'
done
convert a.jpg b.png --orient
holds b.png 'a remark' "tiff:Orientation='1'"
lacks b.png 'THUMBNAIL!'
convert b.png c.jpg
holds c.jpg 'a remark'
equals "$(value c.jpg orientation)" 1
convert a.jpg b.tif
holds b.tif 'a caption'
convert b.tif c.jpg
holds c.jpg 'a caption'
expect 0 "$KOSTKA" decode a.jpg b.png --orient
holds b.png 'a maker' "tiff:Orientation='1'"

# Tables of its own, progressive, inks, and colours without luminance.
"$KOSTKA" encode a.ppm odd.jpg --qtables tables.txt --subsampling 2x1,1x2,1x1 || fail 'cannot encode'
convert odd.jpg b.jpg
equals "$(tables b.jpg 2)" "$(tables odd.jpg 2)"
equals "$(value b.jpg sampling)" 2x1,1x2,1x1
"$KOSTKA" encode a.ppm rgb.jpg --rgb -q 88 || fail 'cannot encode'
convert rgb.jpg b.jpg
equals "$(value b.jpg colour) $(value b.jpg quality)" 'RGB 88'
convert rgb.jpg b.jpg --subsampling 420
equals "$(value b.jpg colour) $(value b.jpg quality)" 'YCbCr 75'

# Other pictures are not encoded again: a note says so, and no directory lists them.
"$MAKE_ALBUM" plain.jpg album.jpg both plain.jpg a.jpg || fail 'cannot make a file of several pictures'
convert album.jpg b.jpg
says 'album.jpg: note: 2 other pictures of the file are dropped'
lacks b.jpg Directory
holds b.jpg hdrgm:Version

finish
