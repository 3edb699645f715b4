#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Volumes: raw samples and NIfTI-1 come back, parts are parts, and what does not go together is refused by name.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# 8 slices of 10 rows of 12 samples of 16 bits, little-endian, all below 2^15
awk 'BEGIN { s = 7; for (i = 0; i < 1920; i++) { s = (s * 16807) % 2147483647; printf "%c", 1 + int(s / 4096) % 90 } }' >in.raw
expect 0 "$KOSTKA" volume encode --shape 8x10x12 --type s16 --endian little in.raw a.j2c
expect 0 "$KOSTKA" volume decode --endian little a.j2c out.raw
same in.raw out.raw
expect 0 "$KOSTKA" volume encode --shape 8x10x12 --type s16 --endian little --ht --z-levels 1 --tiles 8x8 in.raw ht.j2c
expect 0 "$KOSTKA" volume decode --endian little ht.j2c out.raw
same in.raw out.raw
expect 0 "$KOSTKA" volume decode --endian big a.j2c big.raw
expect 0 "$KOSTKA" volume encode --shape 8x10x12 --type s16 --endian big big.raw b.j2c
same a.j2c b.j2c

# NIfTI-1 has the same samples behind its header.
expect 0 "$KOSTKA" volume decode a.j2c out.nii
equals "$(wc -c <out.nii | tr -d ' ')" $((352 + 1920)) 'length of a NIfTI-1 file'
expect 0 "$KOSTKA" volume encode out.nii b.j2c
says 'out.nii: warning: .*orientation'
same a.j2c b.j2c
head -c 1000 out.nii >short.nii
expect 1 "$KOSTKA" volume encode short.nii none.j2c
says 'short.nii: it ends before the last sample'
head -c 300 out.nii >short.nii
expect 1 "$KOSTKA" volume encode short.nii none.j2c
says 'ends in its header'

# A box is what its place holds: slice 2, rows 3 and 4, samples 5 to 7
expect 0 "$KOSTKA" volume decode --endian little --box 1x2x3+2+3+5 a.j2c box.raw
{
    tail -c +$(((2 * 120 + 3 * 12 + 5) * 2 + 1)) in.raw | head -c 6
    tail -c +$(((2 * 120 + 4 * 12 + 5) * 2 + 1)) in.raw | head -c 6
} >wanted.raw
same wanted.raw box.raw
expect 0 "$KOSTKA" volume decode --reduce 1 --reduce-z 2 a.j2c small.raw
equals "$(wc -c <small.raw | tr -d ' ')" $((2 * 5 * 6 * 2)) 'length of a reduced volume'

# Slices are pictures with the range of the samples.
for axis in x:10x8 y:12x8 z:12x10; do
    expect 0 "$KOSTKA" volume slice --axis "${axis%:*}" --index 1 a.j2c slice.pgm
    equals "$(head -c 8 slice.pgm | tr '\n' ' ' | cut -d' ' -f2,3 | tr ' ' x)" "${axis#*:}" "slice along ${axis%:*}"
done
expect 1 "$KOSTKA" volume slice --index 8 a.j2c none.png
says '8 slices along z'
expect 1 "$KOSTKA" volume slice a.j2c none.xyz
says 'no format'

expect 0 "$KOSTKA" volume info a.j2c
prints '8x10x12 samples .* 16 bits with signs, 5/3, 2 levels, 2 along z'
expect 0 "$KOSTKA" volume info --json a.j2c
prints '"z_levels": 2'
expect 0 "$KOSTKA" info a.j2c
prints 'MCC .*stage 1, collections: 1; wavelet of 8, 5/3, 2 levels, origin 0, offsets 1$'

# A size is kept.
expect 0 "$KOSTKA" volume encode --shape 8x10x12 --type s16 --endian little --ratio 2 in.raw lossy.j2c
[ "$(wc -c <lossy.j2c)" -le 960 ] || fail 'a ratio of 2 is not kept'

# What is refused leaves no file.
expect 1 "$KOSTKA" volume encode in.raw none.j2c
says 'shape'
expect 1 "$KOSTKA" volume encode --shape 8x10x12 in.raw none.j2c
says 'type'
expect 1 "$KOSTKA" volume encode --shape 9x10x12 --type s16 in.raw none.j2c
says 'ends before'
expect 1 "$KOSTKA" volume encode --shape 7x10x12 --type s16 in.raw none.j2c
says 'more bytes'
expect 1 "$KOSTKA" volume encode --shape 8x10x12 --type s16 --profile cinema2k in.raw none.j2c
says 'profile'
expect 2 "$KOSTKA" volume encode --shape 8x10 --type s16 in.raw none.j2c
says '--shape takes ZxYxX'
expect 2 "$KOSTKA" volume encode --shape 8x10x12 --type f16 in.raw none.j2c
says '--type takes'
expect 2 "$KOSTKA" volume decode --shape 8x10x12 a.j2c none.raw
says '--shape is not an option of .volume decode'
expect 2 "$KOSTKA" volume frobnicate
says 'takes an action'
expect 1 "$KOSTKA" volume decode --reduce-z 3 a.j2c none.raw
expect 1 "$KOSTKA" volume decode --box 1x1x1+8+0+0 a.j2c none.raw
expect 1 "$KOSTKA" volume decode in.raw none.raw
# As a picture, slices are components.
expect 0 "$KOSTKA" decode a.j2c planes.png
set -- planes-?.png
equals $# 8 'number of planes'
# Transcoding keeps the transform along the slices, which is of all components, and no JP2 file.
expect 0 "$KOSTKA" transcode a.j2c a.jhc
expect 0 "$KOSTKA" volume decode a.jhc again.raw
"$KOSTKA" volume decode a.j2c first.raw
same first.raw again.raw
expect 0 "$KOSTKA" transcode --ht=no a.jhc back.j2k
same a.j2c back.j2k
expect 1 "$KOSTKA" transcode a.j2c none.jp2
says 'multiple component transforms'
expect 1 "$KOSTKA" transcode --components 0,1 a.j2c none.j2c
says 'a multiple component transform takes all components'
# Names and options that say something else than what would be written are refused.
for name in none.jp2 none.png none.xyz none.nii; do
    expect 2 "$KOSTKA" volume encode --shape 8x10x12 --type s16 in.raw $name
    says "$name.*bare codestream"
done
for name in none.png none.xyz none.j2c; do
    expect 2 "$KOSTKA" volume decode a.j2c $name
    says "$name.*names no format of volumes"
done
expect 2 "$KOSTKA" volume decode a.j2c none.zarr
says 'volume encode.*makes stores'
for pair in '--rate 1 --lossless' '--step 1 --lossless' '--psnr 40 --rate 1'; do
    # shellcheck disable=SC2086 # words
    expect 2 "$KOSTKA" volume encode --shape 8x10x12 --type s16 $pair in.raw none.j2c
    says 'does not go with'
done
expect 0 "$KOSTKA" volume encode --shape 8x10x12 --type s16 --endian little in.raw named.jhc
expect 0 "$KOSTKA" volume info named.jhc
prints 'HTJ2K'
expect 0 "$KOSTKA" volume decode named.jhc out.NII
expect 0 "$KOSTKA" volume encode out.NII b.j2c
same a.j2c b.j2c

# Standard output is called that, and a slice there is PNM.
"$KOSTKA" volume slice --index 1 a.j2c - >slice.out || fail 'a slice to standard output'
"$KOSTKA" volume slice --index 1 a.j2c slice.pnm || fail 'a slice to a file'
same slice.out slice.pnm
if [ -w /dev/full ]; then
    # shellcheck disable=SC2016 # expanded by that shell
    expect 1 sh -c '"$KOSTKA" volume encode out.nii - >/dev/full'
    says '^kostka: standard output: '
fi

# There are so many levels that no side of the lowest band is longer than 32 samples, unless that takes more than 5.
truncate -s 9600 flat.raw
for levels in '4' '2 --tiles 128x128' '5 --levels 5' '0 --levels 0'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" volume encode --shape 2x16x300 --type u8 ${levels#?} flat.raw flat.j2c
    expect 0 "$KOSTKA" volume info flat.j2c
    prints "5/3, ${levels%% *} levels"
done
truncate -s 3000 flat.raw
expect 0 "$KOSTKA" volume encode --shape 2x1x1500 --type u8 flat.raw flat.j2c
expect 0 "$KOSTKA" volume info flat.j2c
prints '5/3, 5 levels'

# Measuring encodes as 'encode' does, and compares what comes back.
raw='--shape 8x10x12 --type s16 --endian little'
# shellcheck disable=SC2086 # words
expect 0 "$KOSTKA" volume bench $raw --repeat 2 in.raw
prints "^in.raw: $(awk -v bytes="$(wc -c <a.j2c)" 'BEGIN { printf "%.3f", bytes / 120 }') bits for each sample, .*:1, without loss\$"
prints '^decode: .* ns for each sample, .* of processor time$'
# shellcheck disable=SC2086 # words
expect 0 "$KOSTKA" volume bench $raw --repeat 1 --json --rate 4 in.raw
awk -v error="$("$JSON_VALUE" largest_error <out)" -v psnr="$("$JSON_VALUE" psnr <out)" -v bits="$("$JSON_VALUE" bits <out)" \
    'BEGIN { exit !(error > 0 && psnr > 10 && psnr < 99 && bits <= 4 && bits > 3) }' || fail "figures: $(cat out)"
expect 1 "$KOSTKA" volume bench --shape 4x10x12 --type f32 in.raw
says 'bench measures integers'
expect 2 "$KOSTKA" volume bench --repeat 0 in.raw
expect 2 "$KOSTKA" volume bench --brick 8 in.raw
says '\-\-brick is not an option of .volume bench'
expect 1 "$KOSTKA" volume bench none.nii
expect 1 "$KOSTKA" volume encode none.raw none.j2c
says 'none.raw: No such file or directory'
expect 1 "$KOSTKA" volume encode in.raw none.j2c
says 'in.raw: --shape and --type say'

# What is no codestream is not read to its end.
expect 1 "$KOSTKA" volume info --max-memory 1M /dev/zero
says 'no SOI marker'
expect 1 "$KOSTKA" volume decode --max-memory 1M /dev/zero none.raw
says 'no SOI marker'
expect 1 "$KOSTKA" volume slice --max-memory 1M /dev/zero none.png
says 'no SOI marker'
for file in none.*; do
    [ ! -e "$file" ] || fail "$file is made"
done
finish
