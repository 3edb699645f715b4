#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same bytes as djpeg, cjpeg and jpegtran give.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

for program in djpeg cjpeg jpegtran; do
    command -v $program >/dev/null || {
        echo "$program is not installed"
        exit 77
    }
done
# Their arithmetic is that of libjpeg-turbo; other makers' differ.
djpeg -version 2>&1 | grep -q 'libjpeg-turbo' || {
    echo 'djpeg is not of libjpeg-turbo'
    exit 77
}

# against PROGRAM "ITS OPTIONS" INPUT VERB EXTENSION OPTION…
against() {
    program=$1
    options=$2
    input=$3
    verb=$4
    extension=$5
    shift 5
    # shellcheck disable=SC2086 # words
    $program $options "$input" >theirs 2>/dev/null || {
        fail "$program $options fails"
        return
    }
    "$KOSTKA" "$verb" "$input" "ours.$extension" "$@" 2>err || fail "$verb $input $*: $(cat err)"
    cmp -s theirs "ours.$extension" || fail "$verb $input $* is not $program $options"
}

picture 123 77 >a.ppm
photograph=/usr/share/backgrounds/mate/nature/Dune.jpg
if [ -r $photograph ]; then
    djpeg $photograph >photograph.ppm
else
    echo 'mate-backgrounds is not installed: no photograph'
fi
for ppm in a.ppm photograph.ppm; do
    [ -r $ppm ] || continue
    against cjpeg '-baseline' $ppm encode jpg
    for quality in 5 50 75 92 100; do
        against cjpeg "-baseline -quality $quality" $ppm encode jpg -q $quality
    done
    against cjpeg '-quality 8' $ppm encode jpg -q 8 --wide-quantisers
    against cjpeg '-sample 1x1' $ppm encode jpg --subsampling 444
    against cjpeg '-sample 2x1' $ppm encode jpg --subsampling 422
    against cjpeg '-sample 1x2' $ppm encode jpg --subsampling 440
    against cjpeg '-sample 4x1' $ppm encode jpg --subsampling 411
    against cjpeg '-optimize' $ppm encode jpg --optimize
    against cjpeg '-progressive' $ppm encode jpg --progressive
    against cjpeg '-restart 3B' $ppm encode jpg --restart 3
    against cjpeg '-restart 1' $ppm encode jpg --restart 1r
    against cjpeg '-grayscale' $ppm encode jpg --grey
    against cjpeg '-rgb' $ppm encode jpg --rgb
    for options in '' '-progressive' '-sample 1x1' '-sample 2x1 -restart 1' '-grayscale' '-rgb'; do
        # shellcheck disable=SC2086 # words
        cjpeg -quality 85 $options $ppm >coded.jpg
        against djpeg '' coded.jpg decode pnm
        for scale in 2 4 8; do
            against djpeg "-scale 1/$scale" coded.jpg decode pnm --scale 1/$scale
        done
        [ "$options" = -rgb ] || against djpeg '-grayscale' coded.jpg decode pgm
    done
    cjpeg $ppm >coded.jpg
    against jpegtran '-copy all' coded.jpg transcode jpg
    against jpegtran '-copy all -optimize' coded.jpg transcode jpg --optimize
    against jpegtran '-copy all -progressive' coded.jpg transcode jpg --progressive
    against jpegtran '-copy none' coded.jpg transcode jpg --strip
    against jpegtran '-copy all -restart 5B' coded.jpg transcode jpg --restart 5
    for turn in 90 180 270; do
        against jpegtran "-copy all -rotate $turn" coded.jpg transcode jpg --rotate $turn
        against jpegtran "-copy all -trim -rotate $turn" coded.jpg transcode jpg --rotate $turn --trim
    done
    against jpegtran '-copy all -flip horizontal' coded.jpg transcode jpg --flip h
    against jpegtran '-copy all -flip vertical' coded.jpg transcode jpg --flip v
    against jpegtran '-copy all -transpose' coded.jpg transcode jpg --transpose
    against jpegtran '-copy all -transverse' coded.jpg transcode jpg --transverse
    against jpegtran '-copy all -crop 50x40+20+18' coded.jpg transcode jpg --crop 50x40+20+18
    against jpegtran '-copy all -grayscale' coded.jpg transcode jpg --grey
done
# Files whose end or middle was never written, as after a crash: where djpeg warns, there is a warning, and its pixels.
cjpeg -quality 85 "$ppm" >whole.jpg
half=$(($(wc -c <whole.jpg) / 2))
head -c $half whole.jpg >end.jpg
truncate -s 200M end.jpg
head -c $half whole.jpg >middle.jpg
truncate -s $((half + 512)) middle.jpg
tail -c +$((half + 513)) whole.jpg >>middle.jpg
for name in end middle; do
    djpeg $name.jpg >theirs 2>their.err
    [ $? = 2 ] || fail "djpeg does not warn of $name.jpg"
    expect 0 "$KOSTKA" decode --max-memory 64M $name.jpg ours.pnm
    says 'warning: '
    cmp -s theirs ours.pnm || fail "a sparse $name is not as djpeg decodes it"
done
printf '0,1,2: 0-0, 0, 1;\n0: 1-5, 0, 2;\n2: 1-63, 0, 1;\n1: 1-63, 0, 1;\n0: 6-63, 0, 2;\n0: 1-63, 2, 1;\n0,1,2: 0-0, 1, 0;\n2: 1-63, 1, 0;\n1: 1-63, 1, 0;\n0: 1-63, 1, 0;\n' >scans
against cjpeg '-scans scans' a.ppm encode jpg --scans scans
awk 'BEGIN { for (i = 0; i < 128; i++) print i % 60 + 3 }' >tables
against cjpeg '-qtables tables' a.ppm encode jpg --qtables tables
against cjpeg '-baseline -qtables tables -quality 80' a.ppm encode jpg --qtables tables -q 80
head -c 3000 "$KOSTKA" >profile
against cjpeg '-icc profile' a.ppm encode jpg --icc profile
finish
