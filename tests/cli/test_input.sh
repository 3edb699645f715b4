#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Pictures of other formats as input: what TIFF and PNG files may hold, what the limits permit, and that headers alone
# are read where no pixels are wanted.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# peak_below KILOBYTES COMMAND…: whatever its status
peak_below() {
    most=$1
    shift
    "$PEAK" peak.kb "$@" >out 2>err
    between "$(cat peak.kb)" 1 "$most" "kilobytes of: $*"
}

make_tiff() {
    "$MAKE_TIFF" "$@" || fail "make_tiff $*"
}

# A profile and texts that unpack to sixty megabytes each take nothing; AddressSanitizer's own memory is allowed for.
"$MAKE_PNG" 8 8 8 2 zTXt:30:60000000 iTXt:30:60000000 tEXt:3:1000000 >text.png
for limit in 100000 4000000000; do
    peak_below 200000 "$KOSTKA" info --max-memory $limit text.png
    prints 'text.png: png, 8x8, RGB, 8 bits'
    peak_below 200000 "$KOSTKA" convert --max-memory $limit text.png text.ppm
done
equals "$(wc -c <text.ppm)" 203
# Comments of a sensible length are kept.
"$MAKE_PNG" 8 8 8 2 zTXt:1:60000000 zTXt:1:60000 iTXt:1:50000 tEXt:1:40000 >comment.png
expect 0 "$KOSTKA" convert comment.png comment.jpg
between "$(wc -c <comment.jpg)" 150000 152000 'bytes of a JPEG with three comments'
"$MAKE_PNG" 8 8 8 2 iCCP:1:60000000 >profile.png
peak_below 200000 "$KOSTKA" info profile.png
peak_below 200000 "$KOSTKA" convert --max-memory 1000000 profile.png text.ppm

# The limits are asked before anything is allocated.
"$MAKE_PNG" 30000 20000 16 6 >wide.png
expect 1 "$KOSTKA" convert wide.png made.ppm
says 'limit of 536870912; raise it with --max-pixels'
expect 1 "$KOSTKA" convert wide.png made.ppm --max-pixels 1000000000
says 'limit of 4294967296 bytes; raise it with --max-memory'
# Rows are read one by one while they are encoded; of the picture's 4.8 GB, JPEG 2000 holds only the rows of a few
# levels.
for coded in made.jpg made.jp2; do
    peak_below 400000 "$KOSTKA" encode wide.png $coded --max-pixels 1000000000
    says 'Not enough image data, in row 5 of 20000'
done
expect 1 "$KOSTKA" encode wide.png made.jpg
says 'limit of 536870912; raise it with --max-pixels'
expect 2 "$KOSTKA" compare wide.png wide.png --max-pixels 1000000000
says max-memory
expect 0 "$KOSTKA" info wide.png --max-pixels 600000000
prints 'wide.png: png, 30000x20000, RGBA, 16 bits'
expect 1 "$KOSTKA" info wide.png
says max-pixels
"$MAKE_PNG" 3000 2000 8 2 >plain.png
expect 1 "$KOSTKA" convert plain.png made.jpg --max-memory 17999999
says max-memory
expect 1 "$KOSTKA" convert plain.png made.ppm --max-memory 17999999
says 'Not enough image data, in row 117 of 2000'
peak_below 90000 "$KOSTKA" info plain.png

# Each kind of TIFF gives the samples that it was made of.
while read -r bits channels words; do
    # shellcheck disable=SC2086 # words
    make_tiff a.tif 77 50 "$bits" "$channels" $words
    expect 0 "$KOSTKA" convert a.tif a.raw --interleave
    same a.tif.raw a.raw
    "$KOSTKA" info --json a.tif >info.json 2>err || fail "info: $(cat err)"
    equals "$(json 0 width <info.json)x$(json 0 height <info.json)" 77x50 "$bits $channels $words"
done <<'END'
8 1
8 3
8 4 deflate
16 1 big
16 3 lzw strip=50
16 3 tiles
16 4 tiles big deflate
8 3 separate
16 3 separate tiles
8 1 white tiles
16 4 cmyk lzw
8 4 cmyk tiles
8 1 palette
8 1 palette tiles
8 3 packbits strip=1000
16 1 int
8 3 int tiles
32 1
32 2 tiles int
16 5 int deflate big
END
make_tiff deep.tif 9 5 32 1
make_tiff signed.tif 9 5 16 3 int
expect 0 "$KOSTKA" encode signed.tif signed.jp2
expect 0 "$KOSTKA" decode signed.jp2 signed.raw --interleave
same signed.raw signed.tif.raw

# PNG, and TIFF unless planes are asked for, get samples without signs: half the range is added, and said so.
for kind in '8 1' '16 1' '8 3' '16 3'; do
    # shellcheck disable=SC2086 # words
    make_tiff signed.tif 9 5 $kind int
    expect 0 "$KOSTKA" encode signed.tif signed.jp2
    bits=${kind% *}
    for extension in png tif; do
        expect 0 "$KOSTKA" decode signed.jp2 back.$extension
        says "2^$((bits - 1)) was added"
        equals "$("$KOSTKA" info --json back.$extension | json 0 depth)" "$bits"
        expect 0 "$KOSTKA" convert back.$extension back.raw --interleave
        # Adding half the range inverts the highest bit, in the last byte of each sample.
        od -An -v -tu1 -w$((bits / 8)) signed.tif.raw | awk '{ $NF = ($NF + 128) % 256; print }' >wanted
        od -An -v -tu1 -w$((bits / 8)) back.raw | awk '{ $1 = $1; print }' >found
        same wanted found
    done
    expect 0 "$KOSTKA" decode signed.jp2 kept.tif --interleave
    [ ! -s err ] || fail "signs are kept, and yet: $(cat err)"
    expect 0 "$KOSTKA" convert kept.tif kept.raw --interleave
    same kept.raw signed.tif.raw
done

# Planes of a depth that the format has not are released after they were changed; AddressSanitizer looks for leaks.
make_tiff deep.tif 40 30 16 3
expect 0 "$KOSTKA" convert deep.tif deep.raw --interleave
expect 0 "$KOSTKA" encode --raw 40x30x3:12 --interleave deep.raw deep.jp2
for extension in png tif; do
    expect 0 "$KOSTKA" decode --format raw deep.jp2 planes.$extension
    [ -s planes-2.$extension ] || fail "no third plane in $extension"
done

# libtiff applies orientations if it converts; otherwise a warning mentions them.
make_tiff turned.tif 20 10 8 1 palette orientation=4
make_tiff upright.tif 20 10 8 1 palette
expect 0 "$KOSTKA" convert turned.tif turned.raw --interleave
expect 0 "$KOSTKA" convert upright.tif upright.raw --interleave
equals "$(head -c 60 turned.raw | cksum)" "$(tail -c 60 upright.raw | cksum)" 'the first row is the last'
make_tiff turned.tif 20 10 8 3 orientation=3
expect 0 "$KOSTKA" convert turned.tif turned.ppm
says 'orientation (3) is not applied'

# Sizes that are not there.
for words in '' tiles palette 'palette tiles' 'int tiles' separate 'deflate strip=50'; do
    channels=3
    case $words in palette*) channels=1 ;; esac
    for size in $(sampled '77x60 600000x1 100x4000000000 4000000000x4000000000 60000x60000 20000x20000' \
        '77x60 100x4000000000 20000x20000'); do
        # shellcheck disable=SC2086 # words
        make_tiff lies.tif 77 50 8 $channels $words claim=$size 2>/dev/null || continue
        peak_below 200000 "$KOSTKA" info lies.tif
        peak_below 1300000 "$KOSTKA" convert lies.tif lies.ppm --max-memory 600000000
        grep -q Sanitizer err && fail "$words, $size: $(cat err)"
    done
done
make_tiff large.tif 3000 2000 8 3 deflate
peak_below 90000 "$KOSTKA" info large.tif
prints 'large.tif: tiff, 3000x2000, RGB, 8 bits'
expect 1 "$KOSTKA" convert large.tif made.jpg --max-memory 17999999
says max-memory
make_tiff large.tif 3000 2000 8 1 palette
expect 1 "$KOSTKA" convert large.tif made.jpg --max-memory 17999999
says max-memory
expect 1 "$KOSTKA" convert large.tif made.ppm --max-pixels 5999999
says max-pixels

# Damage anywhere in the headers is an error or a picture, nothing else.
make_tiff a.tif 40 30 8 3 tiles deflate
size=$(wc -c <a.tif)
mkdir damaged
i=0
while [ $i -lt 120 ]; do
    at=$((size - 1 - i * 3))
    { head -c $at a.tif; printf '\377\177'; tail -c +$((at + 3)) a.tif; } >"damaged/$at.tif"
    i=$((i + 1))
done
survives_damage 100000000 damaged
# The list of a file's elements is printed while it is read: two lines for each tile here, or fourteen in JSON.
{ printf 'P5 300 300 255\n'; head -c 90000 /dev/zero; } >tiles.pgm
expect 0 "$KOSTKA" encode --tiles 2x2 tiles.pgm tiles.jp2
most=24000
! grep -q __asan_init "$KOSTKA" || most=400000
peak_below "$most" "$KOSTKA" info tiles.jp2
peak_below "$most" "$KOSTKA" info --json tiles.jp2
equals "$(grep -c '"name": "SOT"' out)" 22500 'tile-parts in JSON'
equals "$(json 0 elements 45010 name <out)" EOC 'the last element'
finish
