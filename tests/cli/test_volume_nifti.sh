#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# NIfTI-1 in gzip, and with samples of all types. What is damaged, ends early or expands to more than headers say is refused, in
# memory that headers bound.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# 8 slices of 10 rows of 12 samples of 16 bits, little-endian, all below 2^15
awk 'BEGIN { s = 7; for (i = 0; i < 1920; i++) { s = (s * 16807) % 2147483647; printf "%c", 1 + int(s / 4096) % 90 } }' >in.raw
expect 0 "$KOSTKA" volume encode --shape 8x10x12 --type s16 --endian little in.raw in.j2c
expect 0 "$KOSTKA" volume decode in.j2c in.nii

# put FILE OFFSET BYTES: bytes (of printf) at an offset
put() {
    # shellcheck disable=SC2059 # escapes
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# comes_back FILE: its samples are those of in.raw
comes_back() {
    expect 0 "$KOSTKA" volume encode "$1" back.j2c
    same in.j2c back.j2c
    rm -rf back.zarr
    expect 0 "$KOSTKA" volume encode --brick 4 "$1" back.zarr
    expect 0 "$KOSTKA" volume decode --endian little back.zarr back.raw
    same in.raw back.raw
}

# refused FILE TEXT
refused() {
    expect 1 "$KOSTKA" volume encode "$1" none.j2c
    says "$2"
}

# gzip, of one member or several, whatever the file is called; what others compress and what Kostka does.
gzip -nk in.nii
comes_back in.nii.gz
cp in.nii.gz packed.nii
comes_back packed.nii
cp in.nii plain.nii.gz
comes_back plain.nii.gz
{ head -c 200 in.nii | gzip -n && printf '' | gzip -n && tail -c +201 in.nii | gzip -1; } >parts.nii.gz
comes_back parts.nii.gz
for from in in.j2c back.zarr; do
    expect 0 "$KOSTKA" volume decode $from out.NII.GZ
    gzip -dc <out.NII.GZ >out.nii || fail 'gzip does not read it'
    same in.nii out.nii
    comes_back out.NII.GZ
done
expect 0 "$KOSTKA" volume decode in.j2c again.nii.gz
same out.NII.GZ again.nii.gz
expect 2 "$KOSTKA" volume decode --reduce 1 in.j2c none.gz
says 'names no format of volumes'
# 1.5 MB are two pieces.
awk 'BEGIN { for (i = 0; i < 50000; i++) printf "%030d", i * i }' >long.raw
for from in long.j2c long.zarr; do
    expect 0 "$KOSTKA" volume encode --shape 30x250x200 --type u8 --ht long.raw $from
    expect 0 "$KOSTKA" volume decode $from long.nii.gz
    gzip -dc <long.nii.gz | tail -c +353 >back.raw || fail 'gzip does not read two pieces'
    same long.raw back.raw
done

# Damage, with its offset. The file has some 1500 bytes.
length=$(wc -c <in.nii.gz)
head -c 700 in.nii.gz >short.nii.gz
refused short.nii.gz 'the file ends at byte 700, before the last sample'
head -c 10 in.nii.gz >short.nii.gz
refused short.nii.gz 'the file ends at byte 10'
head -c $((length - 3)) in.nii.gz >short.nii.gz
refused short.nii.gz "the file ends at byte $((length - 3)), before its checksum"
cp in.nii.gz damaged.nii.gz
put damaged.nii.gz $((length - 8)) '\001\002\003\004'
refused damaged.nii.gz 'gzip: at byte [0-9]*: incorrect data check'
cp in.nii.gz damaged.nii.gz
put damaged.nii.gz 10 '\007'
refused damaged.nii.gz 'gzip: at byte [0-9]*: invalid block type'
{ cat in.nii.gz && printf 'garbage'; } >trailing.nii.gz
refused trailing.nii.gz "gzip: at byte $((length + 2)): incorrect header check"
{ cat in.nii && printf 'more'; } | gzip -n >more.nii.gz
refused more.nii.gz 'expands to more than its header says'
{ cat in.nii.gz && printf 'more' | gzip -n; } >more.nii.gz
refused more.nii.gz 'expands to more than its header says, at byte'
# Bombs: samples that no file of that length can hold, more than memory may have, or behind the last one.
cp in.nii large.nii
put large.nii 42 '\377\177\377\177\377\177'
gzip -nf large.nii
refused large.nii.gz '70362301923326 bytes of samples are more than'
truncate -s 67108864 zeros
{ head -c 352 in.nii && cat zeros; } >bomb.nii
gzip -nk bomb.nii
expect 1 "$PEAK" peak.kb "$KOSTKA" volume encode --device cpu bomb.nii.gz none.j2c
says 'expands to more than its header says'
[ -n "${KOSTKA_SANITIZED:-}" ] || between "$(cat peak.kb)" 1 20000 'kilobytes to refuse a bomb'
put bomb.nii 42 '\000\004\000\004\020\000'
gzip -nkf bomb.nii
expect 1 "$KOSTKA" volume encode --max-memory 16M bomb.nii.gz none.j2c
says '33554432 bytes of samples exceed the limit of memory'
rm bomb.nii bomb.nii.gz
# The offset of the samples, too, is a claim.
cp in.nii far.nii
put far.nii 108 '\000\000\200\123'
gzip -nf far.nii
refused far.nii.gz 'before the last sample'
put in.nii 108 '\000\000\200\155'
gzip -nc in.nii >far.nii.gz
refused far.nii.gz 'samples that begin at byte'
put in.nii 108 '\000\000\260\103'
# Other types are named.
cp in.nii odd.nii
put odd.nii 70 '\200\000'
refused odd.nii 'samples of type 128 at byte 70'

# Integers of 32 bits: 2x2x2 samples, of which each has at most 28.
{
    head -c 352 in.nii
    printf '\001\000\000\000\377\377\377\377\000\000\000\370\377\377\377\007'
    printf '\002\000\000\000\003\000\000\000\004\000\000\000\005\000\000\000'
} >s32.nii
put s32.nii 42 '\002\000\002\000\002\000'
put s32.nii 70 '\010\000\040\000'
gzip -nk s32.nii
tail -c +353 s32.nii >s32.raw
for from in s32.nii s32.nii.gz; do
    rm -rf s32.zarr again.zarr
    expect 0 "$KOSTKA" volume encode $from s32.j2c
    expect 0 "$KOSTKA" volume decode --endian little s32.j2c back.raw
    same s32.raw back.raw
    expect 0 "$KOSTKA" volume encode $from s32.zarr
    grep -q '"int32"' s32.zarr/0/zarr.json || fail 'no int32'
    expect 1 "$KOSTKA" volume slice s32.zarr none.pgm
    says 'pictures have at most 16 bits, and the volume 32'
    expect 0 "$KOSTKA" volume decode s32.zarr back.nii
    tail -c +353 back.nii >back.raw
    same s32.raw back.raw
    expect 0 "$KOSTKA" volume encode s32.zarr again.zarr
    expect 0 "$KOSTKA" volume decode --endian little again.zarr back.raw
    same s32.raw back.raw
done
put s32.nii 352 '\000\000\000\010'
refused s32.nii 'the sample at z 0, y 0, x 0 has more than 28 bits'
put s32.nii 352 '\000\000\000\000'
put s32.nii 380 '\377\377\377\367'
refused s32.nii 'the sample at z 1, y 1, x 1 has more than 28 bits'
gzip -nkf s32.nii
refused s32.nii.gz 'the sample at z 1, y 1, x 1 has more than 28 bits'
# Without signs 2^28 is the first that is too much.
put s32.nii 70 '\000\003'
refused s32.nii 'the sample at z 0, y 0, x 1 has more'
put s32.nii 356 '\377\377\377\017\377\377\377\017'
put s32.nii 380 '\000\000\000\020'
refused s32.nii 'the sample at z 1, y 1, x 1 has more'
put s32.nii 380 '\000\000\000\001'
expect 0 "$KOSTKA" volume encode s32.nii u32.j2c
expect 0 "$KOSTKA" volume decode u32.j2c back.nii
tail -c +353 s32.nii >a.raw
tail -c +353 back.nii >b.raw
same a.raw b.raw
equals "$(od -An -td2 -j70 -N4 back.nii | tr -s ' ')" ' 768 32' 'type of uint32'

# Double precision becomes single: 1, 0.1 (which is rounded), -2.5 and 2^100; then 2^-1074, NaN, 2^128 and infinity.
{
    head -c 352 in.nii
    printf '\000\000\000\000\000\000\360\077\232\231\231\231\231\231\271\077'
    printf '\000\000\000\000\000\000\004\300\000\000\000\000\000\000\360\077'
} >f64.nii
put f64.nii 42 '\002\000\002\000\001\000'
put f64.nii 70 '\100\000\100\000'
gzip -nk f64.nii
for from in f64.nii f64.nii.gz; do
    rm -rf f64.zarr
    expect 0 "$KOSTKA" volume encode --error 1e-6 $from f64.zarr
    says 'warning: 1 samples of double precision are rounded'
    expect 0 "$KOSTKA" volume decode f64.zarr back.nii
    equals "$(od -An -v -tf4 -j352 back.nii | awk '{ for (i = 1; i <= NF; i++) printf "%.4f ", $i }')" \
        '1.0000 0.1000 -2.5000 1.0000 ' 'samples of double precision'
done
put f64.nii 360 '\000\000\000\000\000\000\340\077'
expect 0 "$KOSTKA" volume encode --error 1e-6 f64.nii exact.zarr
! grep -q rounded err || fail 'what is exact is said to be rounded'
put f64.nii 376 '\000\000\000\000\000\000\360\107'
gzip -nkf f64.nii
for from in f64.nii f64.nii.gz; do
    expect 1 "$KOSTKA" volume encode --error 1 $from none.zarr
    says 'the sample at z 0, y 1, x 1 is beyond single precision'
done
put f64.nii 376 '\000\000\000\000\000\000\370\177'
expect 1 "$KOSTKA" volume encode --error 1 f64.nii none.zarr
says 'not finite'
head -c 380 f64.nii >short.nii
expect 1 "$KOSTKA" volume encode --error 1 short.nii none.zarr
says 'ends before the last sample'

for file in none.*; do
    [ ! -e "$file" ] || fail "$file is made"
done
finish
