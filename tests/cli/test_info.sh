#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# info, compare, devices and bench: for people and as JSON.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 50 40 >a.ppm
"$KOSTKA" encode a.ppm a.jpg -q 83 --subsampling 422 --restart 3 --comment 'a "remark"' || fail 'cannot encode'
expect 0 "$KOSTKA" info a.jpg
prints 'a.jpg: JPEG, 50x40, YCbCr 4:2:2, 8 bits'
prints 'baseline, 1 scan, MCU 16x8, restart every 3 MCUs'
prints 'quality *83'
prints 'comment *a "remark"'
expect 0 "$KOSTKA" info --json a.jpg
for pair in format=jpeg width=50 height=40 process=baseline colour=YCbCr sampling=4:2:2 scans=1 restart_interval=3 \
    quality=83 orientation=1 jfif=true adobe=false mcu_width=16 mcu_height=8; do
    equals "$(json 0 "${pair%%=*}" <out)" "${pair#*=}" "${pair%%=*}"
done
equals "$(json 0 bytes <out)" "$(($(wc -c <a.jpg)))"
equals "$(json 0 metadata 0 text <out)" 'a "remark"'
equals "$(json 0 components 1 h <out)" 1
equals "$(json 0 components 0 width <out)" 50

# A comment must not steer the terminal, and one that is not text must not break the JSON.
printf 'P5 1 1 255\nx' >one.pgm
"$KOSTKA" encode one.pgm evil.jpg --comment "$(printf 'x\033[31mred\007')" || fail 'cannot encode'
expect 0 "$KOSTKA" info evil.jpg
tr -d '\n -~' <out | grep -q . && fail 'control characters of a comment were printed'
expect 0 "$KOSTKA" info --json evil.jpg
tr -d '\n -~' <out | grep -q . && fail 'control characters of a comment were printed in JSON'
equals "$(json 0 metadata 0 text <out)" "$(printf 'x\033[31mred\007')" 'a comment with control characters'
remark=$(printf 'tab\there, \\ and "quotes", \303\251, \302\237, \342\200\256, \001')
"$KOSTKA" encode one.pgm remark.jpg --comment "$remark" || fail 'cannot encode'
expect 0 "$KOSTKA" info --json remark.jpg
equals "$(json 0 metadata 0 text <out)" "$remark" 'a comment that needs escapes'
"$KOSTKA" encode one.pgm latin.jpg --comment "$(printf 'caf\351')"
expect 0 "$KOSTKA" info --json latin.jpg
equals "$(json 0 metadata 0 kind <out)" comment
grep -q '"text": null' out || fail 'a comment that is not UTF-8 is not null'
name=$(printf 'na\351me.jpg')
cp a.jpg "$name"
expect 0 "$KOSTKA" info --json "$name"
equals "$(json 0 width <out)" 50 'a file name that is not UTF-8'

expect 1 "$KOSTKA" info --json missing.jpg
json 0 error message <out >/dev/null || fail 'no error in the JSON'
"$KOSTKA" convert a.jpg a.png
expect 0 "$KOSTKA" info a.png
prints 'png, 50x40, RGB'

expect 0 "$KOSTKA" compare a.jpg a.png
prints '^identical'
expect 0 "$KOSTKA" compare --json a.jpg a.png
equals "$(json identical <out)" true
equals "$(json psnr <out)" null
equals "$(json samples <out)" 6000
expect 1 "$KOSTKA" compare a.ppm a.jpg
prints '^different: .*PSNR'
expect 1 "$KOSTKA" compare --json a.ppm a.jpg
equals "$(json identical <out)" false
json psnr <out | awk '{ exit !($1 > 20 && $1 < 60) }' || fail 'a PSNR that cannot be'
{ printf 'P2 3 1 255\n'; echo 1 2 3; } >x.pgm
{ printf 'P2 3 1 255\n'; echo 1 4 0; } >y.pgm
"$KOSTKA" compare --json x.pgm y.pgm >out
equals "$(json differing <out)" 2
equals "$(json max_error <out)" 3
json mean_error <out | awk '{ exit !($1 > 1.666 && $1 < 1.667) }' || fail 'mean error'
json mean_square_error <out | awk '{ exit !($1 > 4.333 && $1 < 4.334) }' || fail 'mean square error'
expect 1 "$KOSTKA" compare a.ppm x.pgm
prints 'differ in size'
expect 1 "$KOSTKA" compare --json a.ppm x.pgm
json reason <out >/dev/null || fail 'no reason in the JSON'
head -c 400 a.ppm >samples.raw
for sign in s ''; do
    expect 0 "$KOSTKA" encode --raw 20x20x1:8$sign samples.raw sign$sign.jp2
done
expect 1 "$KOSTKA" compare signs.jp2 sign.jp2
prints 'different: .* have signs'
expect 1 "$KOSTKA" compare --json signs.jp2 sign.jp2
prints 'have signs'
expect 2 "$KOSTKA" compare a.ppm missing.ppm
expect 2 "$KOSTKA" compare a.ppm "$KOSTKA"

expect 0 "$KOSTKA" devices --json
equals "$(json 0 name <out)" cpu
[ "$(json 0 units <out)" -ge 1 ] || fail 'no processor'
for work in decode encode; do
    expect 0 "$KOSTKA" bench $work a.jpg --repeat 3 --json --threads 1
    equals "$(json work <out)" $work
    equals "$(json files 0 threads <out)" 1
    json files 0 median_seconds <out | awk '{ exit !($1 > 0) }' || fail 'no time'
    expect 0 "$KOSTKA" bench $work a.jpg --repeat 2
    prints 'a.jpg'
done
expect 0 "$KOSTKA" bench decode a.jpg --repeat 2 --batch 1,3 --size 40x30,17 -q 60 --peers --json --most-time 5
equals "$(json files 0 identical <out)" true
equals "$(json files 0 width <out)" 40
equals "$(json files 0 quality <out)" 60
json files 1 engine <out | grep -q turbo || fail 'no peer'
expect 0 "$KOSTKA" bench encode a.jpg --repeat 2 --batch 1,2 --size 40x30 --peers
prints 'libjpeg-turbo'
prints '40x30'
# What is coded of a picture with alpha cannot be compared with it, which keeps nobody from measuring.
printf 'P7\nWIDTH 4\nHEIGHT 3\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n%048d' 0 >alpha.pam
expect 0 "$KOSTKA" bench encode alpha.pam --repeat 2 --peers --json
equals "$(json files 0 engine <out)" kostka
expect 0 "$KOSTKA" bench decode a.jpg --recode --subsampling 444
expect 0 "$KOSTKA" bench encode a.jpg --repeat 2 --lossless --codeblock 32x32 --json
equals "$(json files 0 identical <out)" true
for work in decode encode; do
    expect 0 "$KOSTKA" bench $work a.jpg --repeat 3 --batch 1,2 --calls 3 --most-time 1 --json
    equals "$(json files 1 calls <out)" 3
    equals "$(json files 1 identical <out)" true
    json files 1 runs <out | awk '{ exit !($1 >= 1 && $1 <= 3) }' || fail 'no runs'
    expect 0 "$KOSTKA" bench $work a.jpg --repeat 2 --calls 2
    prints '2 calls at once'
done
expect 2 "$KOSTKA" bench decode a.jpg --calls 0
expect 2 "$KOSTKA" bench decode a.jpg --memory device --device cpu
expect 2 "$KOSTKA" bench decode a.jpg --memory elsewhere
expect 2 "$KOSTKA" bench decode a.jpg --batch 1,0
expect 2 "$KOSTKA" bench decode a.jpg --size 10x
expect 0 "$KOSTKA" devices --json
if device=$(json 1 name <out); then
    for work in decode encode; do
        for memory in host pinned device; do
            expect 0 "$KOSTKA" bench $work a.jpg --repeat 2 --batch 1,3 --device "$device" --memory $memory --json
            equals "$(json files 1 identical <out)" true "$work, $memory"
        done
        expect 0 "$KOSTKA" bench $work a.jpg --repeat 2 --batch 3 --calls 2 --device "$device" --json
        equals "$(json files 0 identical <out)" true "$work, calls at once"
        recode=--recode
        [ $work = decode ] || recode=
        # shellcheck disable=SC2086 # nothing where the work is encoding
        expect 0 "$KOSTKA" bench $work a.jpg --repeat 2 --batch 3 --device "$device" $recode --ratio 6 --json
        equals "$(json files 0 identical <out)" true "$work of JPEG 2000"
    done
fi
expect 0 "$KOSTKA" decode a.jpg out.ppm --verbose
says 'device cpu'
finish
