#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GIF that is read: palettes, transparency, interlacing, canvases, animations; damage and limits. Without giflib such
# files are known, and refused.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

"$MAKE_GIF" a.gif 61 47 || fail 'make_gif'
"$KOSTKA" convert a.gif a.ppm 2>err
if grep -q 'GIF is read with giflib, which was missing' err; then
    [ ! -e a.ppm ] || fail 'a file was made of nothing'
    [ "$failures" != 0 ] || lacks giflib
    finish
fi

gives() {
    gives_pixels gif "$MAKE_GIF" "$@"
}
gives RGB 61x47 61 47
[ ! -s err ] || fail "one picture: $(cat err)"
gives grey 61x47 61 47 grey
gives RGB 61x47 61 47 interlaced
gives RGB 1x1 1 1 interlaced
gives RGB 3x3 3 3 interlaced local
gives RGB 61x47 61 47 local comment
gives RGBA 61x47 61 47 transparent=5
gives RGBA 61x47 61 47 transparent=0 interlaced grey
# The canvas is transparent beside the picture, and grows where the picture would reach beyond it.
gives RGBA 90x80 61 47 canvas=90x80 at=20,31
gives RGB 61x47 61 47 canvas=10x10
gives RGBA 71x57 61 47 canvas=10x10 at=10,10
gives RGB 61x47 61 47 canvas=0x0
# The first picture of an animation is read, and a note mentions the others.
gives RGB 61x47 61 47 frames=3
expect 0 "$KOSTKA" convert a.gif a.png
says 'note: it is an animation, of which the first picture is read'
expect 0 "$KOSTKA" encode a.gif a.jpg
"$MAKE_GIF" alpha.gif 61 47 transparent=5
expect 0 "$KOSTKA" encode alpha.gif alpha.jpg
says 'transparency is dropped'

# It is not written.
for call in encode convert; do
    expect 2 "$KOSTKA" $call a.gif made.gif
    says 'gif is read, and not written'
done

# The limits are asked before anything is allocated.
"$MAKE_GIF" a.gif 61 47 claim=65535x65535
expect 1 "$KOSTKA" convert a.gif made.ppm
says 'limit of 536870912; raise it with --max-pixels'
expect 1 "$KOSTKA" info a.gif
says max-pixels
"$MAKE_GIF" a.gif 61 47 claim=20000x20000
expect 1 "$KOSTKA" convert a.gif made.ppm --max-memory 1000000000
says '20000 x 20000 pixels of 4 bytes are more than the memory limit'

# Errors are reported, and no output is made.
rm -f made.ppm
"$MAKE_GIF" a.gif 61 47 nopalette
expect 1 "$KOSTKA" convert a.gif made.ppm
says 'GIF: a picture without a palette, at byte 21$'
"$MAKE_GIF" a.gif 61 47 frames=0
expect 1 "$KOSTKA" convert a.gif made.ppm
says 'GIF: a file without a picture, which ends at byte 781$'
"$MAKE_GIF" a.gif 0 47
expect 1 "$KOSTKA" convert a.gif made.ppm
says 'GIF: the picture is empty (0 x 47)'
"$MAKE_GIF" whole.gif 61 47
head -c 2000 whole.gif >a.gif
expect 1 "$KOSTKA" convert a.gif made.ppm
says 'GIF: the file ends too early, in the block at byte 789$'
head -c 100 whole.gif >a.gif
expect 1 "$KOSTKA" convert a.gif made.ppm
says 'GIF: the file ends too early, in the header at byte 0$'
{ head -c 1000 whole.gif; printf '\377\377\377\377'; tail -c +1005 whole.gif; } >a.gif
expect 1 "$KOSTKA" convert a.gif made.ppm
says 'GIF: the file is damaged before byte [0-9]*, in the block at byte 789: Image is defective'
[ ! -e made.ppm ] || fail 'a file was made of an error'
for words in '' 'interlaced local comment' 'transparent=3 canvas=90x80' 'frames=2 grey'; do
    # shellcheck disable=SC2086 # words
    "$MAKE_GIF" whole.gif 61 47 $words
    size=$(wc -c <whole.gif)
    for part in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        for at in $((size * part / 16)) $((6 + part)) $((size - part - 1)); do
            head -c $at whole.gif >cut.gif
            { cat cut.gif; printf '\252\125'; tail -c +$((at + 3)) whole.gif; } >changed.gif
            for damaged in cut changed; do
                rm -f damaged.pam
                "$KOSTKA" convert --max-memory 100000000 $damaged.gif damaged.pam >out 2>err
                code=$?
                [ $code -le 1 ] || fail "$words, $damaged at $at: status $code: $(cat err)"
                [ $code = 0 ] || [ -s err ] || fail "$words, $damaged at $at: no message"
                [ $code = 0 ] || [ ! -e damaged.pam ] || fail "$words, $damaged at $at: a file was made"
            done
        done
    done
done
finish
