#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Bricks of Zarr in gzip, zlib, zstd and Blosc, as others write them. What is damaged, ends early or expands to more than a chunk
# is refused, in the memory of a chunk.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# put FILE OFFSET BYTES: bytes (of printf) at an offset
put() {
    # shellcheck disable=SC2059 # escapes
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# Bricks of Zarr: one of 2x4x4 bytes, whose last slice is beyond the volume.
awk 'BEGIN { for (i = 0; i < 32; i++) printf "%c", 65 + i }' >brick
head -c 16 brick >wanted.raw
# v2 COMPRESSOR: an array of version 2
v2() {
    mkdir -p v2.zarr
    printf '{"zarr_format":2,"shape":[1,4,4],"chunks":[2,4,4],"dtype":"|u1","compressor":%s,"fill_value":0,"order":"C","filters":null}' \
        "$1" >v2.zarr/.zarray
}
# v3 CODECS: and of version 3, behind the codec bytes
v3() {
    mkdir -p v3.zarr/c/0/0
    printf '{"zarr_format":3,"node_type":"array","shape":[1,4,4],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,4,4]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}%s]}' \
        "$1" >v3.zarr/zarr.json
}
opens() {
    expect 0 "$KOSTKA" volume decode "$1" out.raw
    same wanted.raw out.raw
}
fails() {
    expect 1 "$KOSTKA" volume decode "$1" none.raw
    says "$2"
}
gzip -nc <brick >brick.gz
v2 '{"id":"gzip","level":5}'
cp brick.gz v2.zarr/0.0.0
opens v2.zarr
expect 0 "$KOSTKA" volume info v2.zarr
prints 'codec gzip'
v3 ',{"name":"gzip","configuration":{"level":5}}'
cp brick.gz v3.zarr/c/0/0/0
opens v3.zarr
expect 1 "$KOSTKA" volume decode --reduce 1 v3.zarr none.raw
says 'no codestreams cannot be reduced'
expect 1 "$KOSTKA" volume decode --layers 1 v3.zarr none.raw
says 'no codestreams have no layers'
head -c 30 brick.gz >v3.zarr/c/0/0/0
fails v3.zarr 'v3.zarr/c/0/0/0: its gzip is damaged, or ends early'
: >v3.zarr/c/0/0/0
fails v3.zarr 'its gzip is damaged, or ends early'
{ cat brick.gz && printf 'more'; } >v3.zarr/c/0/0/0
fails v3.zarr "4 bytes follow the gzip, which ends at byte $(wc -c <brick.gz)"
gzip -nc <wanted.raw >v3.zarr/c/0/0/0
fails v3.zarr 'its gzip expands to 16 bytes, and a chunk has 32'
truncate -s 67108864 zeros
gzip -nc <zeros >v3.zarr/c/0/0/0
expect 1 "$PEAK" peak.kb "$KOSTKA" volume decode --device cpu v3.zarr none.raw
says 'its gzip expands to more than the 32 bytes of a chunk'
[ -n "${KOSTKA_SANITIZED:-}" ] || between "$(cat peak.kb)" 1 20000 'kilobytes to refuse a bomb of Zarr'
# Chunks of 1x4x4 letters, of which one is missing: it has the fill value, '*', whichever was expanded before it. Rows of bricks
# are read at their places and, for pipes and .nii.gz, slice after slice; other bricks are made of rows of these.
mkdir m.zarr
printf '{"zarr_format":2,"shape":[2,8,12],"chunks":[1,4,4],"dtype":"|u1","compressor":{"id":"gzip","level":5},"fill_value":42,"order":"C","filters":null}' \
    >m.zarr/.zarray
for at in 0.0.0 0.0.1 0.0.2 0.1.0 0.1.2 1.0.0 1.0.1 1.0.2 1.1.0 1.1.1 1.1.2; do
    echo $at | awk -F . '{ for (i = 0; i < 16; i++) printf "%c", 65 + 6 * $1 + 3 * $2 + $3 }' | gzip -nc >m.zarr/$at
done
awk 'BEGIN { for (i = 0; i < 192; i++) {
    brick = 6 * int(i / 96) + 3 * int(i % 96 / 48) + int(i % 12 / 4)
    printf "%c", brick == 4 ? 42 : 65 + brick
} }' >many.raw
expect 0 "$KOSTKA" volume decode m.zarr out.raw
same many.raw out.raw
expect 0 "$KOSTKA" volume decode m.zarr -
same many.raw out
expect 0 "$KOSTKA" volume decode m.zarr many.nii.gz
gzip -dc <many.nii.gz | tail -c +353 >out.raw
same many.raw out.raw
expect 0 "$KOSTKA" volume encode --brick 2 m.zarr n.zarr
expect 0 "$KOSTKA" volume decode n.zarr out.raw
same many.raw out.raw
# zlib with a stored block: its Adler-32 is 0x9B800A11.
{ printf '\170\001\001\040\000\337\377' && cat brick && printf '\233\200\012\021'; } >brick.zlib
v2 '{"id":"zlib","level":1}'
cp brick.zlib v2.zarr/0.0.0
opens v2.zarr
put v2.zarr/0.0.0 40 '\000'
fails v2.zarr 'its zlib is damaged'
v3 ',{"name":"numcodecs.zlib","configuration":{"level":1}}'
cp brick.zlib v3.zarr/c/0/0/0
opens v3.zarr

# zstd: one segment of 32 bytes, and a block as it is, or of one byte that repeats.
v3 ',{"name":"zstd","configuration":{"level":0,"checksum":false}}'
{ printf '\050\265\057\375\040\040\001\001\000' && cat brick; } >brick.zst
cp brick.zst v3.zarr/c/0/0/0
expect 0 "$KOSTKA" volume info v3.zarr
prints 'codec zstd'
"$KOSTKA" volume decode v3.zarr out.raw 2>err
if grep -q 'zstd is read with libzstd, which was missing' err; then
    echo 'skipped: there is no libzstd'
else
    opens v3.zarr
    v2 '{"id":"zstd","level":0}'
    cp brick.zst v2.zarr/0.0.0
    opens v2.zarr
    head -c 30 brick.zst >v3.zarr/c/0/0/0
    fails v3.zarr 'its zstd is damaged, or ends early'
    { cat brick.zst && printf 'more'; } >v3.zarr/c/0/0/0
    fails v3.zarr 'its zstd is damaged'
    { cat brick.zst brick.zst; } >v3.zarr/c/0/0/0
    fails v3.zarr 'its zstd expands to more than the 32 bytes of a chunk'
    printf '\050\265\057\375\040\020\203\000\000A' >v3.zarr/c/0/0/0
    fails v3.zarr 'its zstd expands to 16 bytes, and a chunk has 32'
    # 128 KiB, with a window of 2 GB that the header claims
    printf '\050\265\057\375\000\250\003\000\020A' >v3.zarr/c/0/0/0
    expect 1 "$PEAK" peak.kb "$KOSTKA" volume decode --device cpu v3.zarr none.raw
    says 'zstd'
    [ -n "${KOSTKA_SANITIZED:-}" ] || between "$(cat peak.kb)" 1 20000 'kilobytes to refuse a bomb of zstd'
fi

# Blosc, as it keeps samples that it does not compress.
v2 '{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}'
{ printf '\002\001\062\001\040\000\000\000\040\000\000\000\060\000\000\000' && cat brick; } >brick.blosc
cp brick.blosc v2.zarr/0.0.0
"$KOSTKA" volume decode v2.zarr out.raw 2>err
if grep -q 'blosc is read with libblosc, which was missing' err; then
    echo 'skipped: there is no libblosc'
else
    opens v2.zarr
    head -c 40 brick.blosc >v2.zarr/0.0.0
    fails v2.zarr 'the header of its blosc is damaged, or it has not 40 bytes'
    head -c 10 brick.blosc >v2.zarr/0.0.0
    fails v2.zarr 'the header of its blosc is damaged'
    cp brick.blosc v2.zarr/0.0.0
    put v2.zarr/0.0.0 4 '\100'
    fails v2.zarr 'its blosc expands to 64 bytes, and a chunk has 32'
    cp brick.blosc v2.zarr/0.0.0
    put v2.zarr/0.0.0 2 '\041'
    fails v2.zarr 'its blosc is damaged'
fi

# What is not read is named, with what to do.
v2 '{"id":"lzma"}'
fails v2.zarr "codec 'lzma' is not supported; bytes, gzip, zlib"
v2 null
sed 's/"filters":null/"filters":[{"id":"shuffle","elementsize":2}]/' v2.zarr/.zarray >a
cp a v2.zarr/.zarray
fails v2.zarr "filter 'shuffle' is not supported; zarr for Python copies"
v2 null
sed 's/|u1/<f8/' v2.zarr/.zarray >a
cp a v2.zarr/.zarray
fails v2.zarr "type 'f8'.*astype"
for codec in lz4 transpose; do
    v3 ",{\"name\":\"$codec\"}"
    fails v3.zarr "codec '$codec' is not supported"
done
v3 ',{"name":"gzip"},{"name":"zstd"}'
fails v3.zarr "codec 'zstd' behind another"
v3 ',{"name":"crc32c"},{"name":"gzip"}'
fails v3.zarr "codec 'gzip' behind another"
for file in none.*; do
    [ ! -e "$file" ] || fail "$file is made"
done
finish
