#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files with more than one picture: MPF, Ultra HDR, motion photos.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

album() {
    "$MAKE_ALBUM" "$@" || fail "make_album $*"
}

# part FILE INDEX NAME: bytes of a part, as info tells where it lies
part() {
    tail -c +$(($("$KOSTKA" info --json "$1" | json 0 others "$2" offset) + 1)) "$1" |
        head -c "$("$KOSTKA" info --json "$1" | json 0 others "$2" bytes)" >"$3"
}

picture 192 128 >a.ppm
picture 96 64 >half.ppm
picture 48 32 >quarter.ppm
picture 88 56 >odd.ppm
"$KOSTKA" encode a.ppm a.jpg || fail 'cannot encode'
"$KOSTKA" encode half.ppm half.jpg --optimize || fail 'cannot encode'
"$KOSTKA" encode quarter.ppm map.jpg --grey || fail 'cannot encode'
"$KOSTKA" encode odd.ppm odd.jpg || fail 'cannot encode'
printf 'a video of sorts' >video

for kind in mpf mpf-be xmp both none; do
    album a.jpg album.jpg $kind half.jpg map.jpg --bytes video
    expect 0 "$KOSTKA" info album.jpg
    prints '96x64, 3 components'
    prints '48x32, 1 component'
    [ $kind = none ] || prints 'gain map, 48x32'
    prints 'other .* 16 bytes'
    expect 0 "$KOSTKA" transcode album.jpg out.jpg --progressive
    [ ! -s err ] || fail "something was said: $(cat err)"
    part out.jpg 0 preview.jpg
    part out.jpg 1 gain.jpg
    part out.jpg 2 bytes
    same preview.jpg half.jpg
    same gain.jpg map.jpg
    same bytes video
    expect 0 "$KOSTKA" transcode album.jpg out.jpg --rotate 90
    part out.jpg 1 gain.jpg
    part out.jpg 2 bytes
    "$KOSTKA" transcode map.jpg turned.jpg --rotate 90
    same gain.jpg turned.jpg
    same bytes video
    if command -v exiftool >/dev/null && [ $kind != none ] && [ $kind != xmp ]; then
        exiftool -b -PreviewImage out.jpg >two.jpg 2>/dev/null
        exiftool -b -MPImage3 out.jpg >three.jpg 2>/dev/null
        part out.jpg 0 preview.jpg
        same two.jpg preview.jpg
        same three.jpg gain.jpg
        exiftool -validate -warning -a out.jpg >said 2>&1
        grep -qi 'MPF\|MPImage\|trailer' said && fail "exiftool: $(cat said)"
    fi
    expect 0 "$KOSTKA" transcode album.jpg out.jpg --crop 64x64+32+32
    equals "$("$KOSTKA" info --json out.jpg | json 0 others 1 width)" 16
    for option in --strip --others=drop; do
        expect 0 "$KOSTKA" transcode album.jpg out.jpg $option
        says 'album.jpg: note: 2 other pictures and 16 more bytes of the file are dropped'
        equals "$("$KOSTKA" info --json out.jpg | json 0 others)" '[]'
        identical out.jpg a.jpg
    done
done

# One whose MCUs do not allow it.
album a.jpg album.jpg mpf odd.jpg
expect 0 "$KOSTKA" transcode album.jpg out.jpg --flip h
says 'warning: another picture'
expect 1 "$KOSTKA" transcode album.jpg perfect.jpg --flip h --perfect
[ ! -e perfect.jpg ] || fail 'a file was made'
expect 2 "$KOSTKA" transcode album.jpg out.jpg --others some
says '\-\-others takes keep or drop'
expect 0 "$KOSTKA" info album.jpg --max-pixels 26000
says 'warning: .*more pixels than the limit'
expect 0 "$KOSTKA" info a.jpg
grep -q picture out && fail 'a picture that is not there'

# A file that is filled up with zeros has nothing behind its picture.
{
    cat a.jpg
    head -c 511 /dev/zero
} >padded.jpg
expect 0 "$KOSTKA" transcode a.jpg plain.jpg --optimize
expect 0 "$KOSTKA" transcode padded.jpg out.jpg --optimize
same plain.jpg out.jpg
equals "$("$KOSTKA" info --json padded.jpg | json 0 others)" '[]'
finish
