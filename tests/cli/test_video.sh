#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sequences of frames: each is decoded and encoded as a single picture is, in order, and containers lose none of them.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# A stream of six frames, and what they are to become.
printf 'YUV4MPEG2 W73 H51 F25:1 Ip A1:1 C420jpeg XCOLORRANGE=FULL\n' >wanted.y4m
: >a.mjpeg
for i in 1 2 3 4 5 6; do
    picture 73 51 $((i * 40)) >p.ppm
    expect 0 "$KOSTKA" encode p.ppm p$i.jpg -q $((60 + i * 5))
    expect 0 "$KOSTKA" decode p$i.jpg p$i.yuv
    cat p$i.jpg >>a.mjpeg
    { echo FRAME && cat p$i.yuv; } >>wanted.y4m
done
expect 0 "$KOSTKA" video a.mjpeg a.y4m
same a.y4m wanted.y4m
silent
equals "$(cat err)" ''
for threads in 1 3; do
    expect 0 "$KOSTKA" video --threads $threads - - --out-format y4m <a.mjpeg
    same out wanted.y4m
done
expect 0 "$KOSTKA" video --latency a.mjpeg b.y4m
same b.y4m wanted.y4m
# A thumbnail in a marker segment, and zeros behind a frame, are not frames.
printf '\377\341\000\012\377\330\377\331\377\330\377\331' >app1
{ head -c 2 p1.jpg && cat app1 && tail -c +3 p1.jpg && head -c 5 /dev/zero && cat p2.jpg p3.jpg p4.jpg p5.jpg p6.jpg; } >thumb.mjpeg
expect 0 "$KOSTKA" video --strict thumb.mjpeg b.y4m
same b.y4m wanted.y4m

# Frames that are passed on keep their bytes; those that are rewritten keep their pixels.
expect 0 "$KOSTKA" video a.mjpeg a.avi
expect 0 "$KOSTKA" video a.avi b.mjpeg
same b.mjpeg a.mjpeg
expect 0 "$KOSTKA" video a.avi a.avi --in-place
expect 0 "$KOSTKA" video a.avi b.y4m
same b.y4m wanted.y4m
expect 0 "$KOSTKA" video a.avi optimal.avi --optimize
[ "$(wc -c <optimal.avi)" -lt "$(wc -c <a.avi)" ] || fail "--optimize makes nothing smaller"
expect 0 "$KOSTKA" video optimal.avi b.y4m
same b.y4m wanted.y4m
mkfifo pipe
cat a.avi >pipe &
expect 0 "$KOSTKA" video pipe b.mjpeg
same b.mjpeg a.mjpeg
expect 1 "$KOSTKA" video a.mjpeg - --out-format avi
says 'avi needs a file'

# Planes become JPEG 2000 and HTJ2K without loss, one becomes the other, and the range of the samples is all that is lost.
sed 1s/.XCOLORRANGE=FULL// wanted.y4m >plain.y4m
expect 0 "$KOSTKA" video wanted.y4m a.avi --codec jpeg2000
expect 0 "$KOSTKA" video a.avi ht.avi --ht
[ "$(wc -c <ht.avi)" -gt "$(wc -c <a.avi)" ] || fail "--ht leaves the codec"
expect 0 "$KOSTKA" video ht.avi back.avi --codec jpeg2000
same back.avi a.avi
expect 0 "$KOSTKA" video wanted.y4m other.avi --codec ht --lossless
same other.avi ht.avi
for name in a.avi ht.avi; do
    expect 0 "$KOSTKA" video $name b.y4m
    tail -n +2 b.y4m >b && tail -n +2 wanted.y4m >w
    same b w
done
expect 0 "$KOSTKA" video a.mjpeg again.avi --codec jpeg2000
same again.avi a.avi
expect 0 "$KOSTKA" video wanted.y4m a.avi --ratio 20
between "$(wc -c <a.avi)" 1000 24000 'bytes at 20:1'

# Frames of one plane are encoded as pictures of one channel are.
picture 73 51 | head -n 2 >/dev/null
"$KOSTKA" convert --format grey p1.jpg p.pgm || fail "convert"
{ printf 'YUV4MPEG2 W73 H51 F30000:1001 Im A4:3 Cmono\nFRAME Ip\n' && tail -c 3723 p.pgm; } >mono.y4m
expect 0 "$KOSTKA" video mono.y4m - -q 85 --out-format mjpeg
cp out mono.mjpeg
"$KOSTKA" decode mono.mjpeg one.pgm && "$KOSTKA" encode p.pgm p.jpg -q 85 && "$KOSTKA" decode p.jpg two.pgm
same one.pgm two.pgm
# Frame rate and proportions are carried, and ten bits are.
expect 0 "$KOSTKA" video mono.y4m a.avi
expect 0 "$KOSTKA" video a.avi b.y4m
equals "$(head -n 1 b.y4m)" 'YUV4MPEG2 W73 H51 F30000:1001 Ip A4:3 Cmono XCOLORRANGE=FULL'
expect 0 "$KOSTKA" video mono.y4m b.y4m
equals "$(head -n 1 b.y4m)" 'YUV4MPEG2 W73 H51 F30000:1001 Im A4:3 Cmono'
{ printf 'YUV4MPEG2 W8 H3 F24:1 C422p10 XCOLORRANGE=LIMITED\nFRAME\n' && yes '' | head -n 48 | tr '\n' '\001\002' &&
    yes '' | head -n 48 | tr '\n' '\001'; } >ten.y4m
expect 0 "$KOSTKA" video ten.y4m a.avi --codec jpeg2000
expect 0 "$KOSTKA" video a.avi b.y4m
equals "$(head -n 1 b.y4m)" 'YUV4MPEG2 W8 H3 F24:1 Ip A0:0 C422p10'
tail -n +2 b.y4m >b && tail -n +2 ten.y4m >w
same b w
expect 2 "$KOSTKA" video ten.y4m a.avi
says 'JPEG has 8 bits'
expect 2 "$KOSTKA" video wanted.y4m a.avi --subsampling 444
says 'frames keep their sampling'
expect 2 "$KOSTKA" video a.mjpeg b.y4m -q 90
says 'quality is for output in'

# Streams that are longer than their pixels
head -c 65536 /dev/urandom >noise
{ printf 'P5\n256 256\n255\n' && cat noise; } >noise.pgm
{ printf 'YUV4MPEG2 W256 H256 F25:1 Cmono\nFRAME\n' && cat noise && echo FRAME && cat noise; } >noise.y4m
"$KOSTKA" encode noise.pgm noise.jpg -q 100
[ "$(wc -c <noise.jpg)" -gt 80000 ] || fail "noise is compressed"
cat noise.jpg noise.jpg >wanted.mjpeg
for options in '' --latency; do
    expect 0 "$KOSTKA" video noise.y4m noise.mjpeg -q 100 ${options:+"$options"}
    same noise.mjpeg wanted.mjpeg
done
expect 0 "$KOSTKA" video noise.mjpeg noise.avi --codec jpeg2000 --lossless
expect 0 "$KOSTKA" video noise.avi a.y4m
expect 0 "$KOSTKA" video noise.mjpeg b.y4m
tail -n +2 a.y4m >a && tail -n +2 b.y4m >b
same a b

# MJPEG leaves out the tables of Annex K.
at=$(LC_ALL=C grep -a -b -o -P '\xff\xc4' p3.jpg | head -n 1 | cut -d: -f1)
{ cat p1.jpg p2.jpg && head -c "$at" p3.jpg && tail -c +$((at + 433)) p3.jpg && cat p4.jpg p5.jpg p6.jpg; } >bare.mjpeg
equals "$(wc -c <bare.mjpeg)" $(($(wc -c <a.mjpeg) - 432))
expect 0 "$KOSTKA" video --strict bare.mjpeg b.y4m
same b.y4m wanted.y4m

# A frame that cannot be decoded repeats the one before, or ends the work.
{ cat p1.jpg p2.jpg && LC_ALL=C sed 's/\xff\xc0/\xff\xc3/' p3.jpg && cat p4.jpg p5.jpg p6.jpg; } >damaged.mjpeg
expect 0 "$KOSTKA" video damaged.mjpeg b.y4m
says '1 of 6 frames are damaged, and repeat the one before; the first: frame 2, byte [0-9]*: '
{ head -n 1 wanted.y4m && for i in 1 2 2 4 5 6; do echo FRAME && cat p$i.yuv; done; } >repeated.y4m
same b.y4m repeated.y4m
rm b.y4m
expect 1 "$KOSTKA" video --strict damaged.mjpeg b.y4m
[ ! -e b.y4m ] || fail "there is output after a failure"
{ cat p1.jpg && head -c 2000 /dev/zero | tr '\0' x && cat p2.jpg; } >garbage.mjpeg
expect 0 "$KOSTKA" video garbage.mjpeg b.y4m
says '2000 bytes between frames belong to none'
expect 1 "$KOSTKA" video --strict garbage.mjpeg b.y4m
"$KOSTKA" encode p.pgm --resize 31x17 small.jpg && cat p1.jpg small.jpg p2.jpg >sizes.mjpeg
expect 0 "$KOSTKA" video sizes.mjpeg b.y4m
says '1 of 3 frames are damaged'

# Files with numbers: coded frames are passed on, pictures are coded as 'kostka encode' and 'convert' do it.
expect 0 "$KOSTKA" video a.mjpeg 'n%02d.jpg'
for i in 1 2 3 4 5 6; do same n0$i.jpg p$i.jpg; done
expect 0 "$KOSTKA" video 'n%02d.jpg' b.mjpeg
same b.mjpeg a.mjpeg
expect 0 "$KOSTKA" video a.mjpeg 'n%d.png'
expect 0 "$KOSTKA" convert p4.jpg p4.png
same n4.png p4.png
expect 0 "$KOSTKA" video 'n%d.png' 'n%d.jph' --ratio 8
expect 0 "$KOSTKA" convert n5.png five.jph --ratio 8
same n5.jph five.jph
expect 0 "$KOSTKA" video 'n%d.png' rgb.avi --lossless
expect 0 "$KOSTKA" video rgb.avi 'm%d.png'
same m6.png n6.png
# RGB becomes planes of 4:4:4 where there is no RGB.
expect 0 "$KOSTKA" video rgb.avi b.y4m
equals "$(head -n 1 b.y4m)" 'YUV4MPEG2 W73 H51 F25:1 Ip A0:0 C444 XCOLORRANGE=FULL'
expect 0 "$KOSTKA" video 'n%d.png' c.y4m
same c.y4m b.y4m
echo text >n3.png
expect 1 "$KOSTKA" video 'n%d.png' b.y4m --strict
says 'n3.png: '
expect 1 "$KOSTKA" video 'absent%d.png' b.y4m
says 'no file has such a name'
# Planes without a header, and multipart streams, with lengths and without.
expect 0 "$KOSTKA" video a.mjpeg b.yuv
cat p1.yuv p2.yuv p3.yuv p4.yuv p5.yuv p6.yuv >all.yuv
same b.yuv all.yuv
expect 0 "$KOSTKA" video all.yuv b.mjpeg --size 73x51 -q 80
expect 0 "$KOSTKA" video all.yuv c.avi --size 73x51 --format yuv420p -q 80
expect 0 "$KOSTKA" video c.avi c.mjpeg
same b.mjpeg c.mjpeg
expect 2 "$KOSTKA" video c.avi b.mjpeg --size 73x51
says '--size: it is for frames without a header'
expect 1 "$KOSTKA" video all.yuv b.mjpeg
says 'without a header: --size'
expect 1 "$KOSTKA" video all.yuv b.mjpeg --size 72x51
says 'the last frame has [0-9]* bytes instead of'
expect 0 "$KOSTKA" video a.mjpeg a.multipart
expect 0 "$KOSTKA" video a.multipart b.mjpeg
same b.mjpeg a.mjpeg
LC_ALL=C sed '/^Content-Length/d' a.multipart >b.multipart
expect 0 "$KOSTKA" video --strict b.multipart b.mjpeg
same b.mjpeg a.mjpeg

# Two fields of a frame are its odd and its even rows, as the APP0 "AVI1" of the first says.
"$KOSTKA" convert --format grey p1.jpg f.pgm && "$KOSTKA" encode f.pgm f1.jpg -q 90 --resize 32x8
"$KOSTKA" encode f.pgm f2.jpg -q 70 --resize 32x8
for i in 1 2; do
    printf '\377\340\000\020AVI1%b\000\000\000\000\000\000\000\000\000' "\\0$i" >app0
    { head -c 2 f$i.jpg && cat app0 && tail -c +3 f$i.jpg; } >g$i.jpg
    "$KOSTKA" decode f$i.jpg f$i.pgm && tail -c 256 f$i.pgm >f$i.rows
done
cat g1.jpg g2.jpg >t1.jpg && cat g2.jpg g1.jpg >b1.jpg
for first in t b; do
    expect 0 "$KOSTKA" video "${first}%d.jpg" fields.avi
    expect 0 "$KOSTKA" video --strict fields.avi fields.y4m
    equals "$(head -n 1 fields.y4m)" "YUV4MPEG2 W32 H16 F25:1 I$first A1:1 Cmono XCOLORRANGE=FULL"
    for row in 0 1 2 3 4 5 6 7; do
        for i in 1 2; do tail -c +$((row * 32 + 1)) f$i.rows | head -c 32; done
    done >rows
    tail -c 512 fields.y4m >got
    same got rows
done
expect 2 "$KOSTKA" video fields.avi again.avi -q 50
says 'two fields (AVI1)'
# Frames in front of the first good one repeat it.
{ LC_ALL=C sed 's/\xff\xc0/\xff\xc3/' p3.jpg && cat p4.jpg; } >late.mjpeg
expect 0 "$KOSTKA" video late.mjpeg b.y4m
says '1 of 2 frames are damaged, and repeat the one before; the first: frame 0, byte 0: '
{ head -n 1 wanted.y4m && for i in 4 4; do echo FRAME && cat p$i.yuv; done; } >repeated.y4m
same b.y4m repeated.y4m

# A file that was not finished plays as far as it goes, even if the program was killed.
expect 0 "$KOSTKA" video wanted.y4m c.mjpeg -q 80
mkfifo frames
# start FILE: in the background until all frames are in the temporary file, which is longer than the frames by the headers
start() {
    "$KOSTKA" video frames "$1" -q 80 2>err &
    pid=$!
    exec 3>frames
    cat wanted.y4m >&3
    tries=0
    until [ "$(cat .kostka-*.part 2>/dev/null | wc -c)" -ge $(($(wc -c <c.mjpeg) + 16984)) ] || [ $tries -ge 3000 ]; do
        tries=$((tries + 1))
        sleep 0.01
    done
}
start killed.avi
kill -KILL $pid
wait $pid 2>/dev/null
exec 3>&-
expect 0 "$KOSTKA" encode p.ppm other.jpg # which removes what others have left
expect 0 "$KOSTKA" video .kostka-*.part b.mjpeg
same b.mjpeg c.mjpeg
host=$(echo .kostka-*.part | sed 's/^\.kostka-\([0-9a-f]*\)-.*/\1/')
rm .kostka-*.part
# So does what was written before no more could be.
(
    ulimit -f 40
    # shellcheck disable=SC2002 # a pipe is wanted
    cat wanted.y4m | "$KOSTKA" video - full.avi -q 80 2>err
    equals $? 1 'a file that is full'
    exit "$failures"
) || fail 'a file that is full'
says 'cannot write full.avi: File too large; .kostka-'
says 'has the frames up to there'
[ ! -e full.avi ] || fail 'a file that is full has its name'
expect 0 "$KOSTKA" video .kostka-*.part b.mjpeg
[ "$(wc -c <b.mjpeg)" -gt 500 ] || fail 'no frame is kept'
head -c "$(wc -c <b.mjpeg)" c.mjpeg >a.mjpeg
same a.mjpeg b.mjpeg
rm .kostka-*.part
# What has been kept is not replaced by another process of the same number, which it may have in a container.
(
    ulimit -f 40
    # shellcheck disable=SC2002,SC2016 # a pipe is wanted, and the number of the process that it ends in
    cat wanted.y4m | sh -c 'echo kept >".kostka-$1-$$-0.part" && exec "$2" video - full.avi -q 80' sh "$host" "$KOSTKA" 2>err
    equals $? 1 'a file that is full again'
    exit "$failures"
) || fail 'a file that is full again'
equals "$(cat .kostka-"$host"-*[0-9]-0.part)" kept 'what was kept before'
expect 0 "$KOSTKA" video .kostka-"$host"-*-0-1.part b.mjpeg
same a.mjpeg b.mjpeg
rm .kostka-*.part
# So does what came before the frames ended in the middle of one, before damage with --strict, and before the output's name was lost.
# kept COUNT: so many frames of c.mjpeg are in the only file that was kept, and nothing else is left
kept() {
    says 'has the frames up to there'
    expect 0 "$KOSTKA" video .kostka-*.part b.mjpeg
    ends=$(LC_ALL=C grep -obUaP '\xff\xd9' c.mjpeg | sed -n "$1s/:.*//p")
    head -c $((ends + 2)) c.mjpeg >a.mjpeg
    same b.mjpeg a.mjpeg
    rm .kostka-*.part
    [ -z "$(ls .kostka-* 2>/dev/null)" ] || fail "$(ls .kostka-*) is left"
}
head -c $(($(wc -c <wanted.y4m) - 10)) wanted.y4m >short.y4m
for name in torn.avi torn.mjpeg torn.multipart; do
    # shellcheck disable=SC2002 # a pipe is wanted
    cat short.y4m | "$KOSTKA" video - $name -q 80 2>err && fail "$name from half a frame"
    says 'byte .*: the frame has [0-9]* bytes instead of [0-9]*; '
    [ ! -e $name ] || fail "$name has its name"
    kept 5
done
# shellcheck disable=SC2002 # a pipe is wanted
cat short.y4m | "$KOSTKA" video - torn.y4m 2>err && fail 'Y4M from half a frame'
says 'has the frames up to there'
cat .kostka-*.part >b.y4m
head -c "$(wc -c <b.y4m)" wanted.y4m >a.y4m # frames this small are gathered
same b.y4m a.y4m
equals "$(wc -c <a.y4m)" $(($(wc -c <wanted.y4m) - ($(wc -c <wanted.y4m) - $(head -n 1 wanted.y4m | wc -c)) / 6)) 'length'
rm .kostka-*.part
{ cat c.mjpeg && LC_ALL=C sed 's/\xff\xc0/\xff\xc3/' p4.jpg; } | "$KOSTKA" video --strict - torn.y4m 2>err && fail 'damage with --strict'
says 'frame 6, byte '
says 'has the frames up to there'
expect 0 "$KOSTKA" video .kostka-*.part a.y4m
expect 0 "$KOSTKA" video c.mjpeg b.y4m
same a.y4m b.y4m
rm .kostka-*.part
start folder.avi
mkdir folder.avi
exec 3>&-
wait $pid
equals $? 1 'exit status where the output became a folder'
says 'cannot write folder.avi: '
kept 6
rmdir folder.avi
# A signal that ends it at once leaves what was written, too, and nothing if there is no frame yet.
for signal in HUP PIPE; do
    (
        start "$signal.avi"
        kill -$signal $pid
        wait $pid
        exec 3>&-
    ) 2>/dev/null
    expect 0 "$KOSTKA" video .kostka-*.part b.mjpeg
    same b.mjpeg c.mjpeg
    rm .kostka-*.part
done
"$KOSTKA" video frames none.avi -q 80 2>err &
pid=$!
exec 3>frames
head -c 5000 wanted.y4m >&3
tries=0
until [ -n "$(ls .kostka-*.tmp 2>/dev/null)" ] || [ $tries -ge 3000 ]; do
    tries=$((tries + 1))
    sleep 0.01
done
[ -n "$(ls .kostka-*.tmp 2>/dev/null)" ] || fail "an output without a frame is not temporary"
kill -HUP $pid
wait $pid 2>/dev/null
exec 3>&-
[ -z "$(ls .kostka-* 2>/dev/null)" ] || fail "$(ls .kostka-*) is left, without a frame"
# A signal ends it in order: a stream has no other end.
start ended.avi
kill -TERM $pid
wait $pid
equals $? 4 'exit status after SIGTERM'
exec 3>&-
says 'interrupted after 6 frames'
expect 0 "$KOSTKA" video ended.avi b.mjpeg
same b.mjpeg c.mjpeg

# Hostile containers: what is wrong, and where.
refused() {
    expect 1 "$KOSTKA" video "$1" x.y4m
    says "$2"
}
: >empty && refused empty 'an empty file'
echo text >text.avi && refused text.avi 'byte 0: '
printf 'YUV4MPEG2 W99999999 H99999999 F25:1\nFRAME\n' >huge.y4m && refused huge.y4m 'more than the limit'
printf 'YUV4MPEG2 W8 H8 F25:1 C420alpha\nFRAME\n' >odd.y4m && refused odd.y4m "byte 22: the tag 'C420alpha'"
printf 'YUV4MPEG2 W8 H8 F25:1\nFRAMES\n12' >short.y4m && refused short.y4m 'byte 22: the frame has 2 bytes instead of 96'
expect 1 "$KOSTKA" video --in-format y4m text.avi x.y4m
says 'byte 0: no YUV4MPEG2 is here'
printf 'YUV4MPEG2 W0 H8 F25:1\nFRAME\n' >none.y4m && refused none.y4m 'no pixels'
head -c 5000 /dev/zero | tr '\0' W >long.y4m && sed -i '1s/^/YUV4MPEG2 /' long.y4m && refused long.y4m 'no line of tags'
head -c 300 back.avi >cut.avi && refused cut.avi 'ends in front of its frames'
LC_ALL=C sed s/MJ2C/XVID/g back.avi >xvid.avi && refused xvid.avi "coded as 'XVID'"
finish
