#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sequences on a GPU are those of the CPU, byte for byte, many at once and one by one.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
device=$("$KOSTKA" devices | awk '$1 ~ /^(cuda|opencl):/ { print $1; exit }')
[ -n "$device" ] || lacks GPU

printf 'YUV4MPEG2 W98 H66 F25:1 Ip A1:1 C420jpeg XCOLORRANGE=FULL\n' >frames.y4m
for i in 1 2 3 4 5; do
    picture 98 66 $((i * 25)) >p.ppm
    { "$KOSTKA" encode p.ppm p.jpg -q 95 && "$KOSTKA" decode p.jpg p.yuv; } || fail "frame $i"
    { echo FRAME && cat p.yuv; } >>frames.y4m
done
expect 0 "$KOSTKA" video --device cpu frames.y4m frames.avi -q 92

# work IN OUT OPTION…: on both devices
work() {
    in=$1
    out=$2
    shift 2
    expect 0 "$KOSTKA" video --device cpu "$in" "cpu.$out" "$@"
    expect 0 "$KOSTKA" video --device "$device" "$in" "gpu.$out" "$@"
    same "gpu.$out" "cpu.$out"
}
# PoCL takes seconds to load the kernels of each process, so that there are only these few.
work frames.y4m avi -q 80
work frames.avi avi --latency --bitrate 300k
work frames.y4m avi --bits-per-frame 12k
# Devices share the frames whose quality is searched for, and planes become RGB on the device, and planes again.
{ head -n 1 frames.y4m && for i in 1 2 3 4; do tail -n +2 frames.y4m; done; } >long.y4m
expect 0 "$KOSTKA" video --device cpu long.y4m cpu.avi --bitrate 500k --latency
expect 0 "$KOSTKA" video --device "$device,cpu" long.y4m both.avi --bitrate 500k
same both.avi cpu.avi
# Filters and resizing work on the device, and beside it on the processor, in the order of the frames.
work frames.avi mjpeg --resize 50x40 --filters sharpen=0.5 -q 85
work frames.y4m y4m --resize 50x40 --filters sharpen=0.5
for i in 1 2 3 4 5 6 7 8; do cat cpu.mjpeg; done >many.mjpeg
expect 0 "$KOSTKA" video --device cpu many.mjpeg cpu.avi --resize 40x30 -q 85
expect 0 "$KOSTKA" video --device "$device,cpu" many.mjpeg both.avi --resize 40x30 -q 85
same both.avi cpu.avi
finish
