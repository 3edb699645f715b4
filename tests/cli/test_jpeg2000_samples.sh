#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# JPEG 2000 of any depth and number of components: planes in and out of files in either byte order; the bytes and
# samples are OpenJPEG's, too.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# noise BYTES: as many of them that look random
noise() {
    awk -v n="$1" 'BEGIN { s = 7; for (i = 0; i < n; i++) { s = (s * 16807) % 2147483647; printf "%c", 1 + int(s / 8388608) % 127 } }'
}

# Raw samples, of seven components one after the other, and back; planes that take turns; either byte order.
noise $((23 * 17 * 7 * 2)) >seven.raw
expect 0 "$KOSTKA" encode --raw 23x17x7:15 --raw-layout planes --endian little seven.raw seven.jp2
expect 0 "$KOSTKA" decode --raw-layout planes --endian little seven.jp2 again.raw
same seven.raw again.raw
expect 0 "$KOSTKA" decode --endian big --interleave seven.jp2 turns.raw
expect 0 "$KOSTKA" encode --raw 23x17x7:15 --endian big --interleave turns.raw turns.jp2
expect 0 "$KOSTKA" decode --raw-layout planes --endian little turns.jp2 again.raw
same seven.raw again.raw
expect 1 "$KOSTKA" encode --raw 23x17x6:15 seven.raw none.jp2
says 'samples of 2 for each'
expect 2 "$KOSTKA" encode --raw 23x17x6:32 seven.raw none.jp2
expect 2 "$KOSTKA" decode --endian middle seven.jp2 again.raw

# Some components: files are named after them, one alone as it is asked for.
expect 0 "$KOSTKA" decode --components 0,3-4,6 seven.jp2 some.pgx
equals "$(echo some-*.pgx)" 'some-0.pgx some-3.pgx some-4.pgx some-6.pgx'
expect 0 "$KOSTKA" decode --components 3 --endian little seven.jp2 third.raw
tail -c +$((23 * 17 * 2 * 3 + 1)) seven.raw | head -c $((23 * 17 * 2)) >wanted.raw
same third.raw wanted.raw
expect 0 "$KOSTKA" decode --components 3 --endian big seven.jp2 third.pgx
expect 0 "$KOSTKA" convert --endian little third.pgx third.raw
same third.raw wanted.raw
expect 1 "$KOSTKA" decode --components 7 seven.jp2 none.pgx
says 'no component 7; it has 7'
expect 2 "$KOSTKA" decode --components 3,1 seven.jp2 none.pgx
expect 2 "$KOSTKA" decode --interleave seven.jp2 none.png
says 'TIFF and raw'
expect 0 "$KOSTKA" decode --interleave seven.jp2 seven.tif

# 9 to 31 bits, signed or not, through PGX in both byte orders.
for depth in 9 12 16 17 24 28; do
    for sign in '' s; do
        bytes=$((depth > 16 ? 4 : 2))
        noise $((19 * 13 * bytes)) >samples.raw
        # the high byte is 0, so that every sample has at most the depth
        expect 0 "$KOSTKA" encode --raw "19x13x1:$((8 * bytes - 1 < 28 ? 8 * bytes - 1 : 28))$sign" --endian little samples.raw deep.j2k
        expect 0 "$KOSTKA" decode --endian little deep.j2k little.pgx
        expect 0 "$KOSTKA" decode --endian big deep.j2k big.pgx
        expect 0 "$KOSTKA" encode little.pgx a.j2k
        expect 0 "$KOSTKA" encode big.pgx b.j2k
        same a.j2k b.j2k
        same a.j2k deep.j2k
    done
done
finish
