#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sound and what else stands beside the frames goes along from container to container, through libavformat, too; FFmpeg
# finds the same frames, packets and tags in what was written.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
command -v ffmpeg >/dev/null || lacks ffmpeg
: >none.mkv
"$KOSTKA" video none.mkv x.avi --in-format mkv 2>err
! grep -q 'which was missing' err || lacks 'the headers of libavformat'
! grep -q 'is not installed' err || lacks 'libavformat'
export AV_LOG_FORCE_NOCOLOR=1

ff() {
    expect 0 ffmpeg -nostdin -v error -y "$@"
    equals "$(cat err)" '' "ffmpeg $*"
}
# streams FILE [MAP]: a digest of the packets of each stream, behind the stream's kind
streams() {
    ffmpeg -nostdin -v error -i "$1" -map "0${2:+:$2}" -c copy -f streamhash -hash md5 - 2>/dev/null | sed 's/^[0-9]*,//'
}
# samples FILE BYTES: the beginning of the sound
samples() {
    ffmpeg -nostdin -v error -i "$1" -map 0:a:0 -f s16le - 2>/dev/null | head -c "$2"
}
probe() {
    ffprobe -v error -select_streams "$2" -show_entries "stream=$3" -of default=nk=1:nw=1 "$1" 2>/dev/null | tr '\n' ' '
}

# Two streams of sound, of which one has units of one length and the other has packets. FFmpeg puts an empty frame first,
# which becomes one that is not.
ff -f lavfi -i testsrc2=s=98x66:r=30000/1001:d=0.7 -f lavfi -i sine=r=48000:d=0.9 -f lavfi -i sine=f=900:r=44100:d=0.9 \
    -map 0 -map 1 -map 2 -c:v mjpeg -q:v 3 -c:a:0 pcm_s16le -c:a:1 libmp3lame a.avi
streams a.avi a >sound
equals "$(sort -u sound | wc -l)" 2
expect 0 "$KOSTKA" video a.avi wanted.avi
equals "$(cat err)" ''
streams wanted.avi >wanted
tail -n 2 wanted >found
same found sound
equals "$(probe wanted.avi a codec_name,start_time,nb_frames)" "$(probe a.avi a codec_name,start_time,nb_frames)"
# Coded by many threads and one by one, and resized
for options in '-q 80 --latency' '--resize 48x32'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" video a.avi b.avi $options
    equals "$(cat err)" ''
    streams b.avi a >found
    same found sound
done
# What MKV and MOV have, and back; MP4 has no linear sound.
for container in mkv mov; do
    expect 0 "$KOSTKA" video a.avi "b.$container"
    equals "$(cat err)" ''
    streams "b.$container" >found
    same found wanted
    equals "$(probe "b.$container" v codec_name,avg_frame_rate)" 'mjpeg 30000/1001 '
    expect 0 "$KOSTKA" video "b.$container" c.avi
    streams c.avi >found
    same found wanted
done
{ echo 'Another program reads this line.' && cat b.mkv; } >moved
{
    read -r _
    expect 0 "$KOSTKA" video - b.avi
} <moved
streams b.avi >found
same found wanted
expect 0 "$KOSTKA" video b.mkv b.avi --resize 48x32
streams b.avi a >found
same found sound
equals "$(probe b.avi v nb_frames)" "$(probe wanted.avi v nb_frames)"
expect 0 "$KOSTKA" video b.mkv b.mp4
says 'sound (pcm_s16le) is left out, for which there is no place in mp4'
streams b.mp4 >found
sed 2d wanted >other
same found other
expect 0 "$KOSTKA" video a.avi b.y4m
says 'sound (format 1 of RIFF) is left out, for which there is no place in y4m'
# MXF has linear sound alone, as long as the frames.
expect 2 "$KOSTKA" video a.avi b.mxf -q 90
says 'mxf has no frames of JPEG'
expect 0 "$KOSTKA" video a.avi b.mxf --codec jpeg2000 --lossless
says 'sound (format 85 of RIFF) is left out'
says 's of sound behind the last frame are cut off'
# Sound that is due hours behind the first frame would be as long a silence.
at=$(grep -obUa 'auds' a.avi | head -n 1 | cut -d: -f1)
cp a.avi late.avi
printf '\377\377\377\377' | dd of=late.avi bs=1 seek=$((at + 28)) conv=notrunc status=none
expect 1 "$KOSTKA" video late.avi late.mxf --codec jpeg2000 --ratio 10
says 'behind the frames in front of it, and MXF takes at most 600 s'
[ ! -e late.mxf ] || fail 'a file is left behind'
expect 0 "$KOSTKA" video a.avi b.avi --codec jpeg2000 --lossless
expect 0 "$KOSTKA" video b.mxf c.mkv
for file in b.avi c.mkv; do streams $file v >$file.v; done
same c.mkv.v b.avi.v
# shellcheck disable=SC2017 # of whole samples
length=$(($(probe b.avi v nb_frames) * 1001 * 48000 / 30000 * 2))
for file in a.avi c.mkv; do samples $file $length >$file.a; done
same c.mkv.a a.avi.a

# Packets are missing in the middle of the sound: silence is there for them, and what follows is due when it was.
ff -f lavfi -i testsrc2=s=48x32:r=25:d=1.6 -f lavfi -i sine=r=48000:d=1.6 -c:v mjpeg -c:a pcm_s16le whole.mkv
ff -i whole.mkv -map 0 -c copy -bsf:a "noise=drop='between(pts*tb,0.5,0.9)'" gap.mkv
expect 0 "$KOSTKA" video gap.mkv gap.mxf --codec jpeg2000 --ratio 10
samples whole.mkv 153600 | tail -c +88065 | head -c 60000 >one # packet 43, whose time Matroska rounds to 0.917 s
samples gap.mxf 153600 | tail -c +88033 | head -c 60000 >two
same two one
# Frames of another rate would run away from the sound.
expect 1 "$KOSTKA" video whole.mkv b.mkv --fps 30
says '--fps changes when frames are due, and not sound (pcm_s16le) beside them'
expect 1 "$KOSTKA" video whole.mkv - --out-format mkv --fps 30
silent # not even headers
expect 0 "$KOSTKA" video whole.mkv b.mkv --fps 25
ff -i whole.mkv -map 0:v -map 0:a -c copy -r 2997/100 odd.avi
expect 0 "$KOSTKA" video odd.avi b.avi --fps 29.97 # 30000/1001
expect 0 "$KOSTKA" video whole.mkv b.mjpeg --fps 30
# Packets that stand in front of frames may not all wait for these: the limit is for all of them together.
ff -f lavfi -i testsrc2=s=48x32:r=2:d=3 -f lavfi -i sine=r=48000:d=3 -ac 8 -c:v mjpeg -c:a pcm_s16le many.mkv
expect 0 "$KOSTKA" video many.mkv b.mkv -q 80
expect 0 "$KOSTKA" video many.mkv c.mkv -q 80 --max-memory 4M
for file in b.mkv c.mkv; do streams $file >$file.all; done
same c.mkv.all b.mkv.all

# Time code, proportions, colours, order of fields, language, title
ff -f lavfi -i testsrc2=s=98x66:r=25:d=0.4 -f lavfi -i sine=r=48000:d=0.4 -vf setsar=4/3,setfield=tff -c:v mjpeg -q:v 3 \
    -pix_fmt yuvj422p -c:a pcm_s24le -timecode 01:02:03:04 -metadata:s:a:0 language=deu -color_primaries bt709 \
    -color_trc bt709 -colorspace bt709 -metadata title=Hello t.mkv
tags=sample_aspect_ratio,color_range,color_space,color_transfer,color_primaries,field_order,avg_frame_rate
for container in mov mkv; do
    expect 0 "$KOSTKA" video t.mkv "u.$container" --codec ht --lossless
    equals "$(cat err)" ''
    equals "$(probe "u.$container" v $tags | sed 's/unknown/pc/')" '4:3 pc bt709 bt709 bt709 tt 25/1 '
    equals "$(streams "u.$container" a)" "$(streams t.mkv a)"
    ffprobe -v error -show_entries stream_tags:format_tags "u.$container" >found
    grep -qi 'timecode=01:02:03:04' found || fail "no time code in $container"
    grep -q 'title=Hello' found || fail "no title in $container"
done
expect 0 "$KOSTKA" video u.mov u.mxf
ffprobe -v error -show_entries format_tags u.mxf | grep -q 'timecode=01:02:03:04' || fail 'no time code in MXF'
samples t.mkv 38400 >one
samples u.mxf 38400 >two
same two one
expect 0 "$KOSTKA" video u.mxf u.y4m
says 'the time code 01:02:03:04 is left out'
expect 0 "$KOSTKA" video t.mkv v.y4m
equals "$(head -n 1 v.y4m)" 'YUV4MPEG2 W98 H66 F25:1 It A4:3 C422 XCOLORRANGE=FULL'
# The matrix: a tag is followed where planes become RGB, --matrix becomes one, and JPEG without one is BT.601.
expect 0 "$KOSTKA" video v.y4m 'v%d.png' --matrix bt709
for container in mkv mov; do
    expect 0 "$KOSTKA" video v.y4m "m.$container" --codec ht --lossless --matrix bt709
    equals "$(probe "m.$container" v color_space)" 'bt709 '
    if [ $container = mkv ]; then file=m.mkv; else file=t.mkv; fi # JPEG 2000 in MOV has no tag for the range
    expect 0 "$KOSTKA" video "$file" 'm%d.png'
    same m1.png v1.png
    same m10.png v10.png
    expect 0 "$KOSTKA" video v.y4m plain.mjpeg -q 90
    expect 0 "$KOSTKA" video plain.mjpeg "m.$container" --codec jpeg2000 --lossless
    equals "$(probe "m.$container" v color_space)" 'bt470bg '
    expect 0 "$KOSTKA" video 'v%d.png' "m.$container" -q 90 --fps 25
    equals "$(probe "m.$container" v color_space)" 'bt470bg '
done
expect 0 "$KOSTKA" video t.mkv 'm%d.png' --matrix bt601
! cmp -s m1.png v1.png || fail '--matrix does not replace the tag'
# What filters make of grey becomes planes by BT.601 if the tag of the grey frames is a matrix that is not known.
ff -f lavfi -i testsrc2=s=32x32:r=25:d=0.08 -pix_fmt gray -c:v jpeg2000 -colorspace smpte240m grey.mkv
equals "$(probe grey.mkv v color_space)" 'smpte240m '
expect 0 "$KOSTKA" video grey.mkv tagged.y4m --filters rgb
expect 0 "$KOSTKA" video grey.mkv grey.avi
expect 0 "$KOSTKA" video grey.avi plain.y4m --filters rgb
tail -n +2 tagged.y4m >found
tail -n +2 plain.y4m >wanted
same found wanted
# Ten bits
ff -f lavfi -i testsrc2=s=98x66:r=25:d=0.2 -pix_fmt yuv420p10 -strict -1 ten.y4m
tail -n +2 ten.y4m >wanted
for container in mov mxf; do
    expect 0 "$KOSTKA" video ten.y4m "ten.$container" --codec jpeg2000
    expect 0 "$KOSTKA" video "ten.$container" back.y4m
    tail -n +2 back.y4m >found
    same found wanted
done
ff -i ten.mxf -strict -1 back.y4m
tail -n +2 back.y4m >found
same found wanted
# Subtitles go along, or do not; other codecs and files that refer to others are refused.
printf '1\n00:00:00,100 --> 00:00:00,300\nHello\n' >s.srt
ff -i t.mkv -i s.srt -c copy -c:s srt s.mkv
expect 0 "$KOSTKA" video s.mkv t2.mkv -q 70
equals "$(streams t2.mkv s)" "$(streams s.mkv s)"
expect 0 "$KOSTKA" video s.mkv t2.mov -q 70
says 'a stream of subtitles (subrip) is left out'
ff -i ten.y4m -c:v ffv1 f.mkv
expect 1 "$KOSTKA" video f.mkv x.y4m
says 'frames are coded as ffv1'
ff -f lavfi -i sine=d=0.1 -c:a pcm_s16le sound.mov
expect 1 "$KOSTKA" video sound.mov x.y4m
says 'no stream with video'
# Pipes
expect 0 "$KOSTKA" video - - --out-format mkv -q 80 <s.mkv
cp out p.mkv
equals "$(streams p.mkv a)" "$(streams t.mkv a)"
equals "$(probe p.mkv s codec_name)" 'subrip '
expect 1 "$KOSTKA" video s.mkv - --out-format mov
says 'mov needs a file'
# Files that are cut off or damaged end in a message or in frames.
expect 0 "$KOSTKA" video t.mkv t.mov
for container in mkv mov mxf; do
    [ $container = mxf ] && cp u.mxf t.mxf
    size=$(wc -c <t.$container)
    { head -c $((size * 3 / 5)) t.$container && cat t.$container; } >joined.$container
    head -c $((size * 3 / 5)) t.$container >cut.$container
    { head -c 300 t.$container && printf '\377\377\377\177' && tail -c +305 t.$container; } >bad.$container
    for file in cut bad joined; do
        "$KOSTKA" video $file.$container x.y4m --threads 1 2>err || [ $? -eq 1 ] || fail "$file.$container: $(cat err)"
    done
done
# RGB without a component transform is RGB where the container says so; planes of 4:4:4 stay planes.
for i in 1 2; do picture 48 32 $((i * 60)) >rgb$i.ppm; done
expect 0 "$KOSTKA" video 'rgb%d.ppm' wanted.y4m
{ echo 'YUV4MPEG2 W48 H32 F25:1 C444' && for i in 1 2; do echo FRAME && head -c 4608 /dev/urandom; done; } >planes.y4m
for container in mov mp4 mkv mxf; do
    expect 0 "$KOSTKA" video 'rgb%d.ppm' rgb.$container --codec jpeg2000 --lossless --keep-components
    expect 0 "$KOSTKA" video rgb.$container a.y4m
    same a.y4m wanted.y4m
    equals "$(ffprobe -v error -select_streams v -show_entries stream=color_space -of csv=p=0 rgb.$container)" gbr "$container"
    expect 0 "$KOSTKA" video planes.y4m planes.$container --codec jpeg2000 --lossless
    expect 0 "$KOSTKA" video planes.$container a.y4m
    tail -n +2 a.y4m >a && tail -n +2 planes.y4m >b
    same a b
done
finish
