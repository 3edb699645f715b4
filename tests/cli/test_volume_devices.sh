#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bricks of a store go to all devices that are named, and to processes that each make a share; the store is the same. A device
# that fails hands its bricks to the others.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# 40 slices of 48 rows of 56 samples of 16 bits; two or three of them are noise, since each that is coded takes long where PoCL has not
# optimised the kernels
awk 'BEGIN { s = 7; for (i = 0; i < 215040; i++) { s = (s * 16807) % 2147483647; printf "%c", i % 2 ? 1 : 1 + int(s / 4096) % 6 } }' >in.raw
shape='--shape 40x48x56 --type s16 --endian little'
# encode OPTION… STORE
encode() {
    # shellcheck disable=SC2086
    "$KOSTKA" volume encode $shape --brick 8 "$@"
}
# files STORE: its files, and where its links lead; the metadata of the group have its name
files() {
    (cd "$1" && find . -type f ! -path ./zarr.json -exec cksum {} + && find . -type l -exec readlink {} +) | sort
}
# same_store STORE WANTED WHAT
same_store() {
    files "$2" >wanted
    files "$1" | cmp -s - wanted || fail "the store is another: $3"
    [ -e "$1/zarr.json" ] || fail "it has no metadata: $3"
    [ ! -e "$1/unfinished.txt" ] || fail "it is not finished: $3"
}
expect 0 encode --device cpu in.raw e.zarr
expect 0 encode --device cpu --layout 2d --brick 1x24x28 in.raw d.zarr
expect 0 encode --device cpu --shards 2 --ht in.raw s.zarr

# Devices
lists=all # that is the CPU where there is no GPU
for device in $("$KOSTKA" devices | sed -nE 's/^((opencl|cuda):[0-9]+) .*/\1/p'); do
    lists="$lists $device,cpu"
done
for list in $lists; do
    rm -rf o.zarr o2.zarr
    expect 0 encode --device "$list" in.raw o.zarr
    same_store o.zarr e.zarr "on $list"
    expect 0 encode --device "$list" --layout 2d --brick 1x24x28 in.raw o2.zarr
    same_store o2.zarr d.zarr "slices on $list"
    expect 0 "$KOSTKA" volume decode --device "$list" --endian little e.zarr out.raw
    same in.raw out.raw
    expect 0 "$KOSTKA" volume decode --device "$list" --endian little --box 9x20x30+11+7+5 e.zarr out.raw
    expect 0 "$KOSTKA" volume decode --device cpu --endian little --box 9x20x30+11+7+5 e.zarr box.raw
    same box.raw out.raw
    expect 0 "$KOSTKA" volume slice --device "$list" --axis x --index 20 e.zarr out.pgm
    expect 0 "$KOSTKA" volume slice --device cpu --axis x --index 20 e.zarr one.pgm
    same one.pgm out.pgm
    cp -r e.zarr x.zarr
    echo none >x.zarr/0/c/1/1/1
    expect 1 "$KOSTKA" volume decode --device "$list" x.zarr out.raw
    says 'x.zarr/0/c/1/1/1: '
    rm -rf x.zarr
done
# Several devices share bricks, and nothing else.
# shellcheck disable=SC2086
expect 2 "$KOSTKA" volume encode --device all $shape in.raw none.j2c
says 'several devices share the bricks of a store'
expect 2 "$KOSTKA" volume info --device cpu,cuda:0 e.zarr
says 'several devices share the bricks of a store'
expect 3 "$KOSTKA" volume decode --device cuda:77,cpu e.zarr none.raw
says 'cuda:77'

# A GPU whose kernels fail, beside the CPU: here its driver does nothing else.
# shellcheck disable=SC2317 # expect calls it
failing() {
    env LD_LIBRARY_PATH="$IDLE_CUDA${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" IDLE_CUDA_FAILS=1 "$IDLE_CUDA/kostka" volume "$@"
}
rm -rf o.zarr
# shellcheck disable=SC2086
expect 0 failing encode --device cuda:0,cpu $shape --brick 8 in.raw o.zarr
says 'warning: a device failed; others took over'
same_store o.zarr e.zarr 'with a device that fails'
expect 0 failing decode --device cuda:0,cpu --endian little e.zarr out.raw
says 'warning: a device failed; others took over'
same in.raw out.raw
# If no other device can take over, some bricks are missing, and the next call makes them.
rm -rf o.zarr
# shellcheck disable=SC2086
expect 1 failing encode --device cuda:0 $shape --brick 8 in.raw o.zarr
expect 0 encode --device cpu --resume in.raw o.zarr
same_store o.zarr e.zarr 'after a device that failed'

# Shares, in any order and at once; some have no brick to make, or no sample that is not zero.
# shared WANTED SHARES OPTION…: let processes encode shares one after the other, the last first
shared() {
    wanted_store=$1
    shares=$2
    shift 2
    rm -rf o.zarr
    for share in $(seq $((shares - 1)) -1 1); do
        expect 0 encode "$@" --shard "$share/$shares" in.raw o.zarr
        [ ! -e o.zarr/zarr.json ] || fail "the store is finished before its last share: $*"
    done
    expect 0 encode "$@" --shard "0/$shares" in.raw o.zarr
    same_store o.zarr "$wanted_store" "in $shares shares: $*"
}
shared e.zarr 3 --device cpu
shared e.zarr 7 --device all --threads 2
shared s.zarr 4 --device cpu --shards 2 --ht
shared d.zarr 2 --device cpu --layout 2d --brick 1x24x28
expect 1 encode --device cpu --shard 0/2 in.raw o.zarr
says 'a Zarr group already'
[ "$(find o.zarr -name 'share-*' | wc -l)" = 0 ] || fail 'notes of shares are left'

# Each process makes its share alone: it writes no file of another.
rm -rf o.zarr
expect 0 encode --device cpu --shard 1/3 in.raw o.zarr
made=$(find o.zarr/0/c -type f | wc -l)
equals "$made" 70 'bricks of a third of 210'
# A share that was broken off goes on; one that was done is made again without --resume.
rm "$(find o.zarr/0/c -type f | head -n 1)"
find o.zarr/0/c -type f -exec touch -d @1000000000 {} +
expect 0 encode --device cpu --shard 1/3 --resume in.raw o.zarr
equals "$(find o.zarr/0/c -type f -newermt @1000000000 | wc -l)" 1 'bricks that were made again'
expect 1 encode --device cpu --shard 0/3 --ht in.raw o.zarr
says 'shard: a store that is there was not begun from this input'
# Without --shard a call makes what is missing, and finishes the store.
expect 0 encode --device cpu --resume in.raw o.zarr
same_store o.zarr e.zarr 'a share and then the rest'

rm -rf o.zarr
for share in 0 1 2 3 4; do
    encode --device cpu --threads 1 --shard $share/5 in.raw o.zarr 2>"err.$share" || fail "share $share: $(cat err.$share)" &
done
wait
same_store o.zarr e.zarr 'five shares at once'
for shard in 3/3 x 1/0; do
    expect 2 encode --shard $shard in.raw none.zarr
    says '\-\-shard'
done
# shellcheck disable=SC2086
expect 1 "$KOSTKA" volume encode --device cpu $shape --shard 0/2 - none.zarr <in.raw
says 'the input is no file or folder'
expect 1 encode --device cpu --shard 0/2 in.raw none.j2c
says '\-\-shard'
finish
