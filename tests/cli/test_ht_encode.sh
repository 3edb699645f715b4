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

# Targets: sizes are not exceeded and nearly reached, decibels are reached and hardly exceeded.
size() {
    wc -c <"$1" | tr -d ' '
}
pixels=$("$KOSTKA" info --json photo.ppm | json 0 width)
pixels=$((pixels * $("$KOSTKA" info --json photo.ppm | json 0 height)))
for passes in 1 2 3; do
    expect 0 "$KOSTKA" encode --ratio 20 --passes $passes photo.ppm ratio.jhc
    between "$(size ratio.jhc)" $((pixels * 295 / 2000)) $((pixels * 3 / 20)) "--ratio 20 --passes $passes"
    expect 0 "$KOSTKA" decode ratio.jhc ratio.$passes.ppm
    between "$(decibels photo.ppm ratio.$passes.ppm)" "$(decibels photo.ppm ratio.1.ppm)" 2000 "--passes $passes"
    expect 0 "$KOSTKA" encode --psnr 40 --passes $passes photo.ppm psnr.jph
    between "$(decibels photo.ppm psnr.jph)" 400 401 "--psnr 40 --passes $passes"
done
# Several passes are worth their time: rounding gives about a quarter of a decibel, and colours that feed Y the rest.
thousandths() {
    "$KOSTKA" compare "$1" "$2" | sed -n 's/.*PSNR \([0-9]*\)\.\([0-9]*\).*/\1\2/p'
}
gain() {
    expect 0 "$KOSTKA" encode --ratio 12 "$1" cleanup.jhc
    expect 0 "$KOSTKA" encode --ratio 12 --passes 3 "$1" three.jhc
    echo $(($(thousandths "$1" three.jhc) - $(thousandths "$1" cleanup.jhc)))
}
between "$(gain grey.pgm)" 200 2000 'gain of --passes 3, grey'
between "$(gain photo.ppm)" 350 2000 'gain of --passes 3, RGB'
# Blocks of three components are coded together, whatever thread does so, and wherever they lie.
for options in '--ratio 12 --tiles 100x100' '--psnr 38 --layers 2' '--ratio 12 --codeblock 16x256 --component 1:step=2' \
    '--ratio 12 --max-memory 4M' '--ratio 12 --weights vision' '--ratio 12 --interest 50x60+10+10'; do
    # shellcheck disable=SC2086 # several options
    expect 0 "$KOSTKA" encode --passes 3 $options --threads 1 photo.ppm one.jph
    # shellcheck disable=SC2086
    expect 0 "$KOSTKA" encode --passes 3 $options --threads 3 photo.ppm three.jph
    same one.jph three.jph
    between "$(decibels photo.ppm one.jph)" 300 600 "--passes 3 $options"
done
# Headers are shorter with the coarsest steps, which all components share; a budget between both lengths is kept, and finer
# steps are found where they fit.
picture 64 17 >small.ppm
for rate in 1.9:258 2.1445:291 2.2:299 2.25:306 2.6:353 4:544; do
    expect 0 "$KOSTKA" encode --rate "${rate%:*}" small.ppm small.jph
    between "$(size small.jph)" 200 "${rate#*:}" "bytes of small.ppm with --rate ${rate%:*}"
done
between "$(size small.jph)" 480 544 'bytes of small.ppm with --rate 4'
expect 0 "$KOSTKA" encode --rate 2 --reversible grey.pgm reversible.jph
between "$(size reversible.jph)" $((pixels * 95 / 400)) $((pixels / 4)) '--reversible'
expect 0 "$KOSTKA" encode --rate 0.001 photo.ppm tiny.jhc
between "$(size tiny.jhc)" 100 400 'no room for anything'
expect 0 "$KOSTKA" encode --rate 0.5,1,2 photo.ppm layers.jph
between "$(size layers.jph)" $((pixels * 97 / 400)) $((pixels / 4)) 'three layers'
expect 0 "$KOSTKA" decode --layers 1 layers.jph first.ppm
expect 0 "$KOSTKA" decode --layers 2 layers.jph second.ppm
[ "$(decibels photo.ppm first.ppm)" -lt "$(decibels photo.ppm second.ppm)" ] || fail 'the second layer is no better'
expect 0 "$KOSTKA" encode --ratio 10 --tiles 100x100 --threads 1 photo.ppm one.jph
expect 0 "$KOSTKA" encode --ratio 10 --tiles 100x100 --threads 3 photo.ppm three.jph
same one.jph three.jph

# Qualities give larger files, the higher they are; what is hard to see gets fewer bytes. Both are for jp2, too.
before=0
for quality in 10 50 75 98; do
    expect 0 "$KOSTKA" encode -q $quality photo.ppm quality.jph
    [ "$(size quality.jph)" -gt "$before" ] || fail "quality $quality is no larger"
    before=$(size quality.jph)
done
for name in weights.jph weights.jp2; do
    expect 0 "$KOSTKA" encode --step 2 photo.ppm $name
    before=$(size $name)
    expect 0 "$KOSTKA" encode --step 2 --weights vision photo.ppm $name
    [ "$(size $name)" -lt "$before" ] || fail 'weights do not matter'
done
expect 2 "$KOSTKA" encode --psnr 40 --weights vision photo.ppm none.jph
expect 2 "$KOSTKA" encode -q 40 --rate 1 photo.ppm none.jph

# The marker segments that say so, and the brand of the file.
expect 0 "$KOSTKA" encode photo.ppm one.jph
equals "$(head -c 24 one.jph | tail -c 4)" 'jph '
od -An -tx1 plain.jhc | tr -d ' \n' | grep -q '^ff4fff51....4000.*ff50000800020000000[1-9a-f]ff52' ||
    fail 'CAP is not what it should be'

# What the stream claims holds; where it is changed, the claim is told of with its place, which is that of COD.
expect 0 "$KOSTKA" info plain.jhc
prints '  claims       kept'
expect 0 "$KOSTKA" info --json plain.jhc
json 0 claims breaches 0 <out >/dev/null 2>&1 && fail 'a claim that holds is called broken'
{ head -c 54 plain.jhc && printf "\\002" && tail -c +56 plain.jhc; } >less.jhc
{ head -c 67 plain.jhc && printf "\\000" && tail -c +69 plain.jhc; } >mq.jhc
expect 0 "$KOSTKA" info less.jhc
prints 'broken: Ccap15 bounds magnitudes by 10 bits: a code-block .* (at byte [0-9]*)'
expect 0 "$KOSTKA" info --json mq.jhc
equals "$(json 0 claims breaches 0 offset <out)" 55
equals "$(json 0 claims error <out)" null
json 0 claims breaches 0 text <out | grep -q 'all code-blocks are those of T.814: here are others' || fail 'no HTONLY'

# Code points of colours: written, described, and warned of where they are not those of RGB; refused where they have no place.
expect 0 "$KOSTKA" encode --cicp 9/16/0 photo.ppm points.jph
expect 0 "$KOSTKA" info points.jph
prints 'colours      code points 9/16/0 (primaries, transfer, matrix), full range'
expect 0 "$KOSTKA" info --json points.jph
equals "$(json 0 code_points transfer <out)" 16
expect 0 "$KOSTKA" decode points.jph points.ppm
same points.ppm photo.ppm
expect 0 "$KOSTKA" encode --cicp 1/1/0/limited photo.ppm limited.jph
expect 1 "$KOSTKA" decode limited.jph limited.ppm
says "a pixel format that the picture's channels do not allow"
expect 0 "$KOSTKA" decode limited.jph limited.png
says 'warning: colours of code points 1/1/0, limited range, are not converted'
expect 2 "$KOSTKA" encode --cicp 9/16/0 photo.ppm none.jp2
expect 2 "$KOSTKA" encode --cicp 9/16 photo.ppm none.jph
says '--cicp takes'
expect 1 "$KOSTKA" encode --cicp 9/16/9 photo.ppm none.jph
says 'RGB has matrix 0'

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
{ [ ! -e none.jph ] && [ ! -e none.j2k ]; } || fail 'a file was left behind'
finish
