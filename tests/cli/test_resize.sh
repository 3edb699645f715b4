#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Pictures of another size: --resize and what goes with it.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# size FILE WIDTHxHEIGHT
size() {
    equals "$("$KOSTKA" info --json "$1" | json 0 width)x$("$KOSTKA" info --json "$1" | json 0 height)" "$2" "size of $1"
}

picture 160 120 >a.ppm
expect 0 "$KOSTKA" encode a.ppm a.jpg --subsampling 420
expect 0 "$KOSTKA" encode a.ppm a.jp2
cp a.jp2 from_ppm.jp2

# All verbs make the same of the same pixels, from JPEG and JPEG 2000, as a file or in a pipe.
expect 0 "$KOSTKA" decode a.jp2 from_jp2.ppm --resize 50x40
expect 0 "$KOSTKA" convert a.ppm from_ppm.ppm --resize 50x40
same from_jp2.ppm from_ppm.ppm
size from_ppm.ppm 50x40
"$KOSTKA" convert --resize 50x40 --out-format ppm - - <a.ppm >piped.ppm
same piped.ppm from_ppm.ppm
expect 0 "$KOSTKA" encode a.ppm small.jp2 --resize 50x40
expect 0 "$KOSTKA" decode small.jp2 small.ppm
same small.ppm from_ppm.ppm
expect 0 "$KOSTKA" encode from_ppm.ppm expected.jpg
expect 0 "$KOSTKA" encode a.ppm small.jpg --resize=50x40
same small.jpg expected.jpg
expect 0 "$KOSTKA" decode --resize 50x40 --out-dir many a.jpg from_ppm.jp2 --out-format png
size many/a.png 50x40

# The size of one side, and the ways to fit.
for case in '80:80x60' 'x30:40x30' '100x30 --fit inside:40x30' '33x77 --fit inside:33x25' '33x77 --fit cover:33x77' \
    '33x77 --fit exact:33x77' '1x1:1x1' '161:161x121'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" decode a.jpg fit.ppm --resize ${case%:*}
    size fit.ppm "${case#*:}"
done
expect 0 "$KOSTKA" convert a.ppm cover.ppm --resize 60x60 --fit cover
expect 0 "$KOSTKA" convert a.ppm exact.ppm --resize 60x60
cmp -s cover.ppm exact.ppm && fail "a part is stretched like the whole"

# Each filter differs from the others; the default is bicubic. A constant picture stays constant.
for filter in box bilinear hamming bicubic lanczos; do
    expect 0 "$KOSTKA" convert a.ppm $filter.ppm --resize 47x31 --filter $filter
done
equals "$(cksum box.ppm bilinear.ppm hamming.ppm bicubic.ppm lanczos.ppm | cut -d' ' -f1 | sort -u | wc -l)" 5
expect 0 "$KOSTKA" convert a.ppm default.ppm --resize 47x31
same default.ppm bicubic.ppm
expect 0 "$KOSTKA" convert a.ppm unchanged.ppm --resize 160x120
identical unchanged.ppm a.ppm

# A box of whole pixels is the mean of them.
printf 'P5 4 2 255\n\001\003\010\012\005\007\020\022' >tiny.pgm
expect 0 "$KOSTKA" convert tiny.pgm mean.pgm --resize 2x1 --filter box
equals "$(tail -c 2 mean.pgm | od -An -tu1 | tr -s ' ')" ' 4 13'

# Regions, orientation and depth come before.
expect 0 "$KOSTKA" decode a.jpg region.ppm --region 80x60+40+30
expect 0 "$KOSTKA" convert region.ppm expected.ppm --resize 20x20
expect 0 "$KOSTKA" decode a.jpg found.ppm --region 80x60+40+30 --resize 20x20
same found.ppm expected.ppm
expect 0 "$KOSTKA" decode a.jpg planes.pgm --format planar --resize 20x20
for plane in 0 1 2; do
    [ -e planes-$plane.pgm ] || fail "no plane $plane"
done
size planes-1.pgm 20x20

# A draft is decoded at a smaller size, to the same size in the end.
expect 0 "$KOSTKA" decode -v --draft --resize 40x30 a.jpg draft.ppm
says 'resized from 80x60 to 40x30'
size draft.ppm 40x30
expect 0 "$KOSTKA" decode -v --draft --resize 30 a.jp2 draft.ppm
says 'resized from 80x60 to 30x22'
expect 0 "$KOSTKA" decode -v --draft --resize 20x15 a.jp2 draft.ppm
says 'resized from 40x30 to 20x15'
expect 0 "$KOSTKA" decode -v --draft --resize 81x60 a.jpg draft.ppm
says 'resized from 160x120 to 81x60'
expect 0 "$KOSTKA" decode -v --draft --resize 7x300 --fit inside a.jpg draft.ppm
size draft.ppm 7x5

# A device that is asked for resizes what it has decoded, to the same pixels.
for device in $("$KOSTKA" devices | sed -nE 's/^((opencl|cuda):[0-9]+) .*/\1/p'); do
    for file in a.jpg a.jp2; do
        expect 0 "$KOSTKA" decode $file expected.ppm --resize 47x31 --filter lanczos --device cpu
        expect 0 "$KOSTKA" decode -v $file found.ppm --resize 47x31 --filter lanczos --device "$device"
        says 'resized from 160x120 to 47x31 by '
        same found.ppm expected.ppm
    done
    expect 0 "$KOSTKA" convert a.jpg expected.jpg --resize 47x31 --device cpu
    expect 0 "$KOSTKA" convert a.jpg found.jpg --resize 47x31 --device "$device"
    same found.jpg expected.jpg
done

# What cannot be had is an error, and leaves no file.
for wrong in 0x10 10x0 0 x0 10x 'x' '' 10x10x10 -5x5 5.5x5 99999999999 axb; do
    expect 2 "$KOSTKA" decode a.jpg none.ppm --resize "$wrong"
    says 'resize'
done
expect 2 "$KOSTKA" decode a.jpg none.ppm --resize 5 --fit stretch
says "'stretch' is no value of --fit"
expect 2 "$KOSTKA" decode a.jpg none.ppm --resize 5 --filter nearest
says "'nearest' is no value of --filter"
for option in '--fit inside' '--filter box' --draft; do
    # shellcheck disable=SC2086 # words
    expect 2 "$KOSTKA" decode a.jpg none.ppm $option
    says 'it is for --resize, which is missing'
done
for option in '--scale 1/2' '--reduce 1' '--region 10x10'; do
    # shellcheck disable=SC2086 # words
    expect 2 "$KOSTKA" decode a.jpg none.ppm --resize 5 --draft $option
    says 'does not go with'
done
expect 1 "$KOSTKA" convert --draft --resize 5 a.ppm none.ppm
says '--draft is for input in JPEG'
expect 1 "$KOSTKA" decode a.jpg none.raw --format raw --resize 20x20
says 'up to four planes of one size'
expect 1 "$KOSTKA" decode a.jpg none.ppm --resize 40000x40000
says 'max-pixels'
expect 1 "$KOSTKA" decode a.jpg none.ppm --resize 2000x2000 --max-memory 1M
says 'max-memory'
[ "$(find . -name 'none*')" = "" ] || fail 'a file was left'
finish
