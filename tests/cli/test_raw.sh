#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Raw samples: what decode writes encode reads back, byte for byte, pixel by pixel or plane after plane.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# noise BYTES [MAXIMUM]: bytes up to the maximum that look random.
noise() {
    awk -v n="$1" -v most="${2:-127}" \
        'BEGIN { s = 11; for (i = 0; i < n; i++) { s = (s * 16807) % 2147483647; printf "%c", 1 + int(s / 4096) % most } }'
}

width=37 height=21
for count in 1 2 3 4 5; do
    for depth in 8 16 12s; do
        bytes=$([ $depth = 8 ] && echo 1 || echo 2)
        # 12 bits with a sign: bytes of one value, of which each pair is a small sample
        most=120
        [ $depth != 12s ] || most=6
        noise $((width * height * count * bytes)) $most >in.raw
        for how in '' '--raw-layout=pixels' '--raw-layout=planes' '--endian=big' '--raw-layout=planes --endian=little'; do
            # shellcheck disable=SC2086 # words
            expect 0 "$KOSTKA" encode --raw ${width}x${height}x$count:$depth $how in.raw coded.jp2
            # shellcheck disable=SC2086
            expect 0 "$KOSTKA" decode $how coded.jp2 out.raw
            same in.raw out.raw
        done
        # the same samples, read in rows: on the CPU, and from standard input, which is read whole
        for how in pixels planes; do
            "$KOSTKA" encode --raw ${width}x${height}x$count:$depth --raw-layout $how in.raw a.j2k --device cpu ||
                fail 'cannot encode'
            "$KOSTKA" encode --raw ${width}x${height}x$count:$depth --raw-layout $how - - --out-format j2k <in.raw >b.j2k || fail 'cannot encode'
            same a.j2k b.j2k
        done
    done
done

# Check the layouts: pixel by pixel, or one component after the other.
printf 'abcdefghijkl' >pixels.raw
printf 'adgjbehkcfil' >planes.raw
printf 'P6 2 2 255\nabcdefghijkl' >wanted.ppm
expect 0 "$KOSTKA" convert --raw 2x2x3:8 pixels.raw a.ppm
identical a.ppm wanted.ppm
expect 0 "$KOSTKA" convert --raw 2x2x3:8 --raw-layout planes planes.raw a.ppm
identical a.ppm wanted.ppm
expect 0 "$KOSTKA" convert wanted.ppm a.raw
same a.raw pixels.raw
expect 0 "$KOSTKA" convert --raw-layout planes wanted.ppm a.raw
same a.raw planes.raw

# Planes that are asked for are written as planes, and by turns where that is asked for, too.
"$KOSTKA" encode --lossless wanted.ppm a.jp2 || fail 'cannot encode'
expect 0 "$KOSTKA" decode --format planar a.jp2 a.raw
same a.raw planes.raw
expect 0 "$KOSTKA" decode --format planar --raw-layout pixels a.jp2 a.raw
same a.raw pixels.raw
expect 0 "$KOSTKA" decode --format planar --interleave a.jp2 a.raw
same a.raw pixels.raw
expect 2 "$KOSTKA" decode --interleave --raw-layout planes a.jp2 none.raw
says 'raw-layout planes'
expect 2 "$KOSTKA" decode --raw-layout rows a.jp2 none.raw
says 'pixels.*or planes'

# Components of several sizes have no pixels to be written one by one.
picture 32 24 >p.ppm
"$KOSTKA" encode p.ppm p.jpg || fail 'cannot encode'
expect 0 "$KOSTKA" decode --format raw p.jpg p.yuv
equals "$(wc -c <p.yuv | tr -d ' ')" $((32 * 24 * 3 / 2))
expect 1 "$KOSTKA" decode --format raw --raw-layout pixels p.jpg none.raw
says 'raw-layout planes'
[ ! -e none.raw ] || fail 'a file was made'

# All of it in strips and in rows, under a memory limit, gives the same files.
noise $((300 * 2000 * 3)) >large.raw
for how in pixels planes; do
    expect 0 "$KOSTKA" encode --raw 300x2000x3:8 --raw-layout $how --tiles 128x128 large.raw large.jp2
    expect 0 "$KOSTKA" encode --raw 300x2000x3:8 --raw-layout $how --tiles 128x128 --max-memory 6M large.raw small.jp2
    same large.jp2 small.jp2
    expect 0 "$KOSTKA" decode --raw-layout $how large.jp2 back.raw
    same large.raw back.raw
done
finish
