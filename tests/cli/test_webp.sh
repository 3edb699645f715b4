#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# WebP that is read: lossy, lossless, alpha, animations, metadata; damage and limits. The pixels are those that libwebp
# decodes. Without libwebp such files are known, and refused.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

if [ ! -x "$MAKE_WEBP" ]; then
    printf 'RIFF\100\000\000\000WEBPVP8 ' >none.webp
    expect 1 "$KOSTKA" convert none.webp made.ppm
    says 'WebP is read with libwebp, which was missing'
    [ "$failures" != 0 ] || lacks libwebp
    finish
fi

gives() {
    gives_pixels webp "$MAKE_WEBP" "$@"
}
gives RGB 61x47 61 47
gives RGB 61x47 61 47 lossy
gives RGBA 61x47 61 47 alpha
gives RGBA 61x47 61 47 alpha lossy
gives RGB 1x1 1 1
gives RGB 640x480 640 480 lossy
"$KOSTKA" convert a.webp threads.ppm --threads 4 && "$KOSTKA" convert a.webp one.ppm --threads 1
same threads.ppm one.ppm
[ ! -s err ] || fail "a picture that stands still: $(cat err)"

# An animation: the first frame, on a canvas that is transparent beside it, and a word about the others.
gives RGB 40x30 40 30 frames=3
expect 0 "$KOSTKA" convert a.webp a.png
says 'note: it is an animation, of which the first picture is read'
gives RGB 40x30 40 30 frames=1
expect 0 "$KOSTKA" convert a.webp a.png
[ ! -s err ] || fail "one frame: $(cat err)"
gives RGBA 90x80 40 30 canvas=90x80 at=20,34 frames=2
gives RGBA 90x80 40 30 canvas=90x80 at=50,50 frames=2 lossy
"$MAKE_WEBP" beyond.webp 40 30 canvas=90x80 at=52,50 frames=2
expect 1 "$KOSTKA" convert beyond.webp made.ppm
says 'the first frame, 40 x 30 at 52, 50, reaches beyond the 90 x 80 of all'
"$MAKE_WEBP" frame.webp 40 30 canvas=90x80 frames=1
{ head -c 58 frame.webp; printf '\046'; tail -c +60 frame.webp; } >header.webp
expect 1 "$KOSTKA" convert header.webp made.ppm
says 'the first frame is 40 x 30 and not 39 x 30, as its header says'

# Metadata go along to JPEG, JP2 and PNG.
for exif in exif jpegexif; do
    "$MAKE_WEBP" meta.webp 20 10 icc $exif xmp
    for extension in jpg jp2 png; do
        expect 0 "$KOSTKA" convert meta.webp meta.$extension
        if [ $extension = png ]; then
            says 'meta.png: warning: dropped ICC profile, for it is not a valid one'
        else
            [ ! -s err ] || fail "$extension: $(cat err)"
        fi
        expect 0 "$KOSTKA" convert meta.$extension back.jpg
        expect 0 "$KOSTKA" info back.jpg
        prints 'orientation  6'
        prints 'exif  *26 bytes'
        prints 'xmp  *12 bytes'
        [ $extension = png ] || prints 'icc  *9 bytes'
    done
done
expect 0 "$KOSTKA" encode meta.webp meta.jpg
"$MAKE_WEBP" alpha.webp 20 10 alpha
expect 0 "$KOSTKA" encode alpha.webp alpha.jpg
says 'transparency is dropped'

# It is not written.
for call in encode convert; do
    expect 2 "$KOSTKA" $call meta.webp made.webp
    says 'webp is read, and not written'
done

# The limits are asked before anything is allocated: beside the pixels, four bytes of each that is coded without loss.
"$MAKE_WEBP" large.webp 1000 1000
expect 1 "$KOSTKA" convert large.webp made.ppm --max-pixels 999999
says max-pixels
expect 1 "$KOSTKA" convert large.webp made.ppm --max-memory 6999999
says '1000 x 1000 pixels of 7 bytes are more than the memory limit of 6999999 bytes; raise it with --max-memory'
expect 0 "$KOSTKA" convert large.webp made.ppm --max-memory 7000000
expect 1 "$KOSTKA" info large.webp --max-pixels 999999
says max-pixels
"$MAKE_WEBP" huge.webp 16 16 frames=1
{ head -c 24 huge.webp; printf '\377\377\377\377\377\377'; tail -c +31 huge.webp; } >claims.webp
expect 1 "$KOSTKA" convert claims.webp made.ppm
grep -q 'raise it with --max-pixels\|VP8X at byte 12 states a canvas of more than 4294967295 pixels' err || fail "a canvas of 2^48 pixels: $(cat err)"

# Whatever is cut off or changed is an error or a picture; nothing is made of an error.
rm -f made.ppm
for words in '' lossy alpha 'alpha lossy' 'icc exif xmp' 'frames=2 canvas=90x80'; do
    # shellcheck disable=SC2086 # words
    "$MAKE_WEBP" whole.webp 60 50 $words
    size=$(wc -c <whole.webp)
    for part in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        at=$((size * part / 16))
        head -c $at whole.webp >cut.webp
        { cat cut.webp; printf '\252\125'; tail -c +$((at + 3)) whole.webp; } >changed.webp
        for damaged in cut changed; do
            rm -f damaged.pam
            "$KOSTKA" convert --max-memory 100000000 $damaged.webp damaged.pam >out 2>err
            code=$?
            [ $code -le 1 ] || fail "$words, $damaged at $at: status $code: $(cat err)"
            [ $code = 0 ] || [ -s err ] || fail "$words, $damaged at $at: no message"
            [ $code = 0 ] || [ ! -e damaged.pam ] || fail "$words, $damaged at $at: a file was made"
            "$KOSTKA" info $damaged.webp >out 2>err
            [ $? -le 1 ] || fail "info of $words, $damaged at $at: $(cat err)"
        done
    done
done
# Errors are reported with the chunk and its offset. Behind the RIFF header is VP8X at byte 12, then VP8L. changed AT
# BYTES…: whole.webp with other bytes there, which are as many as follow
changed() {
    at=$1
    { head -c "$at" whole.webp && printf '%b' "$2" && tail -c +$((at + 1 + $3)) whole.webp; } >damaged.webp
    expect 1 "$KOSTKA" convert damaged.webp made.ppm
    cp err told
    expect 1 "$KOSTKA" info damaged.webp
}
"$MAKE_WEBP" whole.webp 60 50
changed 12 XXXX 4
says 'damaged.webp: WebP: the chunk XXXX at byte 12 is none that a WebP file begins with'
same err told
changed 12 '\000\001\002\003' 4
says 'is none that a WebP file begins with'
changed 0 JUNK 4
says 'damaged.webp: WebP: the file begins with JUNK, and not with RIFF'
changed 4 '\020\000\000\000' 4
says 'WebP: the chunk VP8X at byte 12 reaches beyond the 16 bytes that the RIFF header states'
{ head -c 40 whole.webp && head -c 2000 /dev/zero && tail -c +2041 whole.webp; } >damaged.webp
expect 1 "$KOSTKA" convert damaged.webp made.ppm
says 'WebP: the chunk VP8L at byte 30 is damaged'
head -c 300 whole.webp >cut.webp
expect 1 "$KOSTKA" convert cut.webp made.ppm
says 'WebP: the file ends too early, in the chunk VP8L at byte 30'
head -c 14 whole.webp >cut.webp
expect 1 "$KOSTKA" convert cut.webp made.ppm
says 'WebP: the file ends too early, at byte 14'
"$MAKE_WEBP" whole.webp 60 50 xmp
changed 16 '\011' 1
says 'WebP: the chunk VP8X at byte 12 has not 10 bytes'
head -c -4 whole.webp >cut.webp
expect 1 "$KOSTKA" convert cut.webp made.ppm
says 'WebP: the file ends too early, in the chunk XMP  at byte [0-9]*$'
{ head -c -16 whole.webp; printf '\377'; tail -c 15 whole.webp; } >cut.webp
expect 0 "$KOSTKA" convert cut.webp made.ppm
says 'warning: WebP: the file ends in a chunk XMP  of metadata or later frames, at byte [0-9]*, which'
"$MAKE_WEBP" whole.webp 60 50 frames=2
head -c 200 whole.webp >cut.webp
expect 1 "$KOSTKA" convert cut.webp made.ppm
says 'WebP: the file ends too early, in the chunk VP8L at byte 68'
finish
