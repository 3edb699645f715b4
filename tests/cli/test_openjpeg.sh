#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The command lines of OpenJPEG's programs, against those programs where they are installed.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

ln -s "$KOSTKA" opj_compress
ln -s "$KOSTKA" opj_decompress
theirs=$(command -v opj_compress || true)

ours() { # PROGRAM ARGUMENT...: by the program's name
    name=$1
    shift
    "./$name" "$@" >out 2>err || fail "$name $*: $(cat err)"
}

refused() { # PATTERN PROGRAM ARGUMENT...
    pattern=$1
    shift
    if "$KOSTKA" "$@" >out 2>err; then fail "$* was not refused"; fi
    grep -q -e "$pattern" err || fail "$*: $(cat err), not $pattern"
}

picture 161 127 >a.ppm

# Every option of encoding that is passed on, and what it makes.
ours opj_compress -i a.ppm -o a.jp2
identical a.jp2 a.ppm
ours opj_compress -i a.ppm -o b.j2k -r 20,10,1 -n 4 -b 32,16 -t 100,90 -p RPCL -SOP -E -PLT -TLM -TP R -M 5 \
    -c '[128,128],[64,64]' -mct 0 -GuardBits 3 -C words -threads 1
identical b.j2k a.ppm
"$KOSTKA" info --json b.j2k >told
for want in layers:3 levels:3 tiles:4 progression:RPCL; do
    equals "$(json 0 "${want%:*}" <told)" "${want#*:}"
done
ours opj_compress -i a.ppm -o c.jp2 -r 12 -I
[ "$(wc -c <c.jp2)" -le $((161 * 127 * 3 / 12 + 1)) ] || fail 'the ratio was not reached'
equals "$("$KOSTKA" info --json c.jp2 | json 0 reversible)" false
ours opj_compress -i a.ppm -o d.jp2 -q 30,0
identical d.jp2 a.ppm
{
    printf 'P5 50 50 255\n'
    head -c 2500 a.jp2
} >noise.pgm # which has no ratio above 1
for options in '-r 1' '-r 1.0' '-r 3,1.00'; do
    # shellcheck disable=SC2086 # several words
    ours opj_compress -i noise.pgm -o noise.jp2 $options -threads 0
    identical noise.jp2 noise.pgm
done
head -c $((64 * 54 * 6)) /dev/zero >cinema.raw
ours opj_compress -i cinema.raw -F 64,54,3,12,u -o cinema.j2k -cinema2K 24 -r 20
"$KOSTKA" decode a.jp2 a.raw --raw-layout planes --endian big || fail 'no planes'
ours opj_compress -i a.raw -F 161,127,3,8,u -o e.jp2
identical e.jp2 a.ppm

# Decoding, also through a FIFO and to standard output by a link, as servers read it.
ours opj_decompress -i a.jp2 -o a.png -threads ALL_CPUS -quiet
identical a.png a.ppm
ours opj_decompress -i a.jp2 -o cut.png -r 1 -d 20,31,101,5000
"$KOSTKA" decode a.jp2 expected.png --reduce 1 --region 41x48+10+16 || fail 'no region'
identical cut.png expected.png
mkfifo pipe.bmp
cat pipe.bmp >read.bmp &
ours opj_decompress -i a.jp2 -o pipe.bmp
wait
identical read.bmp a.ppm
ln -s /dev/stdout stdout.bmp
./opj_decompress -i a.jp2 -o stdout.bmp 2>err | cmp - read.bmp || fail 'nothing on standard output'
ours opj_decompress -i a.jp2 -o a.pgx -c 1
[ -e a.pgx ] || [ -e a-0.pgx ] || fail 'no component'
ours opj_decompress -i a.jp2 -o a.rawl -l 0
mkdir folder
cp a.ppm folder/one.ppm
echo words >folder/notes.txt
ours opj_compress -ImgDir folder -OutFor J2K -r 30
ours opj_compress -ImgDir folder -OutFor J2K # not from the file that the first call made
identical folder/one.j2k a.ppm
rm folder/one.ppm
ours opj_decompress -ImgDir folder -OutFor PPM
identical folder/one.ppm a.ppm

# A picture that is cut off is an error unless it is allowed to be.
head -c $(($(wc -c <a.jp2) * 2 / 3)) a.jp2 >short.jp2
refused 'ends early' opj_decompress -i short.jp2 -o short.png
[ ! -e short.png ] || fail 'a damaged picture was written'
ours opj_decompress -i short.jp2 -o short.png -allow-partial

# What cannot be honoured is refused.
refused "unknown option '-y'" opj_compress -i a.ppm -o x.jp2 -y
refused "unknown option '-P'" opj_compress -i a.ppm -o x.jp2 -P 1
refused 'has no value' opj_compress -i a.ppm -o
refused 'takes 1,1 alone' opj_compress -i a.ppm -o x.jp2 -s 2,2
refused 'takes 0,0 alone' opj_compress -i a.ppm -o x.jp2 -T 4,4
refused 'no name for JPEG 2000' opj_compress -i a.ppm -o x.jpg
refused 'no index' opj_compress -i a.ppm -o x.jp2 -jpip
refused 'width,height' opj_compress -i a.ppm -o x.jp2 -t 64x64
refused 'width,height' opj_compress -i a.ppm -o x.jp2 -c 64,64
refused 'no more precincts' opj_compress -i a.ppm -o x.jp2 -n 1 -c '[64,64],[32,32]'
refused 'width,height,components' opj_compress -i a.raw -o x.jp2 -F 161,127,3,8
mkdir empty
refused 'no file in this folder' opj_compress -ImgDir empty -OutFor J2K
refused 'No such file' opj_decompress -ImgDir none -OutFor PNG
refused '-F goes with' opj_compress -ImgDir folder -OutFor J2K -F 161,127,3,8,u
refused 'such an input with -F' opj_compress -i a.raw -o x.jp2
refused 'name -i and -o' opj_decompress -i a.jp2
refused 'name -i and -o' opj_decompress -o a.ppm
refused 'no pixel' opj_decompress -i a.jp2 -o x.png -d 900,900,950,950
refused 'x0,y0,x1,y1' opj_decompress -i a.jp2 -o x.png -d 1,2,3
refused 'read twice' opj_decompress -i /dev/null -o x.png -d 1,2,30,40
refused '0 alone' opj_decompress -i a.jp2 -o x.png -p 8
refused 'no format' opj_decompress -i a.jp2 -o x.tga
code=0
./opj_decompress -i missing.jp2 -o x.png -d 1,2,30,40 2>err || code=$?
equals $code 1
for program in opj_compress opj_decompress; do
    ./$program -h | grep -q "^Usage: $program" || fail "no help of $program"
done

# OpenJPEG's own pixels, with an origin that is not the grid's.
if [ -n "$theirs" ] && [ "$theirs" != ./opj_compress ]; then
    opj_compress -i a.ppm -o grid.jp2 -d 37,21 -t 60,60 -r 9,3,1 >out 2>&1 || fail "$(cat out)"
    for options in '' '-r 2' '-d 50,60,151,107' '-r 3 -d 50,60,151,107' '-l 1' '-t 3' '-d 0,0,90,80' '-d 150,100,900,900'; do
        # shellcheck disable=SC2086 # several words
        opj_decompress -i grid.jp2 -o theirs.ppm $options >out 2>&1 || fail "$(cat out)"
        # shellcheck disable=SC2086
        ours opj_decompress -i grid.jp2 -o ours.ppm $options
        identical ours.ppm theirs.ppm
    done
fi
finish
