#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Frames that are coded become frames of the other codec, or of their own with other options; devices are named or refused;
# the line of progress is true.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

{
    echo 'YUV4MPEG2 W73 H51 F50:1 C420jpeg XCOLORRANGE=FULL'
    for i in 1 2 3 4 5 6; do
        picture 73 51 $((i * 40)) >p$i.ppm
        expect 0 "$KOSTKA" encode p$i.ppm p.jpg -q 95
        expect 0 "$KOSTKA" decode p.jpg p$i.yuv
        echo FRAME && cat p$i.yuv
    done
} >a.y4m
# JPEG 2000 becomes the JPEG that its pixels become.
expect 0 "$KOSTKA" video a.y4m a.avi --codec jpeg2000 --lossless
expect 0 "$KOSTKA" video a.y4m wanted.mjpeg -q 80
for options in '' --latency; do
    expect 0 "$KOSTKA" video a.avi b.mjpeg -q 80 ${options:+"$options"}
    same b.mjpeg wanted.mjpeg
done
expect 0 "$KOSTKA" video a.avi b.avi -q 80 --codec jpeg
expect 0 "$KOSTKA" video b.avi b.mjpeg
same b.mjpeg wanted.mjpeg
# JPEG 2000 at another rate is what its pixels are coded to at that rate, by either block coder; it is less, and few bytes.
for coder in jpeg2000 ht; do
    expect 0 "$KOSTKA" video a.y4m wanted.avi --codec $coder --ratio 12
    expect 0 "$KOSTKA" video a.avi b.avi --codec $coder --ratio 12
    same b.avi wanted.avi
    expect 0 "$KOSTKA" video b.avi 'rate%d.j2c'
    for i in 1 2 3 4 5 6; do between "$(wc -c <rate$i.j2c)" 200 $(((73 * 51 + 2 * 37 * 26) / 12)) 'bytes at 12:1'; done
done
expect 0 "$KOSTKA" video a.avi b.avi --codec jpeg2000 --bitrate 200k
expect 0 "$KOSTKA" video b.avi 'rate%d.j2c'
for i in 1 2 3 4 5 6; do between "$(wc -c <rate$i.j2c)" 200 500 'bytes at 200 kbit'; done

# Where frames pass one by one, a list of devices stands for its first one.
expect 0 "$KOSTKA" video a.y4m wanted.mjpeg --latency --device cpu
equals "$(cat err)" ''
expect 0 "$KOSTKA" video a.y4m b.mjpeg --latency --device cpu,opencl:99
says 'cpu,opencl:99: note: frames that pass one by one .* have one device: cpu'
same b.mjpeg wanted.mjpeg
expect 0 "$KOSTKA" video a.y4m b.mjpeg --latency --device all
says 'all: note: frames that pass one by one .* have one device: auto'
# What a frame may take depends on those before it, but not on how many are encoded at once: the search takes the same steps.
# Frames of noise among the others make it ask for qualities that were not made ahead; a low quality leaves it no choice.
{
    head -n 1 a.y4m
    for i in 1 2 3 4; do
        tail -n +2 a.y4m
        for _ in 1 2; do echo FRAME && head -c $((73 * 51 + 2 * 37 * 26)) /dev/urandom; done
    done
} >rough.y4m
expect 0 "$KOSTKA" video rough.y4m rough.avi -q 95
for options in '--bitrate 400k' '--bitrate 2M' '--bits-per-frame 20k' '--bits-per-frame 60' '--bitrate 1M -q 2' '--bitrate 1M -q 1' \
    '--bitrate 800k --resize 50'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" video rough.y4m wanted.mjpeg $options --device cpu --latency
    for threads in 1 3; do
        # shellcheck disable=SC2086 # words
        expect 0 "$KOSTKA" video rough.y4m b.mjpeg $options --device cpu --threads $threads
        same b.mjpeg wanted.mjpeg
    done
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" video rough.avi wanted.mjpeg $options --device cpu --latency
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" video rough.avi b.mjpeg $options --device cpu
    same b.mjpeg wanted.mjpeg
done
# JPEG is rewritten by the CPU alone.
expect 2 "$KOSTKA" video wanted.mjpeg b.mjpeg --optimize --device opencl:0
says 'device opencl:0: JPEG is rewritten without loss by the CPU alone'
expect 0 "$KOSTKA" video wanted.mjpeg b.mjpeg --optimize --device auto
expect 0 "$KOSTKA" video wanted.mjpeg c.mjpeg --optimize --device cpu
same b.mjpeg c.mjpeg

# The line of progress of a pipe says how many frames a second there are, and how many times faster than real time that is:
# ten times that number where a frame lasts ten seconds.
if has_terminals; then
    sed '1s/F50:1/F1:10/' a.y4m >long.y4m
    cat >slow <<END
{
    head -c 28000 long.y4m
    sleep 0.3
    tail -c +28001 long.y4m
    sleep 0.3
} | LD_PRELOAD='$QUICK_CLOCK' ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 "$KOSTKA" video - b.mjpeg
END
    script -qec 'sh ./slow' log >/dev/null 2>&1 </dev/null
    tr '\r' '\n' <log | sed -n 's/^[1-6] done, \([0-9.]*\) a second, \([0-9.]*\) times real time.*/\1 \2/p' >rates
    [ -s rates ] || fail "no rate for a pipe: $(tr '\r' '\n' <log)"
    awk '{ off = 10 * $1 - $2; if (off > 0.6 || off < -0.6) { print; bad = 1 } } END { exit bad }' rates >odd ||
        fail "a second, and times real time: $(cat odd)"
fi
finish
