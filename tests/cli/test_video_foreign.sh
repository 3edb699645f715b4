#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# FFmpeg reads the sequences that are written here, with every frame, and what it writes is read.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
command -v ffmpeg >/dev/null || lacks ffmpeg
export AV_LOG_FORCE_NOCOLOR=1

ff() {
    expect 0 ffmpeg -nostdin -v error -y "$@"
    equals "$(cat err)" '' "ffmpeg $*"
}
# frames FILE: digests of what FFmpeg decodes
frames() {
    ffmpeg -nostdin -v error -i "$1" -f framemd5 - 2>err | grep -v '^#' | sed 's/.* //'
    equals "$(cat err)" '' "ffmpeg decodes $1"
}
probe() {
    ffprobe -v error -show_entries "stream=$2" -of default=nk=1:nw=1 "$1" 2>&1 | tr '\n' ' '
}

ff -f lavfi -i testsrc2=s=162x122:r=30000/1001:d=0.5 -pix_fmt yuv420p a.y4m
expect 0 "$KOSTKA" video a.y4m a.mjpeg -q 90
expect 0 "$KOSTKA" video a.y4m a.avi -q 90
equals "$(probe a.avi codec_name,width,height,r_frame_rate,nb_frames)" 'mjpeg 162 122 30000/1001 15 '
# The same streams are in both, and the pixels are those of single pictures.
ff -i a.avi -c copy -f mjpeg b.mjpeg
same b.mjpeg a.mjpeg
frames a.avi >one
frames a.mjpeg >two
same one two
equals "$(sort -u one | wc -l)" 15
# FFmpeg's own files: its container, its coder, its Y4M of other samplings, of ten bits, and with tags.
ff -f mjpeg -r 30 -i a.mjpeg -c copy b.avi
expect 0 "$KOSTKA" video b.avi b.mjpeg
same b.mjpeg a.mjpeg
ff -i a.y4m -c:v mjpeg -q:v 2 -color_range pc c.avi
expect 0 "$KOSTKA" video --strict c.avi c.y4m
ff -i c.avi -pix_fmt yuvj420p d.y4m # a filter between the two would change the range
ffmpeg -nostdin -v error -i c.y4m -i d.y4m -lavfi psnr=stats_file=psnr -f null - || fail psnr
equals "$(wc -l <psnr)" 15
[ "$(sed 's/.*psnr_avg:\([0-9]*\).*/\1/; s/.*psnr_avg:inf.*/99/' psnr | sort -n | head -n 1)" -ge 45 ] ||
    fail "FFmpeg decodes other pixels: $(cat psnr)"
for format in gray yuv420p10; do
    ff -i a.y4m -pix_fmt $format -strict -1 in.y4m
    expect 0 "$KOSTKA" video in.y4m out.avi --codec jpeg2000
    frames in.y4m >one
    frames out.avi >two
    same one two
    expect 0 "$KOSTKA" video out.avi back.y4m
    tail -n +2 back.y4m >b && tail -n +2 in.y4m >w
    same b w
done
# A file that ends in the middle plays, as one that was not finished.
head -c $(($(wc -c <a.avi) * 2 / 3)) a.avi >cut.avi
ffmpeg -nostdin -v quiet -i cut.avi -c copy -f mjpeg f.mjpeg
expect 0 "$KOSTKA" video cut.avi k.mjpeg
says 'the file ends inside of a frame'
cmp -n "$(wc -c <k.mjpeg)" k.mjpeg f.mjpeg || fail "FFmpeg finds other frames"
finish
