#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Bricks of a store are decoded many at a time, on every device, to the bytes that they have one by one; a damaged one is named
# as it would be alone; layers are left out of each.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# 40 slices of 48 rows of 56 samples of 16 bits, of which five are noise: more bits than the rates below have room for
awk 'BEGIN { s = 7; for (i = 0; i < 215040; i++) { s = (s * 16807) % 2147483647; printf "%c", i % 2 ? 1 : 1 + int(s / 4096) % 32 } }' >in.raw
shape='--shape 40x48x56 --type s16 --endian little'
# shellcheck disable=SC2086
store() {
    expect 0 "$KOSTKA" volume encode --device cpu $shape "$@"
}
store --brick 16 in.raw e.zarr
store --brick 16 --ht --rate 2,4 in.raw h.zarr
store --brick 8 --shards 2x3x4 --ht in.raw s.zarr
store --layout 2d in.raw d.zarr

# Each brick is also a file of its own.
for name in e h; do
    expect 0 "$KOSTKA" volume decode --device cpu --endian little --box 16x16x16+16+16+32 $name.zarr box.raw
    cp $name.zarr/0/c/1/1/2 brick.j2c
    expect 0 "$KOSTKA" volume decode --device cpu --endian little brick.j2c brick.raw
    same brick.raw box.raw
    expect 0 "$KOSTKA" volume decode --device cpu $name.zarr $name.raw
    expect 0 "$KOSTKA" volume decode --device cpu $name.zarr/1 $name.half.raw
done
expect 0 "$KOSTKA" volume decode --device cpu --endian little e.zarr out.raw
same in.raw out.raw

# Layers: of a store and of a brick's codestream
expect 0 "$KOSTKA" volume decode --device cpu --endian little --layers 1 --box 16x16x16+16+16+32 h.zarr box.raw
expect 0 "$KOSTKA" volume decode --device cpu --endian little --layers 1 brick.j2c one.raw
same one.raw box.raw
cmp -s one.raw brick.raw && fail 'one layer is all of them'
expect 0 "$KOSTKA" volume decode --device cpu --endian little --layers 2 brick.j2c two.raw
same two.raw brick.raw
# A slice that is a picture of its own
expect 0 "$KOSTKA" volume encode --device cpu --shape 40x48x112 --type u8 --layout 2d --rate 1,2 in.raw p.zarr
expect 0 "$KOSTKA" volume decode --device cpu --layers 1 --box 1x48x112+7+0+0 p.zarr page.raw
expect 0 "$KOSTKA" decode --layers 1 p.zarr/0/7/0/0 page.pgm
tail -c 5376 page.pgm | cmp -s - page.raw || fail 'one layer of a slice is not that of a picture'
expect 0 "$KOSTKA" volume decode --device cpu --layers 1 h.zarr h.one.raw
expect 0 "$KOSTKA" volume slice --device cpu --layers 1 --axis y --index 20 h.zarr one.pgm
expect 0 "$KOSTKA" volume slice --device cpu --axis y --index 20 h.zarr all.pgm
cmp -s one.pgm all.pgm && fail 'a slice of one layer is that of all'
# shellcheck disable=SC2086
expect 0 "$KOSTKA" volume encode --device cpu $shape --layers 2 --rate 2,4 --brick 16 --ht in.raw again.zarr
same h.zarr/0/c/1/1/2 again.zarr/0/c/1/1/2
for layers in 0 65536 x; do
    expect 2 "$KOSTKA" volume decode --layers $layers brick.j2c none.raw
    says '\-\-layers'
done
# shellcheck disable=SC2086
expect 2 "$KOSTKA" volume encode $shape --layers 1025 in.raw none.j2c
says '\-\-layers'
expect 2 "$KOSTKA" volume info --layers 1 brick.j2c
says 'not an option'
mkdir v2.zarr
printf '{"zarr_format":2,"shape":[40,48,56],"chunks":[40,48,56],"dtype":"<i2","compressor":null,"fill_value":0,"order":"C","filters":null}' >v2.zarr/.zarray
cp in.raw v2.zarr/0.0.0
expect 1 "$KOSTKA" volume decode --layers 1 v2.zarr none.raw
says 'no codestreams have no layers'

# Samples that take less memory in a codestream than in the array
od -An -v -tu1 -w1 in.raw | tr -d ' ' >wanted.txt
expect 0 "$KOSTKA" volume encode --device cpu --shape 40x48x112 --type u8 --brick 16 in.raw n.zarr
tr -d ' \n' <n.zarr/0/zarr.json | sed 's/"uint8"/"uint16"/' >changed
mv changed n.zarr/0/zarr.json

# Damage: a brick that is short has a warning, in the order of the bricks; one that is none ends the decoding.
cp -r e.zarr w.zarr
cp -r e.zarr x.zarr
for at in 0/1/3 2/0/0; do
    head -c 1000 e.zarr/0/c/$at >w.zarr/0/c/$at
    head -c 1000 e.zarr/0/c/$at >x.zarr/0/c/$at
done
rm w.zarr/0/c/1/2/2 x.zarr/0/c/1/2/2 # the fill value
echo none >x.zarr/0/c/1/1/1
echo none >x.zarr/0/c/2/2/2
expect 0 "$KOSTKA" volume decode --device cpu w.zarr w.raw
cp err w.err
grep -q '0/c/0/1/3: warning: ' w.err || fail "no warning of a short brick: $(cat w.err)"
equals "$(sed -n 's,.*0/c/\([0-9/]*\): warning: .*,\1,p' w.err | tr '\n' ' ')" '0/1/3 2/0/0 ' 'bricks with warnings'

for device in cpu $("$KOSTKA" devices | sed -nE 's/^((opencl|cuda):[0-9]+) .*/\1/p'); do
    for memory in 4G 700K; do # all bricks at once, or a few
        for name in e h w s d; do
            [ $memory != 700K ] || [ "$device" = cpu ] || continue
            expect 0 "$KOSTKA" volume decode --device "$device" --max-memory $memory $name.zarr out.raw
            case $name in
            s | d) same e.raw out.raw ;;
            *) same $name.raw out.raw ;;
            esac
            [ $name != w ] || same w.err err
        done
        for name in e h; do
            expect 0 "$KOSTKA" volume decode --device "$device" $name.zarr/1 out.raw
            same $name.half.raw out.raw
        done
    done
    expect 0 "$KOSTKA" volume decode --device "$device" --layers 1 h.zarr out.raw
    same h.one.raw out.raw
    expect 0 "$KOSTKA" volume decode --device "$device" --endian little n.zarr out.raw
    od -An -v -tu2 -w2 --endian=little out.raw | tr -d ' ' | cmp -s - wanted.txt || fail "samples of a byte in arrays of two differ on $device"
    expect 1 "$KOSTKA" volume decode --device "$device" x.zarr none.raw
    says '0/c/1/1/1: '
    says '0/c/0/1/3: warning: '
    grep -q -e '2/0/0' -e '2/2/2' err && fail "bricks behind a bad one are reported on: $(cat err)"
    expect 1 "$KOSTKA" volume decode --device "$device" --strict w.zarr none.raw
    says '0/c/0/1/3: '
    grep -q '2/0/0' err && fail "bricks behind one with a warning are reported on: $(cat err)"
    # A file that cannot be read ends the decoding, but a bad brick before it comes first.
    rm -r x.zarr/0/c/2/2/2
    mkdir x.zarr/0/c/2/2/2
    expect 1 "$KOSTKA" volume decode --device "$device" x.zarr none.raw
    says '0/c/1/1/1: '
    cp e.zarr/0/c/1/1/1 x.zarr/0/c/1/1/1
    expect 1 "$KOSTKA" volume decode --device "$device" x.zarr none.raw
    says '2/2/2 is no file'
    says '0/c/2/0/0: warning: '
    rm -r x.zarr/0/c/2/2/2
    echo none >x.zarr/0/c/2/2/2
    echo none >x.zarr/0/c/1/1/1
done
# A store that was not finished goes on: what is complete stays as it is. A file that is named like the folder of level 1
# lets the call fail behind the last brick.
bricks() {
    find "$1/0" -type f ! -name '*zar*' | sort
}
# made_later STORE: how many bricks have been written since all were dated back
dated_back() {
    find "$1/0" -type f -exec touch -d @1000000000 {} +
}
made_later() {
    find "$1/0" -type f ! -name '*zar*' -newermt @1000000000 | wc -l | tr -d ' '
}
files() {
    (cd "$1" && find . -type f -exec cksum {} + | sort)
}
# resumed OPTION…: break off, spoil some bricks, go on, and compare with a store that was not broken off
resumed() {
    rm -rf whole r.zarr
    # shellcheck disable=SC2086
    expect 0 "$KOSTKA" volume encode --device cpu $shape "$@" in.raw whole/r.zarr
    mkdir r.zarr
    echo >r.zarr/1
    # shellcheck disable=SC2086
    expect 1 "$KOSTKA" volume encode --device cpu $shape "$@" in.raw r.zarr
    [ -e r.zarr/unfinished.txt ] || fail 'nothing says that the store is not finished'
    bricks r.zarr | awk 'NR % 4 == 0' >spoilt
    turn=0
    while read -r file; do
        turn=$(((turn + 1) % 3))
        case $turn in
        0) rm "$file" ;;
        1) head -c 100 "$file" >short && cat short >"$file" ;;
        *) : >"$file" ;;
        esac
    done <spoilt
    dated_back r.zarr
    # shellcheck disable=SC2086
    expect 1 "$KOSTKA" volume encode --resume --device cpu $shape "$@" --guard-bits 3 in.raw r.zarr
    says 'was not begun from this input with these options'
    expect 1 "$KOSTKA" volume decode r.zarr none.raw
    rm r.zarr/1
    # shellcheck disable=SC2086
    expect 0 "$KOSTKA" volume encode --device cpu $shape "$@" --resume in.raw r.zarr
    files whole/r.zarr >wanted
    files r.zarr | cmp -s - wanted || fail "a store that went on is another: $*"
    equals "$(made_later r.zarr)" "$(wc -l <spoilt | tr -d ' ')" "bricks that were made again: $*"
    [ -s spoilt ] || fail "nothing was spoilt: $*"
    expect 1 "$KOSTKA" volume encode --resume in.raw r.zarr
}
resumed --brick 8 --ht
resumed --brick 16 --rate 2
resumed --brick 8 --shards 1x2x2 --ht

# Slices have no levels: the store is one whose metadata are not written yet.
# shellcheck disable=SC2086
expect 0 "$KOSTKA" volume encode --device cpu $shape --layout 2d in.raw l.zarr
files l.zarr >wanted
mkdir q.zarr
echo >q.zarr/1
# shellcheck disable=SC2086
expect 1 "$KOSTKA" volume encode --device cpu $shape in.raw q.zarr
sed 's/^\(options:.*\)$/\1 --layout 2d/' q.zarr/unfinished.txt >l.zarr/unfinished.txt
dated_back l.zarr
rm l.zarr/zarr.json l.zarr/0/zarr.json l.zarr/0/7/0/0
# shellcheck disable=SC2086
expect 0 "$KOSTKA" volume encode --resume --device cpu $shape --layout 2d in.raw l.zarr
files l.zarr | cmp -s - wanted || fail 'a store of slices that went on is another'
equals "$(made_later l.zarr)" 1 'slices that were made again'

# Another input, and an attempt that may have left bricks of other options
rm q.zarr/1
cp in.raw other.raw
touch -d @1000 other.raw
# shellcheck disable=SC2086
expect 1 "$KOSTKA" volume encode --resume --device cpu $shape other.raw q.zarr
says 'was not begun from this input'
echo >q.zarr/1
# shellcheck disable=SC2086
expect 1 "$KOSTKA" volume encode --device cpu $shape --ht in.raw q.zarr
rm q.zarr/1
# shellcheck disable=SC2086
expect 1 "$KOSTKA" volume encode --resume --device cpu $shape --ht in.raw q.zarr
says 'was not begun from this input'
# Standard input is not recognised again, not even beside a file that is called like it.
mkdir i.zarr
echo >i.zarr/1
echo 'of an earlier attempt' >i.zarr/unfinished.txt
cp in.raw ./-
# shellcheck disable=SC2086
expect 1 "$KOSTKA" volume encode --device cpu $shape - i.zarr <in.raw
[ -e i.zarr/0/c/0/0/0 ] || fail 'standard input is not encoded'
[ ! -e i.zarr/unfinished.txt ] || fail 'standard input is taken for a file'
rm i.zarr/1
# shellcheck disable=SC2086
expect 1 "$KOSTKA" volume encode --resume --device cpu $shape - i.zarr <in.raw
says 'was not begun from this input'
rm ./-
# shellcheck disable=SC2086
expect 0 "$KOSTKA" volume encode --device cpu $shape in.raw q.zarr
# shellcheck disable=SC2086
expect 0 "$KOSTKA" volume encode --resume --device cpu $shape in.raw new.zarr
expect 2 "$KOSTKA" volume decode --resume e.zarr none.raw
says 'not an option'
expect 1 "$KOSTKA" volume encode --resume e.zarr none.j2c
says 'resume'
[ ! -e none.raw ] || fail 'none.raw is made'
finish
