#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# HTJ2K files that are made: OpenJPEG, and OpenJPH where Python's imagecodecs has it, decode them to the same pixels.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
command -v opj_decompress >/dev/null || lacks opj_decompress

photo=/usr/share/backgrounds/mate/nature/Wood.jpg
[ -f "$photo" ] || lacks "$photo"
expect 0 "$KOSTKA" convert --scale 1/4 "$photo" photo.ppm
expect 0 "$KOSTKA" convert --scale 1/4 --format grey "$photo" grey.pgm

cat >openjph.py <<'EOF'
import sys
try:
    import imagecodecs
    imagecodecs.htj2k_decode
except Exception:
    sys.exit(77)
samples = imagecodecs.htj2k_decode(open(sys.argv[1], 'rb').read())
if len(samples.shape) == 3 and samples.shape[0] == 3:
    samples = samples.transpose(1, 2, 0)
shape = samples.shape
with open(sys.argv[2], 'wb') as out:
    out.write(b'P%d %d %d 255\n' % (5 if len(shape) == 2 else 6, shape[1], shape[0]) + samples.tobytes())
EOF
openjph() {
    python3 openjph.py "$1" "$2"
    case $? in
    0) return 0 ;;
    77) return 1 ;;
    *) fail "OpenJPH does not decode $1" ;;
    esac
}

# lossless PICTURE NAME OPTIONS…: we and OpenJPEG give back what was encoded
lossless() {
    picture=$1
    name=$2
    shift 2
    expect 0 "$KOSTKA" encode "$@" "$picture" "$name"
    identical "$name" "$picture"
    rm -f opj.*
    expect 0 opj_decompress -i "$name" -o "opj.${picture##*.}"
    identical "opj.${picture##*.}" "$picture"
}
# plain PICTURE NAME OPTIONS…: so does OpenJPH, which reads one layer and no packed headers
plain() {
    lossless "$@"
    openjph "$2" "jph.${1##*.}" || return 0
    identical "jph.${1##*.}" "$1"
}
plain photo.ppm plain.jph
plain grey.pgm plain.j2c --ht
plain grey.pgm plain.jhc
for size in 4x4 4x1024 1024x4 16x256 32x32; do
    plain photo.ppm blocks.jph --codeblock $size
done
plain photo.ppm flat.jph --levels 0 --tiles 100x70
plain grey.pgm tiles.jph --tiles 99x71 --progression RPCL --tlm --plt --tile-parts resolution
plain photo.ppm orders.jph --progression CPRL --precincts 128x128,64x64 --sop --eph
lossless photo.ppm layers.jph --layers 3
lossless grey.pgm causal.j2k --style causal,ht
lossless photo.ppm packed.jph --packed ppm --tiles 100x100
lossless photo.ppm planes.jph --keep-components --component '1:levels=2,codeblock=16x64,guard-bits=4'
for size in 1x1 1x77 90x1 3x5; do
    head -c 5000 photo.ppm | tail -c 4000 >some.raw
    expect 0 "$KOSTKA" convert --raw 40x100x1:8 some.raw some.pgm
    expect 0 "$KOSTKA" convert --resize "$size" --fit exact some.pgm small.pgm
    plain small.pgm small.jph
done

# Components that have code-blocks of T.800 beside those of T.814 are for us alone.
expect 0 "$KOSTKA" encode --keep-components --component 1:style=causal+bypass photo.ppm both.jph
identical both.jph photo.ppm

decibels() {
    "$KOSTKA" compare "$1" "$2" | sed -n 's/.*PSNR \([0-9]*\)\.\([0-9]\).*/\1\2/p'
}
# What is lost is the same for all decoders, but for rounding.
for options in '--step 1' '--step 4 --style causal' '--step 2 --passes 2' '--step 2 --passes 3'; do
    # shellcheck disable=SC2086 # several options
    expect 0 "$KOSTKA" encode $options photo.ppm step.jph
    expect 0 "$KOSTKA" decode step.jph ours.ppm
    opj_decompress -i step.jph -o opj.ppm >/dev/null
    between "$(decibels ours.ppm opj.ppm)" 500 2000 "agreement with OpenJPEG: $options"
done

# The marker segments that say so, and the brand of the file.
expect 0 "$KOSTKA" encode photo.ppm one.jph
equals "$(head -c 24 one.jph | tail -c 4)" 'jph '
od -An -tx1 plain.jhc | tr -d ' \n' | grep -q '^ff4fff51....4000.*ff50000800020000000[1-9a-f]ff52' ||
    fail 'CAP is not what it should be'

# The same bytes on any number of threads and any tier.
for name in plain step; do
    options=
    [ $name = plain ] || options='--step 2 --passes 3'
    # shellcheck disable=SC2086 # several options
    expect 0 "$KOSTKA" encode $options --threads 1 photo.ppm threads.jph
    same $name.jph threads.jph
    # shellcheck disable=SC2086
    KOSTKA_CPU=c expect 0 "$KOSTKA" encode $options photo.ppm tier.jph
    same $name.jph tier.jph
done

# What cannot be: it is refused by the name of the option.
expect 2 "$KOSTKA" encode --ht photo.ppm none.jp2
says '--ht'
expect 1 "$KOSTKA" encode --style bypass photo.ppm none.jph
says 'style: code-blocks of T.814 can be causal'
expect 1 "$KOSTKA" encode --passes 3 photo.ppm none.jph
says 'passes'
expect 1 "$KOSTKA" encode --passes 2 --step 1 photo.ppm none.j2k
says 'passes'
expect 2 "$KOSTKA" encode --passes 4 --step 1 photo.ppm none.jph
[ ! -e none.jph ] && [ ! -e none.j2k ] || fail 'a file was left behind'
finish
