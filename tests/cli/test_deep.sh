#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# JPEG of 12 bits: encoded with --precision 12, decoded to files that hold as many bits, transcoded without loss.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# A slope through all 4096 values, twice: first low bytes, then high ones.
awk 'BEGIN { for (i = 0; i < 64 * 128; i++) printf "%c%c", 1 + i % 127, 1 + int(i / 512) % 15 }' >in.raw

expect 0 "$KOSTKA" encode --raw 64x128x1:12 --endian little --precision 12 -q 100 in.raw deep.jpg
expect 0 "$KOSTKA" info deep.jpg
prints 'JPEG, 64x128, grey.*, 12 bits'
prints 'extended, 1 scan'
expect 0 "$KOSTKA" decode -v deep.jpg out.pgm
says 'entropy .* on cpu, pixels .* on cpu'
[ "$(head -c 15 out.pgm | tr '\n' ' ')" = 'P5 64 128 4095 ' ] || fail 'the PGM file has other bits'

# The quantisers are 1: samples differ by 2 at most, that is by 2 in 4095.
expect 0 "$KOSTKA" decode --endian little deep.jpg out.raw
od -An -v -tu2 --endian=little -w2 in.raw >a
od -An -v -tu2 --endian=little -w2 out.raw >b
paste a b | awk '{ d = $1 - $2; if (d < -2 || d > 2) exit 1 }' || fail 'samples differ by more than 2'

# Formats of 16 bits hold the same samples, scaled; BMP has no room for them.
expect 0 "$KOSTKA" encode --precision 12 -q 100 out.pgm again.jpg
expect 0 "$KOSTKA" decode again.jpg again.pgm
for name in out.png out.tif; do
    expect 0 "$KOSTKA" decode deep.jpg $name
    expect 0 "$KOSTKA" encode --precision 12 -q 100 $name other.jpg
    expect 0 "$KOSTKA" decode other.jpg other.pgm
    same again.pgm other.pgm
done
expect 1 "$KOSTKA" decode deep.jpg out.bmp
says 'its samples have 12 bits'

# Without the option JPEG has 8 bits, and 8 bits become 12 with it.
expect 0 "$KOSTKA" encode out.pgm plain.jpg
expect 0 "$KOSTKA" info plain.jpg
prints 'baseline'
prints '8 bits'
expect 0 "$KOSTKA" convert --precision 12 plain.jpg deeper.jpg
expect 0 "$KOSTKA" info deeper.jpg
prints '12 bits'

# Transcoding: progressive and back is the same file; turned twice by half a circle as well.
expect 0 "$KOSTKA" transcode --progressive deep.jpg progressive.jpg
expect 0 "$KOSTKA" info progressive.jpg
prints 'progressive'
prints '12 bits'
expect 0 "$KOSTKA" transcode progressive.jpg back.jpg
same deep.jpg back.jpg
expect 0 "$KOSTKA" transcode --rotate 180 deep.jpg half.jpg
expect 0 "$KOSTKA" transcode --rotate 180 half.jpg whole.jpg
same deep.jpg whole.jpg

# Any number of threads decodes in the memory that suffices for one.
{ printf 'P6 700 500 255\n'; head -c 1050000 /dev/urandom; } >wide.ppm
expect 0 "$KOSTKA" encode --precision 12 wide.ppm wide.jpg
expect 0 "$KOSTKA" decode wide.jpg wanted.ppm
for threads in 1 2 3 8; do
    expect 0 "$KOSTKA" decode --device cpu --threads $threads --max-memory 3300K wide.jpg wide.ppm
    same wanted.ppm wide.ppm
done

# There is no fast transform for 12 bits.
expect 1 "$KOSTKA" decode --inverse-dct fast deep.jpg out.pgm
says 'inverse-dct fast is for samples of 8 bits; there are 12'
expect 1 "$KOSTKA" encode --forward-dct fast --precision 12 plain.jpg x.jpg
says 'samples of 12 bits have the accurate transform only'
[ ! -e x.jpg ] || fail 'a refused call wrote a file'

expect 2 "$KOSTKA" encode --precision 10 out.pgm x.jpg
says "precision is 8 or 12, not '10'"
expect 2 "$KOSTKA" encode --precision 12 out.pgm x.jp2
says 'precision'
finish
