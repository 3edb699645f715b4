#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SEG-Y: surveys become stores, slices and SEG-Y again; traces in any order or missing; headers that cannot be.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# put FILE OFFSET OCTAL…: replace bytes
put() {
    file=$1
    offset=$2
    shift 2
    for byte; do printf '%b' "\\0$byte"; done | dd of="$file" bs=1 seek="$offset" conv=notrunc 2>/dev/null
}

# 6 inlines of 5 crosslines of 20 samples of 16 bits: 3600 bytes of headers, and traces of 240 + 40 bytes.
awk 'BEGIN { s = 9; for (i = 0; i < 1200; i++) { s = (s * 16807) % 2147483647; printf "%c", 1 + int(s / 4096) % 90 } }' >in.raw
expect 0 "$KOSTKA" volume encode --shape 6x5x20 --type s16 --endian little in.raw in.zarr
expect 0 "$KOSTKA" volume decode in.zarr in.sgy
equals "$(wc -c <in.sgy | tr -d ' ')" $((3600 + 30 * 280)) 'length of a SEG-Y file'

# SEG-Y → Zarr → slices
expect 0 "$KOSTKA" volume encode --brick 8 in.sgy survey.zarr
expect 0 "$KOSTKA" volume info survey.zarr
prints '6x5x20 samples .* 16 bits with signs'
expect 0 "$KOSTKA" volume decode --endian little survey.zarr out.raw
same in.raw out.raw
for axis in z y x; do
    expect 0 "$KOSTKA" volume slice --axis $axis --index 3 survey.zarr $axis.png
    expect 0 "$KOSTKA" volume slice --axis $axis --index 3 in.zarr wanted.png
    same wanted.png $axis.png
done
expect 0 "$KOSTKA" volume encode in.sgy in.j2c
expect 0 "$KOSTKA" volume decode in.j2c again.sgy
same in.sgy again.sgy

# The order of traces does not matter: the last one comes first. One that is missing becomes zeros.
{ head -c 3600 in.sgy && tail -c 280 in.sgy && tail -c +3601 in.sgy | head -c 8120; } >turned.sgy
expect 0 "$KOSTKA" volume encode turned.sgy turned.zarr
expect 0 "$KOSTKA" volume decode turned.zarr again.sgy
same in.sgy again.sgy
{ head -c $((3600 + 7 * 280)) in.sgy && tail -c +$((3600 + 8 * 280 + 1)) in.sgy; } >less.sgy
expect 0 "$KOSTKA" volume encode less.sgy less.zarr
says 'less.sgy: warning: 1 traces are missing'
expect 0 "$KOSTKA" volume decode --box 1x1x20+1+2+0 less.zarr gap.raw
head -c 40 /dev/zero >zeros.raw
same zeros.raw gap.raw
# Standard input is a survey, too, when its name says so: there it has none.
expect 1 "$KOSTKA" volume encode - none.zarr <in.sgy
says 'shape'

# IBM's single precision: 1.0, -118.625, 0 and 2^-24 are the first samples.
{ head -c 3840 in.sgy && printf '\101\020\000\000\302\166\240\000\000\000\000\000\073\020\000\000' && head -c 24 /dev/zero; } >ibm.sgy
put ibm.sgy 3221 12
put ibm.sgy 3225 1
put ibm.sgy 3715 12
expect 0 "$KOSTKA" volume encode --error 1e-6 ibm.sgy ibm.zarr
expect 0 "$KOSTKA" volume decode ibm.zarr ibm.raw
equals "$(od -An -tf4 -N12 ibm.raw | awk '{ printf "%.4f %.4f %.4f", $1, $2, $3 }')" '1.0000 -118.6250 0.0000' 'samples of format 1'
expect 1 "$KOSTKA" volume encode ibm.sgy none.zarr
says 'need one of'
# Format 2 with more bits than are coded
put ibm.sgy 3225 2
expect 1 "$KOSTKA" volume encode ibm.sgy none.zarr
says 'sample 0 of trace 0 has more than 28 bits'
rm -rf none.zarr

# Headers that cannot be: offset, bytes, what is said.
refuse() {
    cp in.sgy h.sgy
    said=$1
    shift
    put h.sgy "$@"
    expect 1 "$KOSTKA" volume encode h.sgy none.zarr
    says "$said"
}
refuse 'format 4 at byte 3224' 3225 4
refuse 'traces of no samples, at byte 3220' 3220 0 0
refuse 'no whole traces of 21 samples' 3221 25
refuse 'ends before its first trace' 3504 177 377
refuse 'headers that is not told, at byte 3504' 3504 377 377
refuse 'trace 1 has 41 samples instead of 20, at byte 3994' 3994 0 51
refuse_2() {
    cp in.sgy h.sgy
    put h.sgy 3500 2
    said=$1
    shift
    put h.sgy "$@"
    expect 1 "$KOSTKA" volume encode h.sgy none.zarr
    says "$said"
}
refuse_2 'another order than big-endian, at byte 3296' 3296 4 3 2 1
refuse_2 'further headers of traces, at byte 3506' 3506 0 0 0 1
# In revision 0 nothing says how many textual headers there are.
cp in.sgy h.sgy
put h.sgy 3500 0 0
put h.sgy 3504 0 7
expect 0 "$KOSTKA" volume encode h.sgy old.j2c
same in.j2c old.j2c
refuse 'both of inline 1 and crossline 1' $((3600 + 280 + 188)) 0 0 0 1 0 0 0 1
refuse 'too sparse' $((3600 + 280 + 188)) 177 377 377 377 177 377 377 377
refuse 'too sparse' $((3600 + 280 + 188)) 200 0 0 0
head -c 3000 in.sgy >h.sgy
expect 1 "$KOSTKA" volume encode h.sgy none.zarr
says 'ends in its headers'
head -c 3700 in.sgy >h.sgy
expect 1 "$KOSTKA" volume encode h.sgy none.zarr
says 'ends before its first trace'

# Any damage to headers ends in an error or a volume, never in a signal.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    cp in.sgy h.sgy
    awk -v seed=$seed 'BEGIN { srand(seed); n = split("3220 3221 3224 3225 3504 3505 3788 3789 3791 3792 4068 4071 4072 4075", at, " ")
        for (i = 0; i < 3; i++) printf "%d %o\n", at[1 + int(rand() * n)], int(rand() * 256) }' >damage.txt
    while read -r offset byte; do put h.sgy "$offset" "$byte"; done <damage.txt
    "$KOSTKA" volume encode h.sgy h.j2c >out 2>err
    [ $? -le 1 ] || fail "damage of seed $seed: $(cat damage.txt err)"
done

expect 0 "$KOSTKA" volume encode --shape 6x5x40 --type u8 in.raw u8.zarr
expect 1 "$KOSTKA" volume decode u8.zarr none.sgy
says 'without signs'
expect 1 "$KOSTKA" volume decode --endian little in.zarr none.sgy
says 'endian'
for file in none.*; do
    [ ! -e "$file" ] || fail "$file is made"
done
finish
