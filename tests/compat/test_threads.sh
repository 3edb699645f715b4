#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ThreadSanitizer watches the libraries in the place of others: below programs as they are installed, whose outputs are those
# with their own libraries, and below a program whose threads use them side by side. It does find a race in what they write.
# Without a sanitizer only that program runs.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
# calls: threads of a program, which checks that all get the same
calls() {
    for threads in 1 2; do
        LD_LIBRARY_PATH=$COMPAT KOSTKA_THREADS=$threads expect 0 "$CALLS" "$@"
    done
}
if [ -z "$TSAN" ]; then
    picture 300 200 >small.ppm
    expect 0 "$KOSTKA" encode small.ppm small.jpg
    calls small.jpg
    finish
fi
[ -e "$TSAN" ] || lacks "runtime of ThreadSanitizer that programs can be started with"
for program in djpeg cjpeg opj_compress opj_decompress; do
    command -v $program >/dev/null || lacks $program
done
photograph=/usr/share/backgrounds/mate/nature/Wood.jpg # large enough for several threads
[ -e $photograph ] || lacks "$photograph (mate-backgrounds)"
unset LD_LIBRARY_PATH LD_PRELOAD TSAN_OPTIONS
KOSTKA_CPU=sse2 # since ThreadSanitizer passes over loads and stores of more than 16 bytes
export KOSTKA_CPU

# watched COMMAND…: with the libraries in place; ThreadSanitizer ends with 66 if it has something to report.
watched() {
    for threads in 1 2; do
        expect 0 env KOSTKA_THREADS=$threads LD_PRELOAD="$TSAN" LD_LIBRARY_PATH="$COMPAT" "$@"
    done
}

# both OUT COMMAND…: the file is the same with the original's libraries.
both() {
    output=$1
    shift
    "$@" >log 2>&1 || fail "$*: $(cat log)"
    mv "$output" theirs
    watched "$@"
    cmp theirs "$output" || fail "other bytes: $*"
}
djpeg -scale 1/8 -outfile small.ppm $photograph
djpeg -scale 1/2 -outfile half.ppm $photograph
cjpeg -quality 85 -outfile half.jpg half.ppm
cjpeg -quality 85 -progressive -outfile progressive.jpg half.ppm
cjpeg -quality 85 -outfile small.jpg small.ppm
both out.ppm djpeg -outfile out.ppm $photograph
both out.ppm djpeg -outfile out.ppm progressive.jpg
both out.jpg cjpeg -outfile out.jpg half.ppm
both out.jpg cjpeg -progressive -outfile out.jpg half.ppm
opj_compress -i small.ppm -o theirs.jp2 -t 64,64 >log 2>&1
both out.ppm opj_decompress -i theirs.jp2 -o out.ppm
both out.ppm opj_decompress -i theirs.jp2 -o out.ppm -threads 2
both out.ppm opj_decompress -i theirs.jp2 -o out.ppm -d 50,30,150,100
watched opj_compress -i small.ppm -o ours.jp2 -threads 2
opj_decompress -i ours.jp2 -o back.ppm >log 2>&1
cmp_pixels() {
    tail -c "$(wc -c <"$1" | awk '{ print $1 - 64 }')" "$1" | cksum
}
opj_decompress -i theirs.jp2 -o forth.ppm >log 2>&1
[ "$(cmp_pixels back.ppm)" = "$(cmp_pixels forth.ppm)" ] || fail 'opj_compress: other pixels'
watched opj_compress -i small.ppm -o ours.jp2 -r 20 -I -t 64,64 -threads 2

calls small.jpg
LD_LIBRARY_PATH=$COMPAT expect 66 "$CALLS" small.jpg race
says 'data race'
finish
