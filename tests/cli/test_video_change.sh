#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Frames that are resized and filtered on their way become what single pictures become, and planes become pictures.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

: >a.mjpeg
for i in 1 2 3; do
    picture 73 51 $((i * 40)) >p$i.ppm
    expect 0 "$KOSTKA" encode p$i.ppm p$i.jpg -q 90 --rgb
    expect 0 "$KOSTKA" filter grey p$i.ppm g$i.pgm
    cat p$i.jpg >>a.mjpeg
done
# Pictures of RGB, and of grey.
expect 0 "$KOSTKA" video a.mjpeg 'f%d.png' --filters sharpen=0.5,canny=40:120
expect 0 "$KOSTKA" video a.mjpeg 'r%d.png' --resize 40x30 --fit cover --filter lanczos
expect 0 "$KOSTKA" video 'g%d.pgm' 'h%d.png' --resize 31
for i in 1 2 3; do
    expect 0 "$KOSTKA" filter sharpen=0.5,canny=40:120 p$i.jpg one.png
    same f$i.png one.png
    expect 0 "$KOSTKA" convert p$i.jpg one.png --resize 40x30 --fit cover --filter lanczos
    identical r$i.png one.png
    expect 0 "$KOSTKA" convert g$i.pgm one.png --resize 31
    identical h$i.png one.png
done
# Planes keep their sampling, and each is resized like a picture of grey; threads change nothing.
for i in 1 2 3; do
    expect 0 "$KOSTKA" encode p$i.ppm q$i.jpg -q 90
    cat q$i.jpg
done >b.mjpeg
expect 0 "$KOSTKA" video b.mjpeg b.y4m
expect 0 "$KOSTKA" video b.mjpeg one.y4m --resize 40x30
expect 0 "$KOSTKA" video b.y4m two.y4m --resize 40x30 --threads 1
tail -n +2 one.y4m >one && tail -n +2 two.y4m >two
same one two
equals "$(head -n 1 one.y4m)" 'YUV4MPEG2 W40 H30 F25:1 Ip A0:0 C420jpeg XCOLORRANGE=FULL'
# luma FILE BYTES: that of the first frame
luma() {
    tail -c +$(($(head -n 2 "$1" | wc -c) + 1)) "$1" | head -c "$2"
}
{ printf 'P5\n73 51\n255\n' && luma b.y4m 3723; } >y.pgm
expect 0 "$KOSTKA" convert y.pgm small.pgm --resize 40x30
tail -c 1200 small.pgm >luma
luma one.y4m 1200 >first
same first luma
expect 0 "$KOSTKA" video b.y4m out.avi --resize 40x30 --codec ht --lossless
expect 0 "$KOSTKA" video out.avi three.y4m
tail -n +2 three.y4m >three
same three one
expect 0 "$KOSTKA" video b.y4m - --resize 40x30 --latency --out-format y4m
tail -n +2 out >four
same four one
# Coded frames and their pixels become the same: through a flow, one by one, and with any number of threads.
expect 0 "$KOSTKA" video b.mjpeg coded.avi --resize 40x30 --codec ht --lossless
same coded.avi out.avi
for chain in sharpen=0.5 gaussian=1.4,canny=50:150; do
    expect 0 "$KOSTKA" video b.y4m pixels.mjpeg --resize 50 --filters $chain --threads 1
    expect 0 "$KOSTKA" video b.mjpeg coded.mjpeg --resize 50 --filters $chain --threads 3
    same coded.mjpeg pixels.mjpeg
    expect 0 "$KOSTKA" video b.mjpeg coded.mjpeg --resize 50 --filters $chain --latency
    same coded.mjpeg pixels.mjpeg
    expect 0 "$KOSTKA" video b.mjpeg coded.y4m --resize 50 --filters $chain
    expect 0 "$KOSTKA" video b.y4m pixels.y4m --resize 50 --filters $chain
    tail -n +2 coded.y4m >one && tail -n +2 pixels.y4m >two
    same one two
    expect 0 "$KOSTKA" video b.mjpeg coded.y4m --resize 50 --filters $chain --latency
    tail -n +2 coded.y4m >one
    same one two
done

# RGB becomes planes, of any depth: what is inverted twice is what it was, and the chroma of grey is in the middle.
expect 0 "$KOSTKA" video 'p%d.ppm' plain.y4m
expect 0 "$KOSTKA" video 'p%d.ppm' twice.y4m --filters invert,invert
same twice.y4m plain.y4m
expect 0 "$KOSTKA" video 'g%d.pgm' deep.y4m --filters rgb,depth=16
equals "$(tail -c 14892 deep.y4m | od -An -v -tx1 -w2 | sort -u)" ' 00 80'

# Planes of Y4M become pictures of RGB: those of 4:4:4 and the full range as JPEG's own are decoded, limited ones stretched.
expect 0 "$KOSTKA" encode p1.ppm full.jpg -q 100 --subsampling 444
expect 0 "$KOSTKA" video full.jpg full.y4m --in-format mjpeg
expect 0 "$KOSTKA" video full.y4m 'full%d.png'
expect 0 "$KOSTKA" decode full.jpg wanted.png
"$KOSTKA" compare full1.png wanted.png >out
sed -n 's/.*maximum error \([0-9]*\).*/\1/p; s/^identical.*/0/p' out >error
[ "$(cat error)" -le 1 ] || fail "other colours: $(cat out)"
{ printf 'YUV4MPEG2 W2 H1 F25:1 C444\nFRAME\n' && printf '\020\353\200\200\200\200'; } >limited.y4m
expect 0 "$KOSTKA" video limited.y4m 'l%d.ppm'
equals "$(tail -c 6 l1.ppm | od -An -tu1 | tr -s ' ')" ' 0 0 0 255 255 255'

# A damaged frame repeats the one before, or ends the work.
{ cat q1.jpg && LC_ALL=C sed 's/\xff\xc0/\xff\xc3/' q2.jpg && cat q3.jpg; } >damaged.mjpeg
expect 0 "$KOSTKA" video damaged.mjpeg d.y4m --resize 40x30
says '1 of 3 frames are damaged, and repeat the one before; the first: frame 1, byte [0-9]*: '
equals "$(wc -c <d.y4m)" "$(wc -c <one.y4m)"
expect 1 "$KOSTKA" video damaged.mjpeg d.y4m --resize 40x30 --strict
# So does one of another size or sampling. What is repeated is coded as the frame before it.
expect 0 "$KOSTKA" convert p2.ppm s2.jpg --resize 40x30
expect 0 "$KOSTKA" encode p2.ppm t2.jpg --subsampling 444
for middle in s2 t2; do
    cat q1.jpg $middle.jpg q3.jpg >damaged.mjpeg
    for options in '' --latency; do
        expect 0 "$KOSTKA" video damaged.mjpeg 'd%d.jpg' --resize 50 --filters sharpen ${options:+"$options"}
        says '1 of 3 frames are damaged, and repeat the one before; the first: frame 1, byte [0-9]*: '
        expect 0 "$KOSTKA" video b.mjpeg 'e%d.jpg' --resize 50 --filters sharpen
        same d1.jpg e1.jpg
        same d2.jpg e1.jpg
        same d3.jpg e3.jpg
        expect 1 "$KOSTKA" video damaged.mjpeg d.avi --filters sharpen --strict ${options:+"$options"}
    done
done
# So it is where frames are only coded again.
cat q1.jpg s2.jpg q3.jpg >damaged.mjpeg
for options in '' --latency; do
    expect 0 "$KOSTKA" video damaged.mjpeg 'd%d.jpg' -q 80 ${options:+"$options"}
    says '1 of 3 frames are damaged, and repeat the one before; the first: frame 1, byte [0-9]*: 40 × 30 pixels instead of 73 × 51'
    same d1.jpg d2.jpg
    expect 1 "$KOSTKA" video damaged.mjpeg d.avi -q 80 --strict ${options:+"$options"}
done
# A frame that breaks off is filtered as far as it goes, and counted.
{ cat q1.jpg && head -c $(($(wc -c <q2.jpg) - 300)) q2.jpg && cat q3.jpg; } >short.mjpeg
for options in '' --latency; do
    expect 0 "$KOSTKA" video short.mjpeg d.mjpeg --filters sharpen ${options:+"$options"}
    says '1 of 3 frames are decoded in spite of errors; the first: frame 1'
done
# What keeps changed frames from being encoded is none of their damage.
for options in '' --latency; do
    expect 1 "$KOSTKA" video b.mjpeg d.mjpeg --resize 70000x2 ${options:+"$options"}
    says 'b.mjpeg: frame 0, .*a side is longer than 65,535 samples'
done
expect 0 "$KOSTKA" video b.mjpeg deep.avi --filters depth=16 --codec jpeg2000 --lossless
expect 2 "$KOSTKA" video deep.avi d.mjpeg --filters invert
says 'JPEG has 8 bits'
# A first frame whose header is right, but whose transform of colours has components of two sizes, becomes the second one.
for i in 1 2 3; do expect 0 "$KOSTKA" encode p$i.ppm n$i.j2c; done
printf '\176' | dd of=n1.j2c bs=1 seek=47 conv=notrunc status=none
expect 0 "$KOSTKA" video 'n%d.j2c' n.y4m --resize 40x30
says '1 of 3 frames are damaged, and repeat the one before; the first: frame 0, byte 0: a component transform'
expect 1 "$KOSTKA" video 'n%d.j2c' d.y4m --resize 40x30 --strict
cp n1.j2c m1.j2c
expect 1 "$KOSTKA" video 'm%d.j2c' d.y4m --resize 40x30
says 'no frame could be decoded; frame 0, byte 0: a component transform'
cp n2.j2c n1.j2c
expect 0 "$KOSTKA" video 'n%d.j2c' d.y4m --resize 40x30
same n.y4m d.y4m
# Frames have at most their bits, with the greatest quality that keeps to them.
expect 0 "$KOSTKA" video b.y4m 'bits%d.jpg' --bits-per-frame 16k
for i in 1 2 3; do
    quality=$("$KOSTKA" info bits$i.jpg | sed -n 's/.*quality  *\([0-9]*\).*/\1/p')
    between "$(wc -c <bits$i.jpg)" 1000 2000 'bytes of a frame'
    expect 0 "$KOSTKA" decode q$i.jpg frame.yuv
    expect 0 "$KOSTKA" video frame.yuv next.mjpeg -q $((quality + 1)) --size 73x51 --format yuv420p
    [ "$(wc -c <next.mjpeg)" -gt 2000 ] || fail "frame $i could have quality $((quality + 1))"
done
expect 0 "$KOSTKA" video b.y4m out.avi --bits-per-frame 100
says '3 frames have more bits than they may'
# A frame that cannot be encoded ends the search, too.
{ printf 'YUV4MPEG2 W70000 H2 F25:1 C420jpeg\nFRAME\n' && head -c 210000 /dev/zero; } >wide.y4m
expect 1 "$KOSTKA" video wide.y4m wide.mjpeg --bits-per-frame 16k
says 'frame 0, .*a side is longer than 65,535 samples'
[ ! -e wide.mjpeg ] || fail 'a frame that cannot be encoded is written'
# No row of frames has more than the bits of its time and of one second; on the whole the rate is reached.
{ head -n 1 b.y4m && for i in $(seq 20); do tail -n +2 b.y4m; done; } >long.y4m
# keeps_rate EXTENSION PART: of rate1 to rate60, at 300 kbit and 25 frames a second, of which so large a part is reached
keeps_rate() {
    for i in $(seq 60); do wc -c <"rate$i.$1"; done | awk -v part="$2" '
        { bits[NR] = 8 * $1; total += 8 * $1 }
        END {
            for (i = 1; i <= NR; i++) {
                sum = 0
                for (k = i; k <= NR; k++) {
                    sum += bits[k]
                    over = over || sum > 300000 * (k - i + 1) / 25 + 300000
                }
            }
            exit over || total < 300000 * NR / 25 * part
        }' || fail "the rate of $1 is not kept, or not reached"
}
expect 0 "$KOSTKA" video long.y4m 'rate%d.jpg' --bitrate 300k --fps 25
keeps_rate jpg 0.9
expect 0 "$KOSTKA" video long.y4m 'rate%d.jpg' --bitrate 300k --fps 25 -q 20
expect 0 "$KOSTKA" video b.y4m 'plain%d.jpg' -q 20
for i in 1 2 3; do same rate$i.jpg plain$i.jpg; done
expect 0 "$KOSTKA" video long.y4m rate.avi --codec jpeg2000 --bitrate 300k
expect 0 "$KOSTKA" video rate.avi 'rate%d.j2k'
for i in 1 30 60; do between "$(wc -c <rate$i.j2k)" 1300 1500 'bytes of a frame'; done
expect 2 "$KOSTKA" video b.y4m out.avi --bitrate 40m
says 'takes a number of bits'
expect 2 "$KOSTKA" video b.y4m out.avi --bitrate 40k --ratio 8 --codec jpeg2000
says 'each says how many bits there are'
# So few bits that headers alone take more: all frames are there, and the rate is not kept.
expect 0 "$KOSTKA" video b.y4m out.avi --codec jpeg2000 --lossless --bitrate 100
says '3 frames have more bits than they may'
# JPEG 2000 has the quality that is asked for as long as the bucket has room: one frame of noise takes more than its share,
# many do not.
shade() {
    head -c 5647 /dev/zero | tr '\0' "$1"
}
{
    head -n 1 b.y4m
    for i in $(seq 20); do echo FRAME && shade "\\$((100 + i))"; done
    for i in $(seq 40); do echo FRAME && head -c 5647 /dev/urandom; done
} >mixed.y4m
for options in '' --latency; do
    expect 0 "$KOSTKA" video mixed.y4m 'rate%d.j2c' --lossless --bitrate 300k --fps 25 ${options:+"$options"}
    says '40 frames have less than the quality asked for'
    keeps_rate j2c 0.6
    [ "$(wc -c <rate21.j2c)" -gt 2000 ] || fail 'the first frame of noise gets nothing that others have left'
    expect 0 "$KOSTKA" video 'rate%d.j2c' kept.yuv
    head -c $((20 * 5647)) kept.yuv >kept
    for i in $(seq 20); do shade "\\$((100 + i))"; done >wanted
    same kept wanted
done
expect 2 "$KOSTKA" video a.mjpeg out.y4m --bitrate 40k
# Sequences for digital cinema and IMF keep the rules of their profile; other frames end the work, with the rule.
{ printf 'YUV4MPEG2 W64 H32 F24:1 C444p12\n' && for i in 1 2; do echo FRAME && head -c 12288 /dev/zero | tr '\0' "\00$i"; done; } >xyz.y4m
for profile in cinema2k imf2k:2,1; do
    expect 0 "$KOSTKA" video xyz.y4m 'dcp%d.j2c' --profile $profile
    for i in 1 2; do
        expect 0 "$KOSTKA" info dcp$i.j2c
        prints 'profile .*, kept'
    done
done
expect 1 "$KOSTKA" video b.y4m 'dcp%d.j2c' --profile cinema2k
says 'frame 0, .*samples have 12 to 12 bits'
# The tool refuses what it cannot do.
expect 2 "$KOSTKA" video b.y4m out.y4m --filters nosuch
says "there is no filter 'nosuch'"
expect 2 "$KOSTKA" video b.y4m out.y4m --filters crop=900x900:0:0
expect 2 "$KOSTKA" video b.y4m out.y4m --resize 40 --draft
sed '1s/Ip/It/' b.y4m >fields.y4m
expect 2 "$KOSTKA" video fields.y4m out.y4m --resize 40
says 'would mix the fields'
finish
