#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# JPEG 2000 files that are made: other decoders give the same pixels, and targets are met.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
command -v opj_decompress >/dev/null || lacks opj_decompress
command -v grk_decompress >/dev/null || lacks grk_decompress

photo=/usr/share/backgrounds/mate/nature/Wood.jpg
[ -f "$photo" ] || lacks "$photo"
expect 0 "$KOSTKA" convert --scale 1/4 "$photo" photo.ppm
expect 0 "$KOSTKA" convert --scale 1/4 --format grey "$photo" grey.pgm

# peers FILE REFERENCE: both others decode the file to these pixels
peers() {
    rm -f opj.* grk.*
    expect 0 opj_decompress -i "$1" -o "opj.${2##*.}"
    identical "opj.${2##*.}" "$2"
    expect 0 grk_decompress -i "$1" -o "grk.${2##*.}"
    identical "grk.${2##*.}" "$2"
}

# lossless PICTURE NAME OPTIONS…: we and the others give back what was encoded
lossless() {
    picture=$1
    name=$2
    shift 2
    expect 0 "$KOSTKA" encode "$@" "$picture" "$name"
    identical "$name" "$picture"
    peers "$name" "$picture"
}
lossless photo.ppm plain.jp2
lossless grey.pgm plain.j2k --lossless
lossless photo.ppm styles.jp2 --style bypass,reset,causal,symbols --levels 3
lossless photo.ppm ends.j2k --style termall,predictable,bypass --codeblock 32x16
lossless photo.ppm own.j2k --keep-components --component 1:levels=2,codeblock=16x64,style=termall+bypass,guard-bits=4 \
    --component 2:levels=0
lossless photo.ppm mixed.jp2 --component 1:style=causal+symbols --component 2:guard-bits=5 --tiles 100x70 \
    --component 1@3:style=termall --component 0@2:guard-bits=3
expect 2 "$KOSTKA" encode --component 1:levels photo.ppm none.jp2
expect 2 "$KOSTKA" encode --component 1:style=none photo.ppm none.jp2
expect 1 "$KOSTKA" encode --component 3:levels=2 photo.ppm none.jp2
lossless grey.pgm tiles.jp2 --tiles 100x70 --progression PCRL --tlm --plt --tile-parts resolution
lossless photo.ppm precincts.j2k --precincts 128x128,64x64 --progression RPCL --sop --eph --layers 5
# Grok loses layers of blocks smaller than 16 × 16, also those that OpenJPEG makes.
lossless photo.ppm flat.jp2 --levels 0 --keep-components --codeblock 1024x4
lossless grey.pgm small.j2k --levels 7 --codeblock 16x16 --progression CPRL --tile-parts component,layer --layers 2
equals "$("$KOSTKA" info --json precincts.j2k | json 0 layers)" 5
equals "$("$KOSTKA" info --json precincts.j2k | json 0 progression)" RPCL
equals "$("$KOSTKA" info --json tiles.jp2 | json 0 format)" jpeg2000

# Packet headers elsewhere. Grok takes lengths in PLT, and PPM of several tile-parts, for something else than OpenJPEG does.
for where in ppm ppt; do
    lossless photo.ppm packed.j2k --packed $where --sop --eph --layers 3 --tiles 100x100
    expect 0 "$KOSTKA" encode --packed $where --plt --tile-parts resolution --tiles 100x100 photo.ppm packed.j2k
    rm -f opj.ppm
    expect 0 opj_decompress -i packed.j2k -o opj.ppm
    identical opj.ppm photo.ppm
    expect 0 "$KOSTKA" transcode --packed $where --progression RPCL plain.jp2 packed.jp2
    peers packed.jp2 photo.ppm
done
expect 2 "$KOSTKA" encode --packed here photo.ppm none.j2k

expect 0 "$KOSTKA" transcode --components 1 flat.jp2 green.jp2
expect 0 opj_decompress -i green.jp2 -o green.pgm
identical green.pgm green.jp2
expect 1 "$KOSTKA" transcode --components 1 plain.jp2 none.jp2
says 'components 0 to 2 are coded together'

# Targets: sizes are not exceeded and nearly reached, decibels are reached and hardly exceeded.
pixels=$("$KOSTKA" info --json photo.ppm | json 0 width)
pixels=$((pixels * $("$KOSTKA" info --json photo.ppm | json 0 height)))
size() {
    wc -c <"$1" | tr -d ' '
}
expect 0 "$KOSTKA" encode --rate 1 photo.ppm rate.jp2
between "$(size rate.jp2)" $((pixels * 97 / 800)) $((pixels / 8)) '--rate 1'
expect 0 "$KOSTKA" encode --ratio 20 photo.ppm ratio.j2k
between "$(size ratio.j2k)" $((pixels * 291 / 2000)) $((pixels * 3 / 20)) '--ratio 20'
expect 0 "$KOSTKA" encode --rate 2 --reversible grey.pgm reversible.j2k
between "$(size reversible.j2k)" $((pixels * 97 / 400)) $((pixels / 4)) '--reversible'
decibels() {
    "$KOSTKA" compare "$1" "$2" | sed -n 's/.*PSNR \([0-9]*\)\.\([0-9]\).*/\1\2/p'
}
for target in 30 38 45; do
    expect 0 "$KOSTKA" encode --psnr $target photo.ppm psnr.jp2
    between "$(decibels photo.ppm psnr.jp2)" $((10 * target)) $((10 * target + 1)) "--psnr $target"
    expect 0 "$KOSTKA" encode --psnr $target --reversible photo.ppm psnr.jp2
    between "$(decibels photo.ppm psnr.jp2)" $((10 * target)) $((10 * target + 1)) "--psnr $target --reversible"
done
expect 0 "$KOSTKA" encode --rate 0.25,0.5,1 photo.ppm layers.jp2
equals "$("$KOSTKA" info --json layers.jp2 | json 0 layers)" 3
expect 0 "$KOSTKA" decode --layers 1 layers.jp2 first.ppm
expect 0 "$KOSTKA" decode --layers 2 layers.jp2 second.ppm
[ "$(decibels photo.ppm first.ppm)" -lt "$(decibels photo.ppm second.ppm)" ] || fail 'the second layer is no better'

# Other decoders give the same pixels of a lossy file as we do, except for rounding.
opj_decompress -i rate.jp2 -o opj.ppm >/dev/null
between "$(decibels rate.jp2 opj.ppm)" 500 2000 'agreement with OpenJPEG'
expect 0 "$KOSTKA" encode --step 4 --style causal photo.ppm step.jp2
opj_decompress -i step.jp2 -o opj.ppm >/dev/null
between "$(decibels step.jp2 opj.ppm)" 500 2000 'agreement with OpenJPEG'

# The same bytes on any number of threads and any tier.
expect 0 "$KOSTKA" encode --rate 1 --threads 1 photo.ppm threads.jp2
same rate.jp2 threads.jp2
KOSTKA_CPU=c expect 0 "$KOSTKA" encode --rate 1 photo.ppm tier.jp2
same rate.jp2 tier.jp2

# A region of interest comes first: at a low rate it is better than the rest.
expect 0 "$KOSTKA" encode --rate 0.3 photo.ppm even.jp2
expect 0 "$KOSTKA" encode --rate 0.3 --interest 64x64+32+32 photo.ppm interest.jp2
for name in even interest; do
    expect 0 "$KOSTKA" decode --region 48x48+40+40 $name.jp2 $name.ppm
done
expect 0 "$KOSTKA" encode --lossless photo.ppm whole.jp2
expect 0 "$KOSTKA" decode --region 48x48+40+40 whole.jp2 whole.ppm
[ "$(decibels whole.ppm interest.ppm)" -gt "$(decibels whole.ppm even.ppm)" ] || fail 'the region is no better'

# Check profiles: what they demand is written, others read it, and breaches are refused or reported.
awk 'BEGIN {
    printf "P6\n256 144\n4095\n"
    for (i = 0; i < 256 * 144 * 3; i++)
        printf "%c%c", 1 + (i / 100) % 15, 1 + (i * 7 + i / 768) % 127
}' >film.ppm
for profile in cinema2k cinema4k broadcast:5 imf2k imf4k:6,2; do
    expect 0 "$KOSTKA" encode --profile "$profile" film.ppm film.j2k
    "$KOSTKA" info film.j2k >told
    grep -q "profile .*(${profile%:*}), kept" told || fail "$profile: $(grep profile told)"
    expect 0 "$KOSTKA" decode film.j2k ours.ppm
    for peer in opj grk; do
        ${peer}_decompress -i film.j2k -o peer.ppm >/dev/null 2>&1
        between "$(decibels ours.ppm peer.ppm)" 600 2000 "$profile by $peer"
    done
done
for profile in profile0 profile1 imf2k-reversible broadcast-reversible:7; do
    lossless film.ppm film.j2k --profile "$profile"
done
expect 0 "$KOSTKA" encode --profile profile1 --layers 3 --rate 4 photo.ppm film.jp2
equals "$("$KOSTKA" info --json film.jp2 | json 0 profile name)" profile1
expect 1 "$KOSTKA" encode --profile cinema2k photo.ppm none.j2k
says '12 to 12 bits and no sign: component 0 has 8; convert'
expect 1 "$KOSTKA" encode --profile imf2k --layers 2 film.ppm none.j2k
says 'there is one layer: there are 2; make one layer'
expect 2 "$KOSTKA" encode --layers 2 --profile imf2k film.ppm none.j2k
expect 2 "$KOSTKA" encode --profile imf3k film.ppm none.j2k
expect 2 "$KOSTKA" encode --profile cinema2k:3 film.ppm none.j2k
lossless photo.ppm changes.j2k --layers 2 --poc RPCL:0-3:0-3:1,LRCP:0-6,CPRL
equals "$("$KOSTKA" info changes.j2k | grep -c 'POC .*RPCL to layer 1, resolutions 0 to 3')" 1
expect 2 "$KOSTKA" encode --poc RPCL:3 photo.ppm none.j2k

# Check what is refused, what is converted, and which metadata are kept.
expect 1 "$KOSTKA" encode "$KOSTKA_SOURCE/tests/support/cli/library.sh" none.jp2
expect 2 "$KOSTKA" encode --rate 0 photo.ppm none.jp2
expect 2 "$KOSTKA" encode --rate 1,2 --layers 3 photo.ppm none.jp2
expect 2 "$KOSTKA" encode --codeblock 64 photo.ppm none.jp2
expect 2 "$KOSTKA" encode --codeblock 48x48 photo.ppm none.jp2
says '--codeblock'
expect 2 "$KOSTKA" encode --rate 2,1 photo.ppm none.jp2
expect 2 "$KOSTKA" encode --style loud photo.ppm none.jp2
[ ! -e none.jp2 ] || fail 'a file was left behind'
expect 0 "$KOSTKA" convert --rate 1 "$photo" converted.jp2
expect 0 "$KOSTKA" convert -q 90 converted.jp2 back.jpg
expect 0 "$KOSTKA" encode --comment 'Made of wood' photo.ppm said.jp2
grep -q 'Made of wood' said.jp2 || fail 'the comment is missing'

# Profile, Exif with its orientation, and density go from JPEG, PNG and TIFF to JPEG 2000 and back.
printf 'II*\000\010\000\000\000\001\000\022\001\003\000\001\000\000\000\006\000\000\000\000\000\000\000' >turned.exif
head -c 4000 "$photo" >some.icc
expect 0 "$KOSTKA" encode --icc some.icc --exif turned.exif photo.ppm bare.jpg
# JFIF: 300 x 200 dots an inch
{ head -c 13 bare.jpg; printf '\001\001\054\000\310'; tail -c +19 bare.jpg; } >full.jpg
facts() {
    "$KOSTKA" info --json "$1" >facts.json
    for key in 'density x' 'density y' 'density unit' orientation; do
        # shellcheck disable=SC2086 # a path of keys
        printf '%s ' "$(json 0 $key <facts.json)"
    done
    "$KOSTKA" info "$1" | sed -n 's/^  \(icc\|exif\) *\([0-9]*\) bytes.*/\1 \2/p' | sort | tr '\n' ' '
}
equals "$(facts full.jpg)" '300 200 inch 6 exif 26 icc 4000 '
expect 0 "$KOSTKA" convert full.jpg full.jp2
equals "$(facts full.jp2)" "$(facts full.jpg)" 'JPEG to JPEG 2000'
expect 0 "$KOSTKA" convert full.jp2 again.jpg
equals "$(facts again.jpg)" "$(facts full.jpg)" 'JPEG 2000 to JPEG'
expect 0 "$KOSTKA" transcode --container j2k full.jp2 stripped.j2k
equals "$(facts stripped.j2k | cut -d ' ' -f 4-)" '1 '
expect 0 "$KOSTKA" decode --orient full.jp2 upright.ppm
expect 0 "$KOSTKA" decode --orient full.jpg wanted.ppm
identical upright.ppm wanted.ppm
expect 0 "$KOSTKA" convert --orient full.jp2 upright.jpg
equals "$(facts upright.jpg | cut -d ' ' -f 4-)" '1 exif 26 icc 4000 '
for format in png tif; do
    expect 0 "$KOSTKA" convert full.jpg "full.$format"
    expect 0 "$KOSTKA" convert "full.$format" "from.$format.jp2"
    equals "$(facts "from.$format.jp2" | cut -d ' ' -f 1-3)" '300 200 inch' "$format"
done
"$KOSTKA" info from.tif.jp2 | grep -q 'icc  *4000 bytes' || fail 'the ICC profile of TIFF is lost' # libpng wants a real one
mkdir made
expect 0 "$KOSTKA" encode --out-format jp2 --out-dir made photo.ppm grey.pgm
same made/photo.jp2 plain.jp2
finish
