#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The options of encode, without another encoder to compare with.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

encode() {
    "$KOSTKA" encode "$@" 2>err || fail "encode $*: $(cat err)"
}

info() {
    file=$1
    shift
    "$KOSTKA" info --json "$file" | json 0 "$@"
}

picture 75 52 >a.ppm
for quality in 1 10 50 75 96 100; do
    encode a.ppm -q $quality b.jpg
    equals "$(info b.jpg quality)" $quality
done
for sampling in 444 422 420 440 411 410; do
    encode a.ppm b.jpg --subsampling $sampling
    equals "$(info b.jpg sampling | tr -d :)" $sampling
    encode a.ppm b.jpg --subsampling "$(echo $sampling | sed 's/./&:/;s/:./&:/')"
    equals "$(info b.jpg sampling | tr -d :)" $sampling
done
encode a.ppm b.jpg --subsampling 3x1,1x1,1x1
equals "$(info b.jpg sampling)" 3x1,1x1,1x1
for grey in --grey --subsampling=gray --subsampling=grey; do
    encode a.ppm b.jpg $grey
    equals "$(info b.jpg colour)" grey
done
encode a.ppm b.jpg --rgb
equals "$(info b.jpg colour)" RGB
encode a.ppm plain.jpg
encode a.ppm optimal.jpg --optimize
encode a.ppm progressive.jpg --progressive
equals "$(info progressive.jpg process)" progressive
identical plain.jpg optimal.jpg
identical plain.jpg progressive.jpg
[ "$(wc -c <optimal.jpg)" -lt "$(wc -c <plain.jpg)" ] || fail 'optimised is not smaller'
printf '0,1,2: 0-0, 0, 0;\n# the rest\n0: 1-63, 0, 0;\n1: 1-63, 0, 0; 2: 1-63 0 0' >scans
encode a.ppm scans.jpg --scans scans
equals "$(info scans.jpg scans)" 4
identical plain.jpg scans.jpg
for restart in 1 5 1r 2r auto; do
    encode a.ppm b.jpg --restart $restart
    identical plain.jpg b.jpg
    [ "$(info b.jpg restart_interval)" -gt 0 ] || fail "no restart interval for $restart"
done
encode a.ppm b.jpg --restart 2r
equals "$(info b.jpg restart_interval)" 10
encode a.ppm b.jpg --restart none
same b.jpg plain.jpg
awk 'BEGIN { for (i = 0; i < 64; i++) print i + 1 }' >tables
encode a.ppm b.jpg --qtables tables
equals "$(info b.jpg components 0 quantisers 63)" 64
encode a.ppm b.jpg --qtables tables -q 75
equals "$(info b.jpg components 0 quantisers 63)" 32
encode a.ppm b.jpg -q 1 --wide-quantisers
equals "$(info b.jpg process)" extended

# Metadata, given and carried.
head -c 500 "$KOSTKA" >profile
printf 'II\052\000\010\000\000\000\000\000\000\000\000\000' >exif
encode a.ppm b.jpg --comment 'last' --icc profile --exif exif
equals "$(info b.jpg metadata 0 kind) $(info b.jpg metadata 1 kind) $(info b.jpg metadata 2 kind)" 'exif icc comment'
equals "$(info b.jpg metadata 1 bytes)" 500
"$KOSTKA" convert b.jpg c.tif
encode c.tif c.jpg
equals "$(info c.jpg metadata 0 kind)" icc 'a profile through TIFF'
encode b.jpg d.jpg -q 20
equals "$(info d.jpg metadata 1 kind)" icc 'a profile from JPEG to JPEG'
encode b.jpg d.jpg --icc exif
equals "$(info d.jpg metadata 1 bytes)" 14 'a profile replaced'

# Samples of other depths.
picture 20 20 65535 >wide.ppm
encode wide.ppm wide.jpg -q 100
picture 20 20 >narrow.ppm
encode narrow.ppm narrow.jpg -q 100
"$KOSTKA" compare --json wide.jpg narrow.jpg >out
[ "$(json max_error <out)" -le 4 ] || fail '16 bits came out wrong'

for tier in c sse2 avx2 avx512; do
    for threads in 1 2 7; do
        for option in --optimize --progressive --restart=1r; do
            "$KOSTKA" encode a.ppm expected.jpg $option
            KOSTKA_CPU=$tier "$KOSTKA" encode a.ppm tier.jpg $option --threads $threads 2>err
            [ $? = 3 ] && continue
            same tier.jpg expected.jpg
        done
    done
done

# Comments add up, in their order, and none is dropped.
for extension in jpg jp2; do
    encode a.ppm comments.$extension --comment eins --comment zwei --comment drei
    "$KOSTKA" info comments.$extension >out || fail "info of comments.$extension"
    equals "$(grep -o -e eins -e zwei -e drei out | head -n 3 | tr '\n' ' ')" 'eins zwei drei ' "comments in $extension"
done
set --
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
    set -- "$@" --comment $i
done
expect 2 "$KOSTKA" encode a.ppm none.jpg "$@"
says '--comment'
finish
