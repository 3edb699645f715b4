#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Many inputs on GPUs, through a flow: the files, the manifest and the complaints are those of the CPU.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
gpu=$("$KOSTKA" devices | sed -n 's/^\(opencl:[0-9]*\|cuda:[0-9]*\) .*/\1/p' | head -n 1)
[ -n "$gpu" ] || lacks "OpenCL or CUDA device"

mkdir in pixels
for i in 1 2 3 4 5 6 7 8; do
    picture $((i * 23)) $((i * 17)) >"pixels/p$i.ppm"
    "$KOSTKA" encode "pixels/p$i.ppm" "in/p$i.jpg" -q $((60 + i)) --restart 1r || fail 'cannot encode'
done
"$KOSTKA" encode pixels/p7.ppm in/wavelet.jp2
"$KOSTKA" encode pixels/p7.ppm in/grey.jpg --grey --comment 'a comment'
"$KOSTKA" convert pixels/p3.ppm pixels/flat.png
awk 'BEGIN { printf "P7\nWIDTH 40\nHEIGHT 30\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"; for (i = 0; i < 4800; i++) printf "%c", 65 + i % 60 }' >pixels/alpha.pam
"$KOSTKA" encode pixels/alpha.pam in/alpha.jp2
awk 'BEGIN { for (i = 0; i < 2400; i++) printf "%c", i % 2 ? 33 + i % 90 : 3 }' >deep.raw
"$KOSTKA" convert --raw 40x30x1:12 --endian big deep.raw in/deep.jp2 || fail 'cannot make 12 bits'
sed 's/RGB_ALPHA/CMYK/' pixels/alpha.pam >inks.pam
"$KOSTKA" encode inks.pam in/inks.jpg || fail 'cannot encode inks'
head -c -400 in/p6.jpg >in/warns.jpg
head -c 300 in/p8.jpg >in/cut.jpg
echo text >in/bad.jpg

# both NAME CODE VERB WORD…: a call on the CPU and on the GPU, alone or beside the CPU, makes the same files, lines and complaints; of
# these two each call takes one, by turns, where some cases are tried; two calls take both, whose manifests are looked at below
both() {
    name=$1 code=$2
    shift 2
    take_turn
    gpus=$(cases "$gpu $gpu,cpu" "$([ $turn = 0 ] && echo "$gpu" || echo "$gpu,cpu")")
    case $name in decode | wavelets) gpus="$gpu $gpu,cpu" ;; esac
    for device in cpu $gpus; do
        place=$(echo "$name-$device" | tr ':,' '--')
        (expect "$code" "$KOSTKA" "$@" --out-dir "$place" --manifest "$place.m" --device "$device" && sort err |
            sed "s/$place/PLACE/g" >"$place.err" && exit "$failures") || failures=$((failures + 1))
        (cd "$place" && find . -type f -exec cksum {} + | sort) >"$place.sums"
        sed "s/$place/PLACE/g; s/,\"device\":\"[^\"]*\"//" "$place.m" | sort >"$place.lines"
    done
    [ -s "$name-cpu.sums" ] || fail "$name: nothing was made"
    for device in $gpus; do
        place=$(echo "$name-$device" | tr ':,' '--')
        for what in sums err lines; do
            cmp -s "$name-cpu.$what" "$place.$what" || fail "$name: $what on $device: $(diff "$name-cpu.$what" "$place.$what")"
        done
    done
}
both decode 1 decode in
both half 1 decode in --scale 1/2 --out-format png
both planes 1 decode in --format planar --out-format pgm
both wavelets 1 convert in --out-format jp2 --ratio 8
both again 1 convert in --out-format jpeg --orient
both quality 1 convert in --out-format jpeg -q 80 --subsampling 444 --format rgb
both smaller 1 convert in --out-format jpeg --resize 30
both draft 1 convert in --out-format jp2 --resize 10 --draft
both resized 1 decode in --resize 20x20 --fit cover
both encoded 0 encode pixels --progressive
both lossless 0 encode pixels --out-format j2k
# The largest picture has more than a quarter of the memory, so that its rows are read, from what was read ahead.
both tight 0 encode pixels --max-memory 256K
both recoded 1 encode in --out-format jp2 --rate 2
both strict 1 decode in --strict
both limited 1 decode in --max-pixels 4000
# Turning changes no code-blocks of JPEG 2000, so that naming a GPU for it is refused.
expect 2 "$KOSTKA" transcode in --rotate 90 --out-dir turned --device "$gpu"
grep -q "only code-blocks of JPEG 2000" err || fail 'a GPU is not refused for turning'
[ ! -e turned ] || fail 'a refused call made a folder'
# PoCL takes a minute to optimise the kernels that encode T.814, and six seconds for these filters; all others are optimised for other
# tests, too.
export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
both filtered 1 convert in --out-format jpeg --filters grey,gaussian=1.5
both edges 1 decode in --resize 30 --filters canny=40:90 --out-format png
both cropped 1 convert in --filters crop=30x30,rotate=90 --out-format jp2
both negatives 0 encode pixels --filters invert
both coder 1 transcode in --ht
"$KOSTKA" encode pixels/p7.ppm in/told.jp2 --icc deep.raw --comment 'a comment' || fail 'cannot attach a profile'
both bare 1 transcode in --ht --container j2k
grep -q '^kostka: PLACE/told.jhc: warning: dropped ICC profile, for a codestream has no place for it$' bare-cpu.err ||
    fail 'no word of what a codestream drops'
grep -q 'PLACE/wavelet.jhc' bare-cpu.err && fail 'a word of nothing'
unset POCL_EXTRA_BUILD_FLAGS

# Reports say which device did the work; the pixels of a stream that becomes another stay there.
grep -q "\"input\":\"in/p5.jpg\".*\"device\":\"$gpu\"" "decode-$(echo "$gpu" | tr : -).m" || fail 'the GPU has not decoded'
grep -q "\"input\":\"in/p5.jpg\".*\"device\":\"$gpu\"" "wavelets-$(echo "$gpu" | tr : -).m" || fail 'the GPU has not encoded'

# Lists of devices are for many inputs, and are checked.
expect 2 "$KOSTKA" decode in/p1.jpg one.ppm --device "$gpu,cpu"
says "^kostka: $gpu,cpu: several devices work on many inputs only"
expect 2 env KOSTKA_DEVICE=all "$KOSTKA" info in/p1.jpg --device all
expect 0 "$KOSTKA" decode in/p1.jpg in/p2.jpg --out-dir everything --device all
(cd everything && only p1.ppm p2.ppm) || failures=$((failures + 1))
expect 0 env KOSTKA_DEVICE=cpu,"$gpu" "$KOSTKA" decode in/p1.jpg in/p2.jpg --out-dir environment
for list in "$gpu,$gpu" "$gpu," cpu,gpu all,cpu; do
    expect 2 "$KOSTKA" decode in/p1.jpg in/p2.jpg --out-dir none --device "$list"
    says "^kostka: --device $list: "
done
expect 3 "$KOSTKA" decode in/p1.jpg in/p2.jpg --out-dir none --device "$gpu,opencl:99"
equals "$(find none -type f 2>/dev/null)" ''

# The first failure ends the work, and so does a signal.
mkdir crowd
for i in $(seq 120); do cp in/p8.jpg "crowd/$i.jpg"; done
expect 1 "$KOSTKA" decode in/bad.jpg in/missing.jpg crowd/*.jpg --out-dir fast --fail-fast --device "$gpu"
says 'stopped after'
# The signal comes before the twentieth file has its name. At most 64 threads have begun with others by then. ASan wants to be the
# first library.
expect 4 env LD_PRELOAD="$STOP_AT" STOP_AT_FILE=20 ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
    "$KOSTKA" convert crowd --out-dir stopped --out-format jp2 --manifest ms --device "$gpu"
says 'interrupted, can be resumed'
equals "$(find stopped -name '*.jp2' | wc -l)" "$(grep -c '"status":"ok"' ms)" 'files and lines'
equals "$(find stopped -name '.*' -type f)" ''
expect 0 "$KOSTKA" convert crowd --out-dir stopped --out-format jp2 --manifest ms --device "$gpu" --resume
equals "$(grep -c '"status":"ok"' ms)" 120
"$KOSTKA" convert in/p8.jpg p8.jp2 --device cpu
for i in $(seq 120); do same p8.jp2 "stopped/$i.jp2"; done
finish
