#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A file of another format with a JPEG picture in it is no JPEG file: every verb says what it is, and makes nothing.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 64 48 >a.ppm
"$KOSTKA" encode a.ppm thumbnail.jpg || fail 'cannot encode'

# behind NAME BYTES PADDING: a file of these bytes, padding, and the JPEG stream.
behind() {
    # shellcheck disable=SC2059 # the bytes are escaped
    { printf "$2" && head -c "$3" /dev/zero && cat thumbnail.jpg; } >"$1"
}
behind picture.heic '\000\000\000\030ftypheic\000\000\000\000mif1heic' 64
behind picture.avif '\000\000\000\030ftypavif\000\000\000\000mif1avif' 64
behind picture.webp 'RIFF\000\020\000\000WEBPVP8X' 64
behind picture.pdf '%%PDF-1.4\n' 100
behind picture.gif 'GIF89a' 32
behind picture.jxl '\000\000\000\014JXL \r\n\207\n' 32
behind picture.zip 'PK\003\004' 30
behind picture.gz '\037\213\010' 30
tar cf picture.tar thumbnail.jpg 2>/dev/null || rm -f picture.tar
printf '<!DOCTYPE html><html>404</html>' >picture.jpg
behind unknown.bin 'unheard of' 10

# wanted NAME: what a message calls the file.
wanted() {
    case $1 in
    *.heic) echo 'a HEIC file' ;; *.avif) echo 'an AVIF file' ;; *.webp) echo 'WebP: the chunk VP8X at byte 12 has not 10 bytes\|WebP is read with\|a webp file' ;;
    *.pdf) echo 'a PDF file' ;; *.gif) echo 'GIF: the file is damaged\|GIF is read with\|a gif file' ;; *.jxl) echo 'a JPEG XL file' ;;
    *.zip) echo 'a zip archive' ;; *.gz) echo 'a gzip file' ;; *.tar) echo 'a tar archive' ;;
    *.jpg) echo 'an HTML page' ;; *) echo 'no ' ;;
    esac
}
for file in picture.* unknown.bin; do
    for call in 'decode IN new.ppm' 'transcode IN new.jpg' 'convert IN new.png' 'encode IN new.jpg' 'info IN'; do
        # shellcheck disable=SC2046 # words
        expect 1 "$KOSTKA" $(echo "$call" | sed "s/IN/$file/")
        silent
        says "$(wanted "$file")"
        for made in new.*; do
            [ ! -e "$made" ] || fail "a file was made: $call, $file"
        done
    done
    expect 2 "$KOSTKA" compare "$file" a.ppm
    says "$(wanted "$file")"
done
expect 1 "$KOSTKA" decode picture.heic -
says 'no SOI marker: this is a HEIC file (at byte 0)'
expect 1 "$KOSTKA" info --json picture.heic
equals "$(json 0 error code <out)" ERROR_JPEG_SOI
equals "$(json 0 error offset <out)" 0
expect 1 "$KOSTKA" decode --out-dir made picture.heic unknown.bin thumbnail.jpg
equals "$(ls made)" thumbnail.ppm

# A few fill bytes in front of SOI are allowed (T.81 B.1.1.2); every verb takes them.
{ printf '\377\377\377' && cat thumbnail.jpg; } >filled.jpg
for call in 'decode filled.jpg new.ppm' 'transcode filled.jpg new.jpg' 'convert filled.jpg new.png' 'info filled.jpg' \
    'compare filled.jpg thumbnail.jpg' 'encode filled.jpg new.jpg'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" $call
done
finish
