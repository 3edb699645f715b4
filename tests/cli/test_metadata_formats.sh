#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks metadata of each format in each other: what is kept is unchanged, and a warning names what is not.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

convert() {
    "$KOSTKA" convert "$@" 2>err || fail "convert $*: $(cat err)"
}

# quiet: the last call had nothing to warn of
quiet() {
    [ ! -s err ] || fail "$1: $(cat err)"
}

# tells FILE LINE…: libtiff reads that of a file
tells() {
    file=$1
    shift
    "$TIFF_TAGS" "$file" >out 2>err || fail "libtiff does not read $file: $(cat err)"
    for line; do
        grep -q -x -e "$line" out || fail "$file has no '$line': $(tr '\n' ';' <out)"
    done
}

holds() {
    file=$1
    shift
    for text; do
        grep -aqF "$text" "$file" || fail "$file has no '$text'"
    done
}

lacks_text() {
    grep -aqF "$2" "$1" && fail "$1 has '$2'"
}

value() {
    "$KOSTKA" info --json "$1" | json 0 "$2"
}

# kinds FILE: of its metadata, in order
kinds() {
    "$KOSTKA" info --json "$1" | tr ',{' '\n' | sed -n 's/.*"kind": *"\(.*\)".*/\1/p' | sort | tr '\n' ' '
}

hexdigits() {
    od -An -v -tx1 "$1" | tr -d ' \n'
}

# Numbers of 16 and 32 bits in the order of bytes that is set.
order=big
byte() { printf '%b' "\\0$(printf %o "$1")"; }
short() {
    if [ $order = big ]; then byte $(($1 / 256)) && byte $(($1 % 256)); else byte $(($1 % 256)) && byte $(($1 / 256)); fi
}
long() {
    if [ $order = big ]; then short $(($1 / 65536)) && short $(($1 % 65536)); else short $(($1 % 65536)) && short $(($1 / 65536)); fi
}
# entry TAG TYPE COUNT VALUE
entry() {
    short "$1" && short "$2" && long "$3"
    if [ "$2" = 3 ]; then short "$4" && short 0; else long "$4"; fi
}
# With a maker, orientation 6, an exposure of 1/8000, PixelXDimension, a place, rating, a title, and a thumbnail.
exif() {
    if [ $order = big ]; then printf 'MM'; else printf 'II'; fi
    short 42 && long 8
    short 6 && entry 271 2 7 86 && entry 274 3 1 6 && entry 18246 3 1 4 && entry 34665 4 1 94 && entry 34853 4 1 162
    short 40091 && short 1 && long 4 && printf 'T\000u\000' && long 216 && printf 'a make\000\000'
    short 3 && entry 33434 5 1 136 && entry 40962 4 1 90 && entry 40965 4 1 144 && long 0 && long 1 && long 8000
    short 1 && short 1 && short 2 && long 4 && printf 'R98\000' && long 0
    short 2 && short 1 && short 2 && long 2 && printf 'N\000\000\000' && entry 2 5 3 192 && long 0
    long 50 && long 1 && long 61 && long 2 && long 0 && long 1
    short 2 && entry 513 4 1 246 && entry 514 4 1 10 && long 0 && printf 'THUMBNAIL!'
}
# segment MARKER FILE
segment() {
    printf '\377%b' "$1" && order=big && short $(($(wc -c <"$2") + 2)) && cat "$2"
}

picture 90 70 >a.ppm
"$KOSTKA" encode a.ppm plain.jpg || fail 'cannot encode'
printf 'Photoshop 3.0\0008BIM\004\004\000\000\000\000\000\016\034\002\170\000\011a caption' >iptc
printf 'http://ns.adobe.com/xap/1.0/\000<x:xmpmeta/>' >xmp
head -c 600 /dev/zero | tr '\000' p >icc
for order in big little; do
    exif >exif.$order
    equals "$(wc -c <exif.$order)" 256
    "$KOSTKA" encode a.ppm bare.jpg --exif exif.$order --icc icc --comment 'a remark' || fail 'cannot encode'
    { head -c 20 bare.jpg && segment '\341' xmp && segment '\355' iptc && tail -c +21 bare.jpg; } >a.$order.jpg
done
equals "$(kinds a.big.jpg)" 'app13 comment exif icc xmp '

# Into TIFF: libtiff reads it all. The order of bytes is that of Exif, whatever the samples are.
for order in big little; do
    for how in '' '--compression 6' '--orient'; do
        # shellcheck disable=SC2086 # options
        convert a.$order.jpg b.tif $how
        orientation=6 width=90
        [ "$how" != --orient ] || orientation=1 width=70
        [ "$how" = --orient ] || says 'b.tif: warning: dropped the thumbnail of Exif, for TIFF has no place for it'
        equals "$(grep -c warning err)" "$([ "$how" = --orient ] && echo 0 || echo 1)" "$how"
        tells b.tif "order: $order" 'make: a make' 'description: a remark' "orientation: $orientation" 'exposure: 0.000125' \
            "width: $width" 'hemisphere: N' 'latitude: 50 30.5 0' 'icc: 600 bytes' 'xmp: 12 bytes' 'photoshop: 26 bytes' \
            'rating: 4' 'title: 4 bytes'
        lacks_text b.tif 'THUMBNAIL!'
        # shellcheck disable=SC2086 # options
        "$KOSTKA" decode a.$order.jpg decoded.tif $how 2>err || fail "decode: $(cat err)"
        same b.tif decoded.tif
        # And back: the same pixels, and the same Exif but for what was dropped.
        convert b.tif c.jpg
        quiet 'from TIFF to JPEG'
        equals "$(kinds c.jpg)" 'app13 comment exif icc xmp '
        equals "$(value c.jpg orientation)" $orientation
        holds c.jpg 'a make' 'a remark' 'a caption' R98
        convert b.tif c.ppm
        # shellcheck disable=SC2086 # options
        "$KOSTKA" decode a.$order.jpg d.ppm ${how##--comp*}
        identical c.ppm d.ppm
        convert b.tif d.tif
        quiet 'from TIFF to TIFF'
        tells d.tif 'make: a make' 'exposure: 0.000125' 'latitude: 50 30.5 0' 'title: 4 bytes' 'rating: 4' "orientation: $orientation"
    done
    convert a.$order.jpg - --out-format tiff >piped.tif
    convert a.$order.jpg b.tif
    same piped.tif b.tif
done
picture 30 20 65535 >deep.ppm
for order in big little; do
    "$KOSTKA" encode deep.ppm deep.jp2 --lossless --exif exif.$order || fail 'cannot encode'
    for level in 0 6; do
        convert deep.jp2 deep.tif --compression $level
        tells deep.tif "order: $order" 'make: a make'
        identical deep.tif deep.ppm
    done
done

# Exif's description stays the description; there is room for only one comment.
{ printf 'II\052\000\010\000\000\000\001\000\016\001\002\000\010\000\000\000\032\000\000\000\000\000\000\000a title\000'; } >described
"$KOSTKA" encode a.ppm b.jpg --exif described --comment 'a remark' || fail 'cannot encode'
convert b.jpg b.tif
says 'b.tif: warning: dropped a comment, for TIFF has one description, which is another'
tells b.tif 'description: a title'
"$KOSTKA" encode a.ppm b.jpg --exif described --comment 'a title' || fail 'cannot encode'
convert b.jpg b.tif
quiet 'the same text'
"$KOSTKA" encode a.ppm b.jpg --comment one --comment two --comment three || fail 'cannot encode'
convert b.jpg b.tif
says 'warning: dropped some comments'
tells b.tif 'description: one'
convert b.tif c.jpg
equals "$(kinds c.jpg)" 'comment '

# Damaged Exif gives a warning, and does no harm.
head -c 100 exif.big >cut.exif
"$KOSTKA" encode a.ppm b.jpg --exif cut.exif || fail 'cannot encode'
convert b.jpg b.tif
says 'b.tif: warning: dropped a part of Exif, for it is damaged'
tells b.tif 'make: a make' 'orientation: 6'
printf 'MM\000\052\000\000\377\377' >cut.exif
"$KOSTKA" encode a.ppm b.jpg --exif cut.exif || fail 'cannot encode'
convert b.jpg b.tif
says 'b.tif: warning: dropped Exif, for it is damaged'

# An orientation that is not applied is passed on in Exif, or gives a warning.
"$MAKE_TIFF" turned.tif 20 10 8 3 orientation=6
convert turned.tif c.jpg
quiet 'orientation 6'
equals "$(value c.jpg orientation)" 6
convert turned.tif c.ppm
says 'its orientation (6) is not applied'
"$MAKE_TIFF" turned.tif 20 10 8 1 palette orientation=8
convert turned.tif c.jpg
equals "$(value c.jpg orientation)" 7 'libtiff has mirrored the rows'
"$MAKE_TIFF" turned.tif 20 10 8 1 palette orientation=3
convert turned.tif c.jpg
equals "$(value c.jpg orientation)" 1 'libtiff has mirrored rows and columns'

# IPTC in a tag of its own, whose numbers may have been turned into the file's order of bytes.
for words in iptc 'iptc big'; do
    # shellcheck disable=SC2086 # words
    "$MAKE_TIFF" c.tif 20 10 8 3 $words || fail 'make_tiff'
    convert c.tif c.jpg
    quiet "$words"
    equals "$(kinds c.jpg)" 'app13 '
    hexdigits c.jpg | grep -q '3842494d0404000000000010''1c02780009612063617074696f6e00' || fail "$words: IPTC is not there"
done

# IPTC in PNG, as ImageMagick and exiftool have it, and back.
convert a.big.jpg b.png
says 'b.png: warning: dropped ICC profile, for it is not a valid one'
equals "$(grep -c warning err)" 1
holds b.png 'Raw profile type iptc'
convert b.png c.jpg
quiet 'from PNG to JPEG'
equals "$(kinds c.jpg)" 'app13 comment exif xmp '
segment '\355' iptc >wanted
hexdigits c.jpg | grep -q "$(hexdigits wanted)" || fail 'IPTC comes back from PNG changed'
convert b.png c.tif
tells c.tif 'photoshop: 26 bytes'
convert c.tif d.png
holds d.png 'Raw profile type iptc' 'a remark'

# JPEG 2000 has no IPTC, a codestream comments alone, BMP a profile alone, a plane by itself nothing.
convert a.big.jpg b.jp2
says 'b.jp2: warning: dropped IPTC, for JPEG 2000 has no place for it'
convert a.big.jpg b.j2k
says 'b.j2k: warning: dropped ICC profile, Exif, XMP, IPTC, for a codestream has no place for them'
convert a.big.jpg b.bmp
says 'b.bmp: warning: dropped Exif, XMP, IPTC, comment, for BMP has no place for them'
convert a.big.jpg b.png --format planar
says 'b.png: warning: dropped ICC profile, Exif, XMP, IPTC, comment, for a file of one plane has no place for them'
"$KOSTKA" convert a.big.jpg - --out-format jp2 >/dev/null 2>err
says 'standard output: warning: dropped IPTC'
convert b.jp2 c.tif
tells c.tif 'make: a make' 'description: a remark' 'icc: 600 bytes' 'xmp: 12 bytes' 'latitude: 50 30.5 0'
convert b.j2k c.tif
tells c.tif 'description: a remark'
{ cat exif.big && head -c 66000 /dev/zero; } >long
{ printf 'P6 1 1 255\nabc'; } >dot.ppm
"$KOSTKA" encode dot.ppm dot.jp2 --exif long || fail 'cannot encode'
convert dot.jp2 dot.jpg
says 'dot.jpg: warning: dropped Exif, for a JPEG segment holds 65527 of its 66256 bytes'

# GIF has comments, and ICC and XMP as applications' extensions.
if "$MAKE_GIF" a.gif 61 47 comment icc xmp && "$KOSTKA" convert a.gif a.jpg 2>err; then
    quiet 'from GIF to JPEG'
    equals "$(kinds a.jpg)" 'comment icc xmp '
    equals "$("$KOSTKA" info a.jpg | sed -n 's/^ *icc *\([0-9]*\) bytes.*/\1/p')" 600
    holds a.jpg hello '<x:xmpmeta/>'
    "$KOSTKA" info a.jpg >out
    prints 'xmp  *12 bytes'
    convert a.gif a.tif
    tells a.tif 'description: hello' 'icc: 600 bytes' 'xmp: 12 bytes'
else
    grep -q 'giflib, which was missing' err || fail "GIF: $(cat err)"
fi
finish
