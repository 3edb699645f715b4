#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Options as cjpeg, djpeg, jpegtran, opj_compress and opj_decompress spell them do what ours do.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 96 64 >a.ppm
"$KOSTKA" encode a.ppm a.jpg --comment hello -q 90 || fail 'cannot encode'
"$KOSTKA" encode a.ppm a.jp2 --ratio 20,10,5 || fail 'cannot encode'
head -c 200 /dev/zero >icc.bin
echo '0 1 2: 0-0, 0, 0; 0: 1-63, 0, 0; 1: 1-63, 0, 0; 2: 1-63, 0, 0;' >scans.txt

# alike VERB IN EXTENSION 'OURS' 'THEIRS': the same file
alike() {
    rm -f ours.* theirs.*
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" "$1" $4 "$2" "ours.$3"
    # shellcheck disable=SC2086
    expect 0 "$KOSTKA" "$1" $5 "$2" "theirs.$3"
    same "ours.$3" "theirs.$3"
    # and behind the operands
    # shellcheck disable=SC2086
    expect 0 "$KOSTKA" "$1" "$2" "theirs.$3" $5
    same "ours.$3" "theirs.$3"
}
while IFS='|' read -r verb in extension ours theirs; do
    alike "$verb" "$in" "$extension" "$ours" "$theirs"
done <<'T'
encode|a.ppm|jpg|--quality 80|-quality 80
encode|a.ppm|jpg|--quality 80|-qual 80
encode|a.ppm|jpg|--quality 80|-quality=80
encode|a.ppm|jpg|--quality 80|-q80
encode|a.ppm|jpg|--optimize|-optimize
encode|a.ppm|jpg|--optimize|-opt
encode|a.ppm|jpg|--progressive|-progressive
encode|a.ppm|jpg|--grey|-grayscale
encode|a.ppm|jpg|--grey|--grayscale
encode|a.ppm|jpg|--grey|-gray
encode|a.ppm|jpg|--rgb|-rgb
encode|a.ppm|jpg|--subsampling 2x1,1x1,1x1|-sample 2x1
encode|a.ppm|jpg|--subsampling 444|--sample 1x1
encode|a.ppm|jpg|--subsampling 422|--sample=2x1,1x1
encode|a.ppm|jpg|--restart 8|-restart 8B
encode|a.ppm|jpg|--restart none|-restart 0
encode|a.ppm|jpg||-baseline -dct int
encode|a.ppm|jpg|--scans scans.txt|-scans scans.txt
encode|a.ppm|jpg|--icc icc.bin|-icc icc.bin
encode|a.ppm|jpg|--threads 2 -q 50|-threads 2 -q 50
encode|a.ppm|jpg|--forward-dct fast|-dct fast
decode|a.jpg|ppm|--inverse-dct fast|-dct fast
decode|a.jpg|ppm|--upsampling nearest|-nosmooth
decode|a.jpg|ppm|--upsampling nearest|--no-fancy
decode|a.jpg|ppm|--scale 1/2|-scale 1/2
decode|a.jpg|ppm|--scale 1/2|-scale 4/8
decode|a.jpg|pgm|--format grey|-grayscale
decode|a.jpg|ppm|--format rgb|-rgb -dct int
decode|a.jpg|ppm|--region 10x10+3+3|-crop 10x10+3+3
decode|a.jpg|out|--out-format pnm|-pnm
transcode|a.jpg|jpg|--rotate 90|-rotate 90
transcode|a.jpg|jpg|--flip h|-flip horizontal
transcode|a.jpg|jpg|--flip v|-flip vertical
transcode|a.jpg|jpg|--transpose|-transpose
transcode|a.jpg|jpg|--strip|-copy none
transcode|a.jpg|jpg|--strip=markers|--copy comments
transcode|a.jpg|jpg||-copy all
transcode|a.jpg|jpg|--grey --optimize|-grayscale -optimize
transcode|a.jpg|jpg|--progressive|-prog
transcode|a.jpg|jpg|--crop 32x32+16+16|-crop 32x32+16+16
transcode|a.jpg|jpg|--trim --rotate 180|-trim -rotate 180
encode|a.ppm|jp2|--ratio 20|-r 20
encode|a.ppm|jp2|--ratio 20,10|-r 20,10
encode|a.ppm|jp2|--ratio 20|-r20
encode|a.ppm|jp2|--levels 3|-n 4
encode|a.ppm|jp2|--codeblock 32x16|-b 32,16
encode|a.ppm|jp2|--precincts 64x64,32x32|-c [64,64],[32,32]
encode|a.ppm|jp2|--tiles 48x48|-t 48,48
encode|a.ppm|jp2|--threads 2|-t 2
encode|a.ppm|jp2|--progression RPCL|-p RPCL
encode|a.ppm|jp2|--style bypass,termall|-M 5
encode|a.ppm|jp2|--sop --eph --plt --tlm|-SOP -EPH -PLT -TLM
encode|a.ppm|jp2|--tile-parts resolution|-TP R
encode|a.ppm|jp2|--keep-components|-mct 0
encode|a.ppm|jp2||-mct 1
encode|a.ppm|jp2|--comment hey|-C hey
decode|a.jp2|ppm|--reduce 1|-r 1
decode|a.jp2|ppm|--layers 1|-l 1
decode|a.jp2|pgm|--components 1|-c 1
T
# Values that look like options stay values.
for value in -r -quality --sample -o; do
    expect 0 "$KOSTKA" encode a.ppm ours.jpg "--comment=$value"
    expect 0 "$KOSTKA" encode a.ppm theirs.jpg --comment "$value"
    same ours.jpg theirs.jpg
    expect 0 "$KOSTKA" encode a.ppm theirs.jpg --comm "$value"
    same ours.jpg theirs.jpg
done
cp a.ppm ./-quality
expect 0 "$KOSTKA" encode --optimize -- -quality theirs.jpg
expect 0 "$KOSTKA" encode a.ppm ours.jpg -v -t 2 --optimize
same ours.jpg theirs.jpg

# Files that options name.
"$KOSTKA" encode a.ppm ours.jpg || fail 'cannot encode'
for call in '-i a.ppm -o o.jpg' '-o o.jpg -i a.ppm' '-o o.jpg a.ppm' 'a.ppm -outfile o.jpg' '-ia.ppm -oo.jpg' \
    '--input a.ppm --output=o.jpg' '-i a.ppm o.jpg' '--outfile o.jpg -q 75 a.ppm' '-q 75 -o o.jpg -- a.ppm'; do
    rm -f o.jpg
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" encode $call
    same ours.jpg o.jpg
done
"$KOSTKA" encode -i - -o - <a.ppm >o.jpg || fail 'standard input and output'
same ours.jpg o.jpg
"$KOSTKA" encode -q75 -outfile - a.ppm >o.jpg || fail 'standard output'
same ours.jpg o.jpg

# libjpeg's tools accept the beginnings of words.
"$KOSTKA" encode -sample 1x1 -quality 80 -grayscale a.ppm whole.jpg || fail 'cannot encode'
expect 0 "$KOSTKA" encode -sam 1x1 -qual 80 -grays -outf short.jpg a.ppm
same whole.jpg short.jpg
expect 0 "$KOSTKA" decode -grey -outf short.pgm ours.jpg
equals "$(head -c 2 short.pgm)" P5

# An option that is ambiguous or not supported is an error that says what to write.
while IFS='|' read -r call pattern; do
    # shellcheck disable=SC2086 # words
    expect 2 "$KOSTKA" $call
    silent
    says "$pattern"
    { [ ! -e none.jpg ] && [ ! -e none.jp2 ] && [ ! -e none.ppm ]; } || fail "a file is made: $call"
done <<'T'
encode a.ppm none.jpg -restart 1|--restart Nr
transcode a.jpg none.jpg -restart 2|--restart Nr
encode a.ppm none.jpg -qslots 0,1|-qslots: luminance
decode a.jpg none.ppm -onepass|-onepass: colours
decode a.jpg none.ppm -os2|-os2: write --out-format bmp
transcode a.jpg none.jpg -icc a.ppm|-icc: a file keeps
encode -version|kostka --version
encode a.ppm none.jp2 -q 40 --rate 1|each says how much is lost
encode a.ppm none.jp2 -I|--rate
encode a.ppm none.jp2 -n 0|resolutions
encode a.ppm none.jp2 -b 64x64|--codeblock
encode a.ppm none.jp2 -M 64|--style
encode a.ppm none.jp2 -F 96,64,3,8,u|--raw-layout planes
encode a.ppm none.jp2 -cinema2K 24|--profile cinema2k
encode a.ppm none.jpg -dct float|no floating-point
decode a.jpg none.ppm -fast|--upsampling nearest
decode a.jpg none.ppm --scale 17/8|N/8
decode a.jpg none.ppm --scale 1/3|N/8
convert a.jpg none.jpg -dct fast|--forward-dct
encode a.ppm none.jpg -arithmetic|arithmetic
encode a.ppm none.jpg -smooth 10|-smooth
encode a.ppm none.jpg -maxmemory 100|--max-memory
encode a.ppm none.jpg -quality|needs a value
encode a.ppm none.jpg -sample|needs a value
encode a.ppm none.jpg -frobnicate|frobnicate
encode a.ppm none.jpg -baseline -progressive|baseline
encode -i a.ppm -o none.jpg --out-dir d|--output
encode a.ppm a.ppm -o none.jpg|out-dir
decode a.jp2 none.ppm -d 0,0,8,8|--region
decode a.jpg none.ppm -colors 16|colors
decode a.jpg none.ppm -gif|GIF
convert a.jp2 none.jpg -r 2|--reduce
convert a.jpg none.jpg -grayscale|--format grey
transcode a.jpg none.jpg -copy icc|-copy
transcode a.jpg none.jpg -wipe 8x8+0+0|wipe
info a.jpg -o x|unknown option -o
compare a.jpg a.jpg -r 1|unknown option -r
T
expect 0 "$KOSTKA" -V
prints '^kostka [0-9]'
finish
