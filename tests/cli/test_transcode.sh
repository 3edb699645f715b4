#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# transcode changes no coefficient.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

transcode() {
    "$KOSTKA" transcode "$@" 2>err || fail "transcode $*: $(cat err)"
}

info() {
    file=$1
    shift
    "$KOSTKA" info --json "$file" | json 0 "$@"
}

picture 90 70 >a.ppm
picture 96 64 >even.ppm
"$KOSTKA" encode a.ppm a.jpg --comment hello || fail 'cannot encode'
"$KOSTKA" encode even.ppm even.jpg || fail 'cannot encode'
for option in --optimize --progressive --baseline --restart=4 --restart=1r --restart=auto --restart=none; do
    transcode a.jpg b.jpg $option
    identical a.jpg b.jpg
    transcode b.jpg back.jpg
    same back.jpg a.jpg
done
transcode a.jpg restart.jpg --restart 3
equals "$(info restart.jpg restart_interval)" 3
transcode restart.jpg keep.jpg --restart keep
same keep.jpg restart.jpg
transcode a.jpg progressive.jpg --progressive
equals "$(info progressive.jpg process)" progressive
transcode progressive.jpg back.jpg --baseline
equals "$(info back.jpg process)" baseline

# Turning on and on comes back to the beginning.
for file in a.jpg even.jpg; do
    transcode $file 1.jpg --rotate 90
    transcode 1.jpg 2.jpg --rotate 90
    transcode 2.jpg 3.jpg --rotate 180
    [ $file = even.jpg ] && same 3.jpg $file
    transcode even.jpg 1.jpg --flip h
    transcode 1.jpg 2.jpg --flip vertical
    transcode even.jpg 3.jpg --rotate 180
    same 2.jpg 3.jpg
    transcode even.jpg 1.jpg --transpose
    transcode 1.jpg 2.jpg --transpose
    same 2.jpg even.jpg
    transcode even.jpg 1.jpg --transverse
    transcode even.jpg 2.jpg --rotate 180
    transcode 2.jpg 3.jpg --transpose
    same 1.jpg 3.jpg
done
transcode a.jpg b.jpg --rotate 90
equals "$(info b.jpg width)x$(info b.jpg height)" 70x90
transcode a.jpg b.jpg --rotate 90 --trim
equals "$(info b.jpg width)x$(info b.jpg height)" 64x90
expect 1 "$KOSTKA" transcode a.jpg c.jpg --rotate 90 --perfect
says 'trim'
[ ! -e c.jpg ] || fail 'a file was made'
transcode even.jpg c.jpg --rotate 90 --perfect

transcode a.jpg b.jpg --crop 32x16+32+16
"$KOSTKA" decode a.jpg part.raw --region 32x16+32+16 --format raw
"$KOSTKA" decode b.jpg crop.raw --format raw
same part.raw crop.raw
transcode a.jpg b.jpg --crop 30x10+35+17
equals "$(info b.jpg width)x$(info b.jpg height)" 33x11
expect 1 "$KOSTKA" transcode a.jpg c2.jpg --crop 30x10+900+17

transcode a.jpg b.jpg --grey
equals "$(info b.jpg colour)" grey
"$KOSTKA" decode a.jpg luminance.pgm
identical b.jpg luminance.pgm
printf 'MM\000\052\000\000\000\010\000\000\000\000\000\000' >exif
"$KOSTKA" encode a.ppm rich.jpg --comment hello --exif exif
transcode rich.jpg b.jpg
equals "$(info b.jpg metadata 0 kind) $(info b.jpg metadata 1 kind)" 'exif comment'
transcode rich.jpg b.jpg --strip=markers
equals "$(info b.jpg metadata 0 kind)" comment
transcode rich.jpg b.jpg --strip
equals "$(info b.jpg metadata)" '[]'

head -c $(($(wc -c <a.jpg) * 3 / 4)) a.jpg >cut.jpg
expect 0 "$KOSTKA" transcode cut.jpg mended.jpg
says warning
expect 0 "$KOSTKA" decode mended.jpg mended.ppm
grep -q warning err && fail "the mended file still warns: $(cat err)"
expect 1 "$KOSTKA" transcode cut.jpg strict.jpg --strict
expect 1 "$KOSTKA" transcode a.ppm c3.jpg
says 'kostka encode'
[ ! -e c3.jpg ] || fail 'a file was made'
finish
