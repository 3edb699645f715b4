#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files become HTJ2K and come back without loss; OpenJPEG decodes them to the same pixels. Names and options say which.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
command -v opj_decompress >/dev/null || lacks opj_decompress

photo=/usr/share/backgrounds/mate/nature/Wood.jpg
[ -f "$photo" ] || lacks "$photo"
expect 0 "$KOSTKA" convert --scale 1/4 "$photo" photo.ppm

# opj FILE NAME: what OpenJPEG makes of it
opj() {
    rm -f "$2"
    expect 0 opj_decompress -i "$1" -o "$2"
}
brand() {
    head -c 24 "$1" | tail -c 4
}

# round OPTIONS...: there and back; what is in between, and the end, are to OpenJPEG what the file was
round() {
    expect 0 "$KOSTKA" encode "$@" photo.ppm a.jp2
    expect 0 "$KOSTKA" transcode a.jp2 there.jph
    expect 0 "$KOSTKA" transcode there.jph back.jp2
    equals "$(brand there.jph)" "jph "
    equals "$(brand back.jp2)" "jp2 "
    opj a.jp2 a.ppm
    for name in there.jph back.jp2; do
        opj "$name" other.ppm
        cmp -s a.ppm other.ppm || fail "$*: OpenJPEG makes other pixels of $name"
    done
}
for options in '' '--step 0.01' '--quality 70' '--style causal' '--codeblock 32x16' \
    '--tiles 100x90 --precincts 64x64 --progression RPCL --sop --eph --plt --tlm'; do
    # shellcheck disable=SC2086 # words
    round $options
    cmp -s a.jp2 back.jp2 || fail "$options: other bytes"
done
round --rate 2
round --style bypass,reset,termall,predictable,symbols

# Layers that end among the passes in front of a set need passes without bytes, which OpenJPEG does not read.
expect 0 "$KOSTKA" encode --layers 5 photo.ppm layers.jp2
expect 0 "$KOSTKA" transcode -v layers.jp2 layers.jph
says 'layers keep their passes'
identical layers.jph photo.ppm
expect 0 "$KOSTKA" transcode layers.jph back.jp2
cmp -s layers.jp2 back.jp2 || fail "--layers: other bytes"

# Codestreams stay what they are, unless an option or the name says otherwise; so do standard output and folders.
expect 0 "$KOSTKA" transcode a.jp2 bare.jhc
expect 0 "$KOSTKA" transcode bare.jhc kept.j2k
cmp -s bare.jhc kept.j2k || fail "a codestream that nothing changes"
expect 0 "$KOSTKA" transcode --ht=no kept.j2k old.j2k
expect 0 "$KOSTKA" transcode --ht old.j2k new.j2k
cmp -s bare.jhc new.j2k || fail "--ht makes other bytes than a name"

# The profile of Part 1 goes from Rsiz to CPF, stays there, and comes back.
expect 0 "$KOSTKA" encode --profile profile1 photo.ppm profile.jp2
expect 0 "$KOSTKA" transcode profile.jp2 profile.jph
expect 0 "$KOSTKA" transcode --interleave profile.jph again.jph
cmp -s profile.jph again.jph || fail "a file with CPF changes though nothing is left to change"
expect 0 "$KOSTKA" info again.jph
prints 'CPF .*profile 2 '
expect 0 "$KOSTKA" transcode again.jph back.jp2
cmp -s profile.jp2 back.jp2 || fail "--profile: other bytes"

mkdir many
expect 0 "$KOSTKA" transcode --ht --out-dir many a.jp2 old.j2k
cmp -s many/old.jhc new.j2k || fail "--out-dir --ht: other bytes, or another name"
equals "$(brand many/a.jph)" "jph "
# A GPU codes the blocks again where it is asked to and can, and a folder's together; the files are the CPU's.
gpu=$("$KOSTKA" devices | sed -n 's/^\(opencl:[0-9]*\|cuda:[0-9]*\) .*/\1/p' | head -n 1)
# Its picture is small, as PoCL has not optimised the kernels.
if [ -n "$gpu" ]; then
    expect 0 "$KOSTKA" convert --scale 1/8 --resize 96 "$photo" small.ppm
    expect 0 "$KOSTKA" encode small.ppm whole.jp2
    expect 0 "$KOSTKA" encode --rate 2 small.ppm cut.jp2
    head -c -2000 whole.jp2 >damaged.jp2
    for name in whole cut damaged; do
        expect 0 "$KOSTKA" transcode --device cpu "$name.jp2" "$name-cpu.jph"
        mv err "$name.err"
        expect 0 "$KOSTKA" transcode --device "$gpu" "$name.jp2" "$name.jph"
        cmp -s "$name-cpu.jph" "$name.jph" || fail "$name: the GPU makes other bytes"
        cmp -s err "$name.err" || fail "$name: the GPU has other warnings"
    done
    expect 0 "$KOSTKA" transcode -v --device "$gpu" whole.jp2 whole.jph
    says "entropy [0-9.]* ms on ${gpu%:*}"
    expect 0 "$KOSTKA" transcode -v --device "$gpu" cut.jp2 cut.jph
    says "entropy [0-9.]* ms on ${gpu%:*}"
    expect 0 "$KOSTKA" transcode -v --device "$gpu" whole.jph whole-back.jp2
    says "entropy [0-9.]* ms on ${gpu%:*}"
    cmp -s whole.jp2 whole-back.jp2 || fail 'other bytes come back from the GPU'
    mkdir gpus
    expect 0 "$KOSTKA" transcode --ht --device "$gpu" --out-dir gpus --manifest gpus.m whole.jp2 cut.jp2 damaged.jp2
    for name in whole cut damaged; do
        cmp -s "$name-cpu.jph" "gpus/$name.jph" || fail "--out-dir: the GPU makes other bytes of $name"
    done
    expect 2 "$KOSTKA" transcode --device "$gpu" --plt whole.jp2 no.j2k
    says "--device $gpu"
    expect 0 "$KOSTKA" bench transcode whole.jp2 whole.jph --device "$gpu" --batch 1,2 --repeat 1 --json
    prints '"identical": true'
    expect 2 "$KOSTKA" bench transcode whole.jp2 --peers
    expect 1 "$KOSTKA" bench transcode "$photo" --repeat 1
fi
expect 2 "$KOSTKA" transcode --ht a.jp2 no.jp2
says '--ht'
expect 2 "$KOSTKA" transcode --ht a.jp2 no.jpg
says 'is to be JPEG;'
expect 2 "$KOSTKA" transcode --ht=no a.jp2 no.jph
says '--ht'
expect 2 "$KOSTKA" transcode --rate 1 a.jp2 no.jph
says '--rate'
[ -z "$(find . -name 'no.*')" ] || fail "files were made"
finish
