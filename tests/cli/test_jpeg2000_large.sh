#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Pictures larger than the memory limit are encoded and decoded some rows at a time, to what the whole gives.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
export KOSTKA_THREADS=2

# stripes LENGTH: bytes that are coded in few, not the same from top to bottom
stripes() {
    for pattern in ABCDDEFGHHIKLMNOPPQRSTUVWXYZZ AAAAABBBBBBBCCCCCCDDDDDEEEEEE MMMNNNNOOOOPPPPOOOONNNNMMMMLL XYZZYXWVUTTSSSRQPPOOONNNMMMKA; do
        yes $pattern | head -c $(($1 / 4))
    done
}
{
    printf 'P6\n500 4000\n255\n'
    stripes 6000000
} >big.ppm
{
    printf 'P5\n500 5500\n65535\n'
    stripes 2750000 | tr '\n' A | sed 's/./A&/g'
} >wide.pgm
for _ in 1 2 3; do
    stripes 2000000
done >planes.raw
limit=5000000 # bytes; each picture has more
kind=tif

# small PICTURE NAME OPTIONS…: encoded and decoded within the limit, which the whole would not be
small() {
    picture=$1
    name=$2
    shift 2
    expect 0 "$KOSTKA" encode --max-memory $limit "$@" "$picture" "$name"
    "$KOSTKA" encode "$@" - "whole.${name##*.}" <"$picture" || fail "$name: encode"
    same "$name" "whole.${name##*.}"
    extension=${picture##*.}
    expect 0 "$KOSTKA" decode "$name" "whole.$extension"
    expect 0 "$KOSTKA" decode --max-memory $limit "$name" "again.$extension"
    same "whole.$extension" "again.$extension"
    # TIFF to a file and through a pipe, and PNG, by turns
    expect 0 "$KOSTKA" decode --compression 1 "$name" "whole.$kind"
    expect 0 "$KOSTKA" decode --compression 1 --max-memory $limit "$name" "again.$kind"
    same "whole.$kind" "again.$kind"
    if [ $kind = tif ]; then
        kind=png
        "$KOSTKA" decode --compression 1 --max-memory $limit --out-format tiff "$name" - >again.tif || fail "$name: to TIFF"
        same whole.tif again.tif
    else
        kind=tif
    fi
    expect 1 "$KOSTKA" decode --max-memory $limit "$name" none.pgx
    says 'max-memory'
}
small big.ppm lossless.jp2
same again.ppm big.ppm
small big.ppm tiles.j2k --tiles 200x300 --levels 3
same again.ppm big.ppm
small wide.pgm wide.jp2
same again.pgm wide.pgm
if [ -z "${KOSTKA_SANITIZED:-}" ]; then
    small big.ppm lossy.jp2 --ratio 30
    small planes.raw planes.jp2 --raw 500x4000x3:8 --raw-layout planes
    expect 0 "$KOSTKA" decode --max-memory $limit --interleave planes.jp2 turns.raw
    small turns.raw turns.jp2 --raw 500x4000x3:8
    same planes.jp2 turns.jp2
fi

# Rows alone that are too much: some columns at a time, of few rows.
{
    printf 'P6\n8000 250\n255\n'
    stripes 6000000
} >broad.ppm
for options in --lossless '--ratio 20'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" encode $options broad.ppm broad.jp2
    # shellcheck disable=SC2086
    expect 0 "$KOSTKA" encode --device cpu --max-memory 15000000 $options broad.ppm again.jp2
    same broad.jp2 again.jp2
    expect 0 "$KOSTKA" decode broad.jp2 whole.ppm
    for least in $(cases '3000000 1500000' 1500000); do
        expect 0 "$KOSTKA" decode --device cpu --max-memory "$least" broad.jp2 again.ppm
        same whole.ppm again.ppm
    done
done
expect 1 "$KOSTKA" decode --device cpu --max-memory 3000000 broad.jp2 none.pgx
says 'the pixels alone take 6000000 bytes'

# A part, and at half its size.
for options in '--region 400x3500+50+99' '--reduce 1 --region 240x1990+3+5'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" decode $options lossless.jp2 whole.pam
    # shellcheck disable=SC2086
    expect 0 "$KOSTKA" decode --max-memory 2500000 $options lossless.jp2 again.pam
    same whole.pam again.pam
done

# Files that find no more room leave nothing, wherever that is.
{
    printf 'P6\n300 300\n255\n'
    head -c 270000 /dev/urandom
} >noise.ppm
for tiles in 300x300 100x100; do
    for blocks in 0 1 90 500; do
        (
            trap '' XFSZ
            ulimit -f $blocks
            "$KOSTKA" encode --max-memory $limit --tiles $tiles noise.ppm none.jp2
        ) 2>&1 | cat >err
        says 'cannot write .*: File too large'
    done
done

for kind in ppm png tif; do
    for blocks in 0 1 10; do
        (
            trap '' XFSZ
            ulimit -f $blocks
            "$KOSTKA" decode --max-memory $limit lossless.jp2 none.$kind
        ) 2>&1 | cat >err
        says 'cannot write .*: File too large'
    done
done

# A warning of all strips is printed once.
head -c 50000 lossless.jp2 >short.jp2
expect 0 "$KOSTKA" decode --max-memory $limit short.jp2 again.ppm
equals "$(grep -c warning err)" 1

# Files that end early, and streams that cannot be decoded, leave nothing.
head -c 5500000 big.ppm >short.ppm
expect 1 "$KOSTKA" encode --max-memory $limit short.ppm none.jp2
says 'the file ends'
head -c 1000 lossless.jp2 >short.jp2
expect 1 "$KOSTKA" decode --strict --max-memory $limit short.jp2 none.ppm
equals "$(find . -name 'none*' -o -name '.kostka*')" ''
finish
