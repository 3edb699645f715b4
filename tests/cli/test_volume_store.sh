#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Zarr stores of volumes: bricks, shards, levels and slices come back, memory is bounded, hostile metadata are refused.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# 20 slices of 40 rows of 36 samples of 16 bits
awk 'BEGIN { s = 7; for (i = 0; i < 57600; i++) { s = (s * 16807) % 2147483647; printf "%c", 1 + int(s / 4096) % 90 } }' >in.raw
shape='--shape 20x40x36 --type s16 --endian little'
# shellcheck disable=SC2086
store() {
    expect 0 "$KOSTKA" volume encode $shape "$@"
}
store in.raw a.zarr
store --brick 16 in.raw b.zarr
store --brick 8 --shards 2x3x1 --ht in.raw s.zarr
store --layout 2d in.raw d.zarr
store --layout 2d --brick 1x16x24 --shards 4x2x2 --ht in.raw e.zarr
for name in a b s d e; do
    expect 0 "$KOSTKA" volume decode --endian little $name.zarr out.raw
    same in.raw out.raw
    expect 0 "$KOSTKA" volume decode --endian big $name.zarr/0 big.raw
    expect 0 "$KOSTKA" volume decode --endian little --box 3x5x20+14+13+9 $name.zarr box.raw
    expect 0 "$KOSTKA" volume slice --axis y --index 17 $name.zarr $name.pgm
    [ $name = a ] || { same a.box box.raw && same a.pgm $name.pgm && same a.big big.raw; }
    [ $name != a ] || { cp box.raw a.box && cp big.raw a.big; }
done
# The parts are those of one codestream, too.
# shellcheck disable=SC2086
expect 0 "$KOSTKA" volume encode $shape in.raw in.j2c
expect 0 "$KOSTKA" volume decode --endian little --box 3x5x20+14+13+9 in.j2c box.raw
same a.box box.raw
expect 0 "$KOSTKA" volume encode b.zarr from.j2c
expect 0 "$KOSTKA" volume decode --endian little from.j2c out.raw
same in.raw out.raw

# Levels are the same bricks, decoded to less: they take no bytes.
for name in b s; do
    expect 0 "$KOSTKA" volume decode --reduce 1 --reduce-z 1 $name.zarr half.raw
    expect 0 "$KOSTKA" volume decode $name.zarr/1 level.raw
    same half.raw level.raw
    equals "$(wc -c <half.raw | tr -d ' ')" $((10 * 20 * 18 * 2)) 'length of a level'
    equals "$(find $name.zarr/1 -type f | wc -l | tr -d ' ')" 1 'files of a level'
done
expect 1 "$KOSTKA" volume decode --reduce 5 --reduce-z 0 b.zarr none.raw
says 'cannot be reduced that much'

expect 0 "$KOSTKA" volume info s.zarr
prints '20x40x36 samples .* 16 bits with signs, codec kostka, bricks of 8x8x8, shards of 2x3x1 bricks'
expect 0 "$KOSTKA" volume info --json e.zarr
prints '"codec": "imagecodecs_htj2k"'

# Stacks of TIFF: pages are slices, of which others see each as a picture.
for name in in.j2c b.zarr; do
    expect 0 "$KOSTKA" volume decode $name stack.tif
    expect 0 "$KOSTKA" volume encode stack.tif again.j2c
    expect 0 "$KOSTKA" volume decode --endian little again.j2c out.raw
    same in.raw out.raw
done
rm -rf again.zarr
expect 0 "$KOSTKA" volume encode --brick 16 stack.tif again.zarr
expect 0 "$KOSTKA" volume decode --endian little again.zarr out.raw
same in.raw out.raw
rm -r again.zarr
# Raw samples may be in a file that is named like a stack: --shape says what they are.
cp in.raw raw.tif
store raw.tif raw.zarr
expect 0 "$KOSTKA" volume decode --endian little raw.zarr out.raw
same in.raw out.raw
expect 0 "$KOSTKA" volume decode --box 1x40x36+0+0+0 b.zarr page.tif
expect 0 "$KOSTKA" volume slice --index 0 b.zarr page.pgm
expect 0 "$KOSTKA" info page.tif
prints '36'
head -c 30000 stack.tif >short.tif
expect 1 "$KOSTKA" volume encode short.tif none.j2c
says 'TIFF'
printf 'P6 2 1 255 abcdef' >colour.ppm
expect 0 "$KOSTKA" convert colour.ppm colour.tif
expect 1 "$KOSTKA" volume encode colour.tif none.j2c
says 'page 0 is not grey'

# The spacing of NIfTI-1 is that of OME-Zarr: 2.5, 0.5 and 0.75 millimetres of z, y and x.
expect 0 "$KOSTKA" volume decode --endian little a.zarr plain.raw
expect 0 "$KOSTKA" volume decode a.zarr a.nii
printf '\000\000\100\077\000\000\000\077\000\000\040\100' | dd of=a.nii bs=1 seek=80 conv=notrunc 2>/dev/null
printf '\002' | dd of=a.nii bs=1 seek=123 conv=notrunc 2>/dev/null
expect 0 "$KOSTKA" volume encode a.nii n.zarr
says 'orientation'
tr -d ' \n' <n.zarr/zarr.json | grep -q '"scale":\[2.5,0.5,0.75\]' || fail 'the spacing is not kept'
grep -q '"millimeter"' n.zarr/zarr.json || fail 'the unit is not kept'
expect 0 "$KOSTKA" volume decode n.zarr n.nii
same a.nii n.nii

# Single precision: no sample differs by more than the bound. The samples are 1.0 to 1.99 and their negatives: bytes
# 63 and 191 behind a byte from 128 on and two of 1 to 90.
awk 'BEGIN { s = 7; for (i = 0; i < 28800; i++) { s = (s * 16807) % 2147483647; r = int(s / 4096)
    printf "%c%c%c%c", 1 + r % 90, 1 + r % 77, 128 + r % 64, i % 400 < 200 ? 63 : 191 } }' >f.raw
float='--shape 20x40x36 --type f32'
# shellcheck disable=SC2086
expect 0 "$KOSTKA" volume encode $float --error 0.003 f.raw f.zarr
expect 0 "$KOSTKA" volume decode f.zarr out.raw
od -An -v -tf4 -w4 f.raw >a.txt
od -An -v -tf4 -w4 out.raw >b.txt
paste a.txt b.txt | awk '{ e = $1 - $2; if (e < 0) e = -e; if (e > most) most = e }
    END { exit !(NR == 28800 && most <= 0.003 && most > 0.0015) }' || fail 'the bound of --error is not kept'
grep -q '"numcodecs.fixedscaleoffset"' f.zarr/0/zarr.json || fail 'no codec says what the integers stand for'
expect 0 "$KOSTKA" volume slice --axis z --index 3 f.zarr f.pgm
expect 0 "$KOSTKA" volume decode f.zarr f.nii
expect 0 "$KOSTKA" volume encode --error 0.003 f.nii again.zarr
expect 0 "$KOSTKA" volume decode again.zarr again.raw
same out.raw again.raw
# shellcheck disable=SC2086
expect 0 "$KOSTKA" volume encode $float --ratio 8 f.raw r.zarr
[ "$(cat r.zarr/0/c/*/*/* | wc -c)" -le 14400 ] || fail 'a ratio of 8 is not kept'
# shellcheck disable=SC2086
float() {
    expect 1 "$KOSTKA" volume encode $float "$@"
}
float f.raw none.zarr
says 'need one of'
float --error 0.1 f.raw none.j2c
says 'coded in stores'
float --error 1e-12 f.raw none.zarr
says 'more than 28 bits'
{ head -c 4000 f.raw && printf '\000\000\200\177' && tail -c +4005 f.raw; } >inf.raw
float --error 0.1 inf.raw none.zarr
says 'z 0, y 27, x 28 is not finite'
rm -rf none.zarr
expect 1 "$KOSTKA" volume encode --error 1 a.zarr none.zarr
says '\-\-error is for'

# Bricks that are missing are the fill value; memory holds a row of bricks.
truncate -s 33554432 sparse.raw
printf 'kostka' | dd of=sparse.raw bs=1 seek=29999990 conv=notrunc 2>/dev/null
expect 0 "$KOSTKA" volume encode --max-memory 16M --shape 128x512x512 --type u8 sparse.raw sparse.zarr
equals "$(find sparse.zarr/0/c -type f | wc -l | tr -d ' ')" 1 'bricks of a sparse volume'
expect 0 "$KOSTKA" volume decode --max-memory 16M sparse.zarr out.raw
same sparse.raw out.raw
rm sparse.raw out.raw
expect 1 "$KOSTKA" volume decode --max-memory 100K sparse.zarr none.raw
says 'limit of memory'

# Memory is that of a row of bricks, however many rows there are: here 4 MiB of 128 MiB, which comes and goes.
[ -n "${KOSTKA_SANITIZED:-}" ] || {
    truncate -s 134217728 long.raw
    for at in 0 66000000 134160000; do
        dd if=in.raw of=long.raw bs=1000 seek=$((at / 1000)) count=57 conv=notrunc 2>/dev/null
    done
    expect 0 "$PEAK" peak.kb "$KOSTKA" volume encode --device cpu --ht --shape 512x512x512 --type u8 long.raw long.zarr
    between "$(cat peak.kb)" 1 16000 'kilobytes to encode a store'
    expect 0 "$PEAK" peak.kb "$KOSTKA" volume decode --device cpu long.zarr out.raw
    between "$(cat peak.kb)" 1 16000 'kilobytes to decode a store'
    same long.raw out.raw
    rm -r long.raw out.raw long.zarr
}

# A store that was not finished is none, and is written again; a finished one stays.
expect 1 "$KOSTKA" volume encode in.raw a.zarr
expect 1 "$KOSTKA" volume encode b.zarr a.zarr
says 'already'
rm b.zarr/zarr.json b.zarr/0/zarr.json
expect 1 "$KOSTKA" volume decode b.zarr none.raw
store --brick 16 in.raw b.zarr
expect 0 "$KOSTKA" volume decode --endian little b.zarr out.raw
same in.raw out.raw
[ -z "$(find . -name '.kostka-*')" ] || fail 'temporary files are left'

# Metadata that cannot be, each with its reason: file, what is replaced by what (sed), what is said.
refuse() {
    cp -r s.zarr h.zarr
    tr -d ' \n' <"s.zarr/$1" | sed "$2" >"h.zarr/$1"
    cmp -s "h.zarr/$1" "s.zarr/$1" && fail "nothing is replaced by $2"
    expect 1 "$KOSTKA" volume decode h.zarr none.raw
    says "$3"
    rm -r h.zarr
}
array=0/zarr.json
refuse $array 's/"shape":\[20/"shape":[-20/' 'shape has no number'
refuse $array 's/"shape":\[20/"shape":[4611686018427387904/' 'shape has no number'
refuse $array 's/"shape":\[20,40,36/"shape":[134217728,134217728,134217728/' 'more than 1099511627776 samples'
refuse $array 's/"shape":\[20,/"shape":[/' 'three dimensions'
refuse $array 's/"chunk_shape":\[16,24,8\]/"chunk_shape":[134217720,134217720,8]/' 'no whole chunks'
refuse $array 's/"chunk_shape":\[8,8,8\]/"chunk_shape":[8,0,8]/' 'chunk_shape has no number'
refuse $array 's/"chunk_shape":\[8,8,8\]/"chunk_shape":[16,24,8]/' 'CRC-32C'
refuse $array 's/int16/int8/' 'another type'
refuse $array 's/int16/float64/' "type 'float64'"
refuse $array 's/"fill_value":0/"fill_value":70000/' 'fill_value'
refuse $array 's/"name":"kostka"/"name":"lempel"/' "codec 'lempel'"
refuse $array 's/"profile":"3d"/"profile":"4d"/' "profile '4d'"
refuse $array 's/"regular"/"odd"/' 'not regular'
refuse $array 's/"separator":"."/"separator":"..\/.."/' 'chunk_key_encoding'
refuse $array 's/"crc32c"/"crc64"/' 'indices of shards'
refuse $array 's/^{/{"secret":1,/' "extension 'secret'"
refuse $array 's/^{/{"":1,/' "extension ''"
refuse $array 's/^{/{"shape":[1,1,1],/' 'no JSON'
refuse $array 's/..$//' 'no JSON'
refuse zarr.json 's/"path":"0"/"path":"..\/a.zarr\/0"/' 'does not lead below'
refuse zarr.json 's/"path":"0"/"path":"\/tmp"/' 'does not lead below'
refuse zarr.json 's/"multiscales"/"scales"/' 'no multiscales'
cp -r b.zarr h.zarr
tr -d ' \n' <b.zarr/0/zarr.json | sed 's/"chunk_shape":\[16/"chunk_shape":[8/' >h.zarr/0/zarr.json
expect 1 "$KOSTKA" volume decode h.zarr none.raw
says 'not the chunk'
rm -r h.zarr
# A group in a group ends, and so does what nests deep.
refuse $array 's/"node_type":"array"/"node_type":"group"/' 'a group itself'
cp -r s.zarr h.zarr
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >h.zarr/0/zarr.json
expect 1 "$KOSTKA" volume decode h.zarr none.raw
says 'no JSON'
# Shards that end early, or whose index was changed.
cp s.zarr/0/zarr.json h.zarr/0/zarr.json
shard=h.zarr/0/c/0/0/0
head -c 50 s.zarr/0/c/0/0/0 >$shard
expect 1 "$KOSTKA" volume decode h.zarr none.raw
says 'ends before its index'
length=$(wc -c <s.zarr/0/c/0/0/0)
cp s.zarr/0/c/0/0/0 $shard
printf '\377' | dd of=$shard bs=1 seek=$((length - 20)) conv=notrunc 2>/dev/null
expect 1 "$KOSTKA" volume decode h.zarr none.raw
says 'CRC-32C'

# Version 2, as others write it: plain samples, and slices of the profile 2d.
mkdir v2.zarr
printf '{"zarr_format":2,"shape":[20,40,36],"chunks":[20,40,36],"dtype":"<i2","compressor":null,"fill_value":0,"order":"C","filters":null}' >v2.zarr/.zarray
cp in.raw v2.zarr/0.0.0
expect 0 "$KOSTKA" volume decode --endian little v2.zarr out.raw
same in.raw out.raw
rm d.zarr/0/zarr.json
expect 0 "$KOSTKA" volume decode --endian little d.zarr/0 out.raw
same in.raw out.raw

expect 1 "$KOSTKA" volume encode --shape 20x40x36 --type s16 --brick 8 in.raw none.j2c
says '\-\-brick'
expect 2 "$KOSTKA" volume encode --shape 20x40x36 --type s16 --brick 8x in.raw none.zarr
expect 2 "$KOSTKA" volume encode --shape 20x40x36 --type s16 --layout 4d in.raw none.zarr
expect 1 "$KOSTKA" volume encode --shape 20x40x36 --type s16 --layout 2d --brick 8 in.raw none.zarr
says 'one slice'
for shards in 134217728x134217728x1024 17x17x17; do
    expect 1 "$KOSTKA" volume encode --shape 20x40x36 --type s16 --brick 1 --shards $shards in.raw none.zarr
    says 'at most 4096 bricks'
done
expect 1 "$KOSTKA" volume encode --shape 20x40x36 --type s16 --layout 2d --brick 1x1048576x1 --shards 1x4096x1 in.raw none.zarr
says 'samples along an axis'
for file in none.*; do
    [ ! -e "$file" ] || fail "$file is made"
done
finish
