#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# At its end the command line frees nothing that lies on devices of CUDA: the driver would take a quarter of a second for
# what the system does anyway. All files are whole, and the exit status is as always. A driver that does nothing counts its
# calls.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
KOSTKA=$IDLE_CUDA/kostka
LD_LIBRARY_PATH=$IDLE_CUDA${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
IDLE_CUDA_COUNTS=$work/counts
export LD_LIBRARY_PATH IDLE_CUDA_COUNTS

mkdir in
picture 60 40 | "$KOSTKA" encode - in/p1.jpg --device cpu || fail 'cannot encode'
for i in $(seq 2 120); do cp in/p1.jpg "in/p$i.jpg"; done # more than threads take at once
"$KOSTKA" convert in/p1.jpg first.jp2 --device cuda:0 2>err
code=$?
equals $code 0 'exit status with one input'

# calls FUNCTION: how many there were
calls() {
    sed -n "s/^$1  *\([0-9]*\) .*/\1/p" counts
}

# left WHAT: whatever the driver made is still there, but for the program of each device that is loaded to try that
left() {
    [ "$(calls cuMemAlloc_v2)" -gt 0 ] || fail "$1: nothing was allocated"
    for function in cuMemFree_v2 cuMemFreeHost cuMemHostUnregister cuStreamDestroy_v2 cuEventDestroy_v2 \
        cuDevicePrimaryCtxRelease_v2 exit; do
        equals "$(calls $function)" 0 "$1: $function"
    done
    equals "$(calls cuModuleUnload)" "$(calls cuDevicePrimaryCtxRetain)" "$1: cuModuleUnload"
}
left 'one input'

# whole FOLDER MANIFEST: each input has an output and a line, and nothing else is there
whole() {
    equals "$(find "$1" -type f -size +0 -name 'p*.jp2' | wc -l)" 120 "outputs in $1"
    equals "$(find "$1" -mindepth 1 | wc -l)" 120 "names in $1"
    equals "$(grep -c '"status":"ok".*}$' "$2")" 120 "lines of $2"
}
expect 0 "$KOSTKA" convert in --out-format jp2 --out-dir all --manifest m --device cuda:0
silent
left folder
whole all m
for i in 1 20 120; do same "all/p$i.jp2" first.jp2; done
expect 1 "$KOSTKA" convert in missing.jpg --out-format jp2 --out-dir some --device cuda:0
says '^kostka: missing.jpg: '
left 'a failure'

# The CPU beside two of CUDA's devices has nothing to free that takes long.
export IDLE_CUDA_DEVICES=2
expect 0 "$KOSTKA" convert in --out-format jp2 --out-dir both --manifest m2 --device all
equals "$(calls cuDevicePrimaryCtxRetain)" 2 'devices'
left 'two devices'
whole both m2
unset IDLE_CUDA_DEVICES

# What waits in the buffers of standard output and standard error is written.
"$KOSTKA" convert in/p1.jpg - --out-format jp2 --device cuda:0 | cat >piped.jp2
same piped.jp2 first.jp2
"$KOSTKA" convert -v in --out-format jp2 --out-dir table --device cuda:0 2>&1 | cat >out
prints '^inputs that succeeded  *120 '

# The same holds for the frames of a video: many at once, one by one, and on two devices.
for i in 1 2 3 4 5 6; do cat in/p1.jpg; done >frames.mjpeg
for options in '' --latency '--bitrate 1M'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" video frames.mjpeg frames.avi -q 80 $options --device cuda:0
    left "frames $options"
    [ -s frames.avi ] || fail "no frames: $options"
done
IDLE_CUDA_DEVICES=2 expect 0 "$KOSTKA" video frames.mjpeg frames.y4m --device all
left 'frames on two devices'
equals "$(wc -c <frames.y4m)" "$(($(head -n 1 frames.y4m | wc -c) + 6 * (6 + 60 * 40 + 2 * 30 * 20)))" 'bytes of frames'
expect 1 "$KOSTKA" video frames.mjpeg missing/frames.y4m --device cuda:0
# A signal ends the work as always. ASan wants to be the first library.
expect 4 env LD_PRELOAD="$STOP_AT" STOP_AT_FILE=3 ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
    "$KOSTKA" convert in --out-format jp2 --out-dir stopped --manifest ms --device cuda:0
says 'interrupted, can be resumed'
left 'a signal'
equals "$(find stopped -name '*.jp2' | wc -l)" "$(grep -c '"status":"ok"' ms)" 'files and lines'
expect 0 "$KOSTKA" convert in --out-format jp2 --out-dir stopped --manifest ms --resume --device cuda:0
whole stopped ms
finish
