#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# opj_compress and opj_decompress, as they are installed, decode to the same samples with Kostka's libopenjp2.so.7 as with
# OpenJPEG's, and encode as well; the library has the same functions.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
if ! command -v opj_compress >/dev/null || ! command -v opj_decompress >/dev/null; then
    echo 'opj_compress and opj_decompress are not installed'
    exit 77
fi
kostka_run() {
    "$KOSTKA" run "$@" >log 2>&1 || fail "kostka run $*: $(cat log)"
}
picture 150 90 >a.ppm

# both OPTIONS…: decode with both libraries to the same samples.
both() {
    rm -rf theirs ours
    mkdir theirs ours
    opj_decompress -o theirs/out.pgx "$@" >log 2>&1 || fail "opj_decompress $*: $(cat log)"
    kostka_run opj_decompress -o ours/out.pgx "$@"
    diff -r theirs ours || fail "other samples: $*"
}

# coded OPTIONS…: code without loss with each of the libraries, and decode with both.
coded() {
    opj_compress -i a.ppm -o theirs.jp2 "$@" >log 2>&1 || fail "opj_compress $*: $(cat log)"
    kostka_run opj_compress -i a.ppm -o ours.jp2 "$@"
    both -i theirs.jp2
    both -i ours.jp2 -r 1
    opj_decompress -i ours.jp2 -o back.ppm >log 2>&1
    "$KOSTKA" compare back.ppm a.ppm >log || fail "coded with loss: $*: $(cat log)"
}
coded
coded -t 64,50 -d 7,3 -T 2,1
coded -p RPCL -c '[64,64],[32,32]' -SOP -EPH -b 32,16 -n 4
coded -r 20,5,1 -M 41 -PLT -TLM -C 'a comment'
both -i theirs.jp2 -l 1
both -i theirs.jp2 -d 10,20,90,71 -r 2
both -i theirs.jp2 -threads 2
coded -t 64,64 -mct 0
both -i theirs.jp2 -t 3
both -i theirs.jp2 -c 1

# A rate is kept, which OpenJPEG falls short of, and the picture no worse than OpenJPEG's by more than 0.2 dB.
psnr() {
    "$KOSTKA" compare a.ppm "$1" | sed -n 's/.*PSNR \([0-9.]*\).*/\1/p'
}
for options in '-r 10' '-r 10 -I' '-q 35'; do
    # shellcheck disable=SC2086 # words
    opj_compress -i a.ppm -o theirs.jp2 $options >log 2>&1
    # shellcheck disable=SC2086 # words
    kostka_run opj_compress -i a.ppm -o ours.jp2 $options
    opj_decompress -i theirs.jp2 -o theirs.ppm >log 2>&1
    opj_decompress -i ours.jp2 -o ours.ppm >log 2>&1
    echo "$(psnr theirs.ppm) $(psnr ours.ppm) $(wc -c <theirs.jp2) $(wc -c <ours.jp2)" |
        awk '{ exit !($2 > $1 - 0.2 && $4 < $3 * 1.13) }' || fail "$options: $(psnr theirs.ppm) $(psnr ours.ppm) $(wc -c <theirs.jp2) $(wc -c <ours.jp2)"
done

# The tool refuses what it cannot do.
for options in '-ROI c=0,U=3' '-jpip' '-cinema2K 24'; do
    # shellcheck disable=SC2086 # words
    "$KOSTKA" run opj_compress -i a.ppm -o new.jp2 $options >log 2>&1 && fail "$options is done"
    grep -q ERROR log || fail "no message about $options"
done
expect 1 "$KOSTKA" run ./missing
says missing

# The functions are those of the system's library.
names() {
    nm -D --defined-only "$1" | sed -n 's/.* T //p' | sort
}
theirs=$(ldd "$(command -v opj_compress)" | sed -n 's/.*libopenjp2.so.7 => \([^ ]*\).*/\1/p')
names "$theirs" >theirs.names
names "$OPENJP2" >ours.names
diff theirs.names ours.names || fail 'the libraries have other functions'
finish
