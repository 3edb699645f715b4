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
# 66,000 small frames fill more than one list RIFF of OpenDML: FFmpeg finds all of them, by the indices and one by one.
for i in 1 2 3; do
    picture 8 8 $((i * 80)) >p.ppm
    expect 0 "$KOSTKA" encode p.ppm small$i.jpg -q 30
done
! cmp -s small1.jpg small3.jpg || fail 'small frames are all the same'
cat small1.jpg small2.jpg >pair
for _ in $(seq 100); do cat pair; done >block
{ for _ in $(seq 330); do cat block; done && cat small3.jpg; } >many.mjpeg
expect 0 "$KOSTKA" video many.mjpeg many.avi
equals "$(LC_ALL=C grep -a -c -o 'RIFF....AVI[ X]LIST' many.avi)" 2 'lists RIFF'
equals "$(probe many.avi codec_name,r_frame_rate,nb_frames)" 'mjpeg 25/1 66001 '
ff -i many.avi -c copy -f mjpeg again.mjpeg
same again.mjpeg many.mjpeg
# In front of the last frame, and in the second list, to which only an index of the second list leads
ff -ss 2639.96 -i many.avi -c copy -f mjpeg tail.mjpeg
cat small1.jpg small2.jpg small3.jpg >wanted
tail -c "$(wc -c <tail.mjpeg)" wanted >end
same tail.mjpeg end
[ -s tail.mjpeg ] || fail 'no frame is found in the second list'
expect 0 "$KOSTKA" video many.avi again.mjpeg
same again.mjpeg many.mjpeg
rm many.* again.* block

# A file that ends in the middle plays, as one that was not finished.
head -c $(($(wc -c <a.avi) * 2 / 3)) a.avi >cut.avi
ffmpeg -nostdin -v quiet -i cut.avi -c copy -f mjpeg f.mjpeg
expect 0 "$KOSTKA" video cut.avi k.mjpeg
says 'the file ends inside of a frame'
cmp -n "$(wc -c <k.mjpeg)" k.mjpeg f.mjpeg || fail "FFmpeg finds other frames"
finish
