#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every option of every verb is honoured for some files and refused by name for all others: a table says which.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 40 24 >a.ppm
picture 12 8 >small.ppm
printf 'P5 40 24 255\n' >a.pgm
head -c 960 /dev/zero >>a.pgm
"$KOSTKA" encode a.ppm a.jpg -q 60 || fail 'cannot encode'
for kind in jp2 j2k; do
    "$KOSTKA" encode a.ppm a.$kind --ratio 20,10,5 --tiles 24x24 || fail 'cannot encode'
done
{ "$KOSTKA" encode a.pgm g.jpg && "$KOSTKA" encode a.pgm g.jp2; } || fail 'cannot encode'
for kind in png tif; do
    "$KOSTKA" convert a.ppm a.$kind || fail "no $kind"
done
head -c 2880 a.ppm >a.raw
"$KOSTKA" convert a.pgm a.pgx || fail 'no pgx'
echo '0 1 2: 0-0, 0, 0; 0: 1-63, 0, 0; 1: 1-63, 0, 0; 2: 1-63, 0, 0;' >scans.txt
awk 'BEGIN { for (i = 0; i < 64; i++) print 40 }' >tables.txt
{ printf 'II*\000\010\000\000\000\000\000\000\000\000\000'; } >exif.bin
head -c 200 /dev/zero >icc.bin

# try IN OUT ACCEPTED MARK VERB OPTION…: the option is honoured, with other bytes where the mark is "!"; or it is refused
# by name, and no file is made.
try() {
    in=$1 out=$2 accepted=$3 mark=$4 verb=$5
    shift 5
    name=${1%%=*}
    # shellcheck disable=SC2094 # "out" is where the test keeps what is printed, and an extension
    "$KOSTKA" "$verb" "$in" "new.$out" "$@" >out 2>err
    code=$?
    set -- "$@" "($verb $in to $out)"
    made=no
    for file in new.* new-*; do
        [ ! -e "$file" ] || made=yes
    done
    if [ "$accepted" = yes ]; then
        [ $code = 0 ] || fail "exit status $code: $*: $(cat err)"
        [ $made = yes ] || fail "no file is made: $*"
        [ "$mark" != ! ] || ! cmp -s "new.$out" "plain/$in/plain.$out" || fail "it changes nothing: $*"
    else
        [ $code = 1 ] || [ $code = 2 ] || fail "exit status $code, not an error: $*"
        [ $made = no ] || fail "a file is made: $*"
        said=
        IFS= read -r said <err
        case $said in
        *"$name"*) ;;
        *) grep -q -e "$name" err || fail "the message does not name it: $*: $(cat err)" ;;
        esac
    fi
    [ $made = no ] || rm -f new.* new-*
}

# table VERB "INPUTS" "OUTPUTS": reads lines of a mark, inputs, outputs and an option; "-" stands for all. With sanitizers, one file
# that accepts the option and one that refuses it are tried for each line.
table() {
    verb=$1 inputs=$2 outputs=$3
    while read -r mark from to option; do
        tried=
        echo "$verb ${option%%=*}" | sed 's/ -*\([a-z0-9-]*\).*/ --\1/' >>"$work/tabled"
        # shellcheck disable=SC2086 # words
        for in in $inputs; do
            for out in $outputs; do
                accepted=no
                case ",$from," in *,"${in##*.}",* | ,-,) case ",$to," in *,"$out",* | ,-,) accepted=yes ;; esac ;; esac
                [ -z "${KOSTKA_SANITIZED:-}" ] || case $tried in *$accepted*) continue ;; esac
                tried=$tried$accepted
                [ "$mark" != ! ] || [ "$accepted" = no ] || plain
                try "$in" "$out" $accepted "$mark" "$verb" $option
            done
        done
    done
    rm -rf plain
}

# plain: what "$verb" makes of "$in" without options, once for each table
plain() {
    [ ! -e "plain/$in/tried.$out" ] || return 0
    mkdir -p "plain/$in"
    : >"plain/$in/tried.$out"
    unsearched "$KOSTKA" "$verb" "$in" "plain/$in/plain.$out" 2>/dev/null || : # some need the option
}

# The encoders of JPEG and JPEG 2000 take the same options for "encode" and "convert".
cat >jpeg-options <<'T'
! - jpg,jp2,j2k --quality=80
! - jpg --subsampling=422
! - jpg --optimize
! - jpg --optimise
! - jpg --progressive
= - jpg --baseline
! - jpg --forward-dct=fast
! - jpg --scans=scans.txt
! - jpg --restart=2
! - jpg --grey
! - jpg --gray
! - jpg --rgb
! - jpg --qtables=tables.txt
! - jpg --wide-quantisers --quality=3
! - jpg --precision=12
! - jpg,jp2 --icc=icc.bin
! - jpg,jp2 --exif=exif.bin
! - jpg,jp2,j2k --comment=hello
= - jp2,j2k --lossless
! - jp2,j2k --rate=2
! - jp2,j2k --ratio=8
! - jp2,j2k --psnr=30
! - jp2,j2k --step=2
! - jp2,j2k --weights=vision --rate=2
! - j2k --ht
! - j2k --passes=2 --ht --rate=2
= - none --cicp=9/16/0
! - jp2,j2k --reversible --rate=2
! - jp2,j2k --levels=2
! - jp2,j2k --tiles=24x24
! - jp2,j2k --codeblock=16x16
! - jp2,j2k --precincts=64x64
! - jp2,j2k --progression=CPRL
! - jp2,j2k --poc=RPCL:0-2,LRCP
! - jp2,j2k --tile-parts=resolution
! - jp2,j2k --style=reset
! - jp2,j2k --guard-bits=3
! - jp2,j2k --component=1:style=reset
! - jp2,j2k --interest=8x8+0+0
! - jp2,j2k --keep-components
! - jp2,j2k --plt
! - jp2,j2k --tlm
! - jp2,j2k --sop
! - jp2,j2k --eph
! - jp2,j2k --packed=ppm
! - jp2,j2k --profile=profile1
! - jp2,j2k --frame-rate=24 --profile=broadcast:1
= - j2k --codestream
T
table encode a.ppm 'jpg jp2 j2k' <jpeg-options
table encode a.ppm 'jpg jp2 j2k' <<'T'
! - - --resize=20x20
! - - --fit=cover --resize=20x20
! - - --filter=box --resize=20x20
! - - --filters=invert
= none - --draft --resize=5x5
! - jp2,j2k --layers=2
= - none --compression=1
= - none --endian=little
= - none --interleave
T
table encode a.raw 'jpg jp2 j2k' <<'T'
= - - --raw=40x24x3:8
= - - --raw=40x24x3:8 --raw-layout=planes
= - - --raw-layout=planes --raw=40x24x3:8
= - - --interleave --raw=40x24x3:8
T
table encode a.pgx 'jpg jp2' <<'T'
= - none --endian=big
= - none --interleave
= - none --raw-layout=planes
T
grep -v -e '--restart' jpeg-options >some-options
table convert a.png 'jpg jp2 j2k png tif ppm' <some-options

# Check the decoder's options, with a colour picture.
cat >decode-options <<'T'
! - - --resize=20x20
! - - --fit=cover --resize=20x20
! - - --filter=box --resize=20x20
! - - --filters=invert
! - - --draft --resize=5x5
! - - --scale=1/2
! jpg - --scale=5/8
! jpg - --inverse-dct=fast
! jpg - --upsampling=nearest
! - - --reduce=1
! - - --region=8x8+8+8
! - - --crop=8x8+8+8
= - - --strict
= - - --orient
! jp2,j2k - --layers=1
! jp2,j2k - --tile=0
! - ppm,png,tif,raw --format=grey
= - png,tif --compression=1
= - tif,raw --interleave
= - raw,pgx --endian=big
! - raw --raw-layout=planes
= - none --frobnicate
T
sed -e 's/ppm,png,tif,raw --format=grey/none --format=violet/' decode-options >some-options
table decode 'a.jpg a.jp2 a.j2k' 'ppm png tif raw' <some-options
grep -v -e '--format' -e '--orient' decode-options | sed 's/^!/=/' >some-options
table decode 'g.jpg g.jp2' 'pgx pgm' <some-options
table decode 'a.jpg a.jp2' 'png' <<'T'
! jpg png --format=grey
T
table decode 'a.jpg a.jp2' 'raw' <<'T'
! jp2 raw --components=1
T
# A picture that is not coded is not decoded in part: what says how to is refused.
table convert 'a.jpg a.jp2 a.png' 'png' <<'T'
! - - --resize=20x20
! - - --fit=cover --resize=20x20
! - - --filter=box --resize=20x20
! - - --filters=invert
= jpg,jp2 - --draft --resize=5x5
= jpg,jp2 - --scale=1/2
= jpg,jp2 - --reduce=1
= jpg,jp2 - --region=8x8+8+8
= jpg,jp2 - --crop=8x8+8+8
= jpg,jp2 - --orient
= jpg,jp2 - --strict
= jpg - --format=grey
= jp2 - --layers=1
= jp2 - --tile=0
= none - --endian=big
= none - --interleave
= none - --raw-layout=planes
= none - --lossless
= none - --codestream
T

table transcode a.jpg jpg <<'T'
! - - --restart=3
! - - --optimize
! - - --progressive
! - - --scans=scans.txt
= - - --baseline
! - - --rotate=90
! - - --flip=h
! - - --transpose
! - - --transverse
! - - --rotate=180 --trim
! - - --crop=16x16+0+0
! - - --region=16x16+0+0
! - - --grey
! - - --gray
= - - --others=drop
= - - --strip
= - - --strict
= none - --progression=RPCL
= none - --layers=1
= none - --rate=1
= none - --reduce=1
= none - --tile-parts=layer
= none - --interleave
= none - --components=1
= none - --packed=ppt
= none - --plt
= none - --tlm
= none - --sop
= none - --eph
= none - --ht
= none - --container=jp2
= none - --compression=1
T
table transcode a.jp2 jp2 <<'T'
= none - --restart=3
= none - --optimize
= none - --progressive
= none - --baseline
= none - --scans=scans.txt
= none - --rotate=90
= none - --flip=h
= none - --transpose
= none - --transverse
= none - --perfect
= none - --trim
= none - --crop=16x16+0+0
= none - --others=drop
= none - --grey
= - - --strip
= - - --strict
! - - --progression=RPCL
! - - --layers=1
! - - --rate=4
! - - --reduce=1
! - - --tile-parts=layer
! - - --tile-parts=layer --interleave
! - - --packed=ppt
! - - --plt
! - - --tlm
! - - --sop
! - - --eph
= - - --ht=no
= none - --ht
= - - --container=jp2
= none - --container=j2k
= none - --compression=1
T
"$KOSTKA" encode a.ppm k.jp2 --keep-components || fail 'cannot encode'
table transcode k.jp2 jp2 <<'T'
! - - --components=1
T
"$KOSTKA" encode small.ppm small.jpg --subsampling 444 || fail 'cannot encode'
table transcode small.jpg jpg <<'T'
! - - --crop=8x8+0+0 --perfect
T

# refuses NAME VERB…: a wrong call whose message names the option.
refuses() {
    name=$1
    shift
    expect 2 unsearched "$KOSTKA" "$@"
    silent
    says "$name"
}
for option in --threads=1 --device=cpu --max-pixels=1K --max-memory=1M --max-work=1 --verbose; do
    refuses "${option%%=*}" devices $option
done
for verb in 'bench decode' profile; do
    for option in --quality=80 --optimize --lossless --tiles=8x8 --comment=x --verbose; do
        # shellcheck disable=SC2086 # words
        refuses "${option%%=*}" $verb a.jpg $option
    done
done
refuses --recode bench encode a.ppm --recode
refuses --quality bench encode a.ppm --quality 80 --ratio 10
refuses --layers bench decode a.jpg --recode --layers 2
expect 1 "$KOSTKA" bench decode a.jpg --layers 2 --repeat 1
says '--layers'
expect 1 "$KOSTKA" bench encode a.ppm --scale 1/2 --repeat 1
says '--scale'
expect 0 "$KOSTKA" bench decode a.jpg --repeat 1 --recode --quality 80 --scale 1/2
expect 0 "$KOSTKA" info --verbose --threads 2 a.jpg
says parse
expect 2 "$KOSTKA" compare a.ppm a.png --scale 1/2
says '--scale'
expect 1 "$KOSTKA" compare a.ppm a.jp2 --reduce 1
expect 2 "$KOSTKA" compare a.jpg a.ppm --layers 1
says '--layers'

rm -f new*
# Options that contradict each other.
for pair in '--lossless --rate=1' '--rate=1 --ratio=2' '--psnr=40 --lossless' '--step=1 --psnr=30' '--step=1 --reversible' \
    '--psnr=40 --interest=8x8'; do
    # shellcheck disable=SC2086 # words
    refuses "${pair%%[= ]*}" encode a.ppm new.jp2 $pair
done
refuses --frame-rate encode a.ppm new.jp2 --frame-rate 24
refuses --rgb encode a.ppm new.jpg --rgb --grey
refuses --subsampling encode a.ppm new.jpg --rgb --subsampling 420
refuses --subsampling encode a.ppm new.jpg --subsampling 422 --grey
refuses --reduce decode a.jpg new.ppm --scale 1/2 --reduce 1
refuses --orient decode g.jpg new.pgx --orient
refuses --orient decode a.jpg new.ppm --orient --format raw
refuses --components decode a.jp2 new.ppm --components 1 --format rgb
refuses --orient convert g.jpg new.pgx --orient
refuses --components convert a.jp2 new.ppm --components 1 --format rgb
expect 0 "$KOSTKA" decode g.jpg planar.pgx --orient --format planar
refuses --baseline transcode a.jpg new.jpg --baseline --progressive
refuses --baseline transcode a.jpg new.jpg --scans scans.txt --baseline

# Names of outputs that promise something else.
for extension in $(cases 'webp gif heic avif jxl jpx jpf mj2 xyz' 'webp xyz'); do
    for call in 'encode a.ppm' 'decode a.jpg' 'convert a.ppm' 'transcode a.jpg' 'transcode a.jp2'; do
        # shellcheck disable=SC2086 # words
        refuses "new.$extension" $call "new.$extension"
    done
done
refuses --ht transcode a.jp2 new.jp2 --ht
refuses --ht transcode a.jp2 new.jph --ht=no
refuses --rate transcode a.jp2 new.jph --rate 1
for call in 'transcode a.jpg new.jp2' 'transcode a.jpg new.j2k' 'transcode a.jp2 new.jpg' 'transcode a.j2k new.jpeg' \
    'transcode a.jpg new --out-format jp2' 'transcode a.jp2 new --out-format jpeg'; do
    # shellcheck disable=SC2086 # words
    expect 1 "$KOSTKA" $call
    says 'encodes it again'
done
refuses 'input.s format' transcode a.jpg new.png
refuses 'JPEG 2000' decode a.jpg new.j2k
[ -z "$(find . -name 'new*')" ] || fail "files were made: $(echo new*)"
expect 0 "$KOSTKA" encode a.ppm noextension

expect 0 "$KOSTKA" transcode a.jp2 new --out-format j2k
equals "$(head -c 4 new | od -An -tx1 | tr -d ' ')" ff4fff51
# The relatives of JP2: another brand and another extension.
sed 's/ftypjp2 /ftypjpx /' a.jp2 >a.jpx
cp a.jpx a.jpf
for extension in jpx jpf; do
    expect 0 "$KOSTKA" info a.$extension
    prints 'brand "jpx "'
    expect 0 "$KOSTKA" compare a.$extension a.jp2
    expect 0 "$KOSTKA" transcode a.$extension b.jp2
done

# The table holds every option that the help has.
for verb in encode decode convert transcode; do
    "$KOSTKA" help $verb | grep -o -e '--[a-z][a-z-]*' | sort -u |
        grep -v -x -e '--\(help\|input\|output\|out-dir\|out-format\|recursive\|files-from\|null\|shard\|manifest\|resume\|fail-fast\|in-place\|threads\|device\|max-[a-z]*\|verbose\)' >wanted
    while read -r option; do
        case $verb in convert) pattern="\(convert\|encode\) $option" ;; *) pattern="$verb $option" ;; esac
        grep -q -x -e "$pattern" tabled || fail "$option of $verb is not in the table"
    done <wanted
done
finish
