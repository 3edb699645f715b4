#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The options of decode.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

decode() {
    "$KOSTKA" decode "$@" 2>err || fail "decode $*: $(cat err)"
}

picture 61 47 >a.ppm
"$KOSTKA" encode a.ppm a.jpg --subsampling 420 || fail 'cannot encode'
decode a.jpg whole.ppm

# The same pixels in every arrangement.
decode a.jpg whole.raw
tail -c $((61 * 47 * 3)) whole.ppm >expected
same whole.raw expected
decode a.jpg bgr.raw --format bgr
equals "$(head -c 3 bgr.raw | od -An -tu1)" "$(head -c 3 whole.raw | od -An -tu1 | awk '{ printf " %3d %3d %3d", $3, $2, $1 }')"
decode a.jpg bgr.ppm --format bgr
same bgr.ppm whole.ppm
for format in rgba bgra; do
    decode a.jpg alpha.png --format $format
    equals "$("$KOSTKA" info --json alpha.png | json 0 colour)" RGBA
    identical alpha.png whole.ppm
done
decode a.jpg planes.pgm --format planar
for plane in 0 1 2; do
    [ -e planes-$plane.pgm ] || fail "no plane $plane"
done
decode a.jpg planes.raw --format planar
for plane in 0 1 2; do
    tail -c $((61 * 47)) planes-$plane.pgm
done >expected
same planes.raw expected
decode a.jpg a.yuv --format raw
equals "$(wc -c <a.yuv)" $((61 * 47 + 2 * 31 * 24))
# That is what .yuv is for, whatever --format would be otherwise; colours that are none of it are refused.
decode a.jpg named.yuv
same named.yuv a.yuv
expect 0 "$KOSTKA" convert a.jpg converted.yuv
same converted.yuv a.yuv
expect 0 "$KOSTKA" decode --out-format yuv --out-dir yuv a.jpg
same yuv/a.yuv a.yuv
decode a.jpg rgb.yuv --format rgb
decode a.jpg rgb.raw
same rgb.yuv rgb.raw
# With chosen pixels it is made in strips, as .raw is: there is no memory for the whole picture.
picture 301 211 >strips.ppm
expect 0 "$KOSTKA" encode strips.ppm strips.jp2
for extension in raw yuv; do
    expect 0 "$KOSTKA" decode --format rgb --max-memory 600K strips.jp2 strips.$extension
    equals "$(wc -c <strips.$extension)" $((301 * 211 * 3))
done
same strips.raw strips.yuv
expect 0 "$KOSTKA" encode a.ppm rgb.jpg --rgb
expect 0 "$KOSTKA" encode a.ppm a.jp2
for file in rgb.jpg a.jp2 a.ppm; do
    expect 1 "$KOSTKA" convert $file none.yuv
    says 'its colours are not YCbCr, which .yuv is for'
    [ ! -e none.yuv ] || fail "none.yuv was made of $file"
done
expect 0 "$KOSTKA" encode a.ppm grey.jpg --grey
decode grey.jpg grey.yuv
decode grey.jpg grey.raw
same grey.yuv grey.raw
decode a.jpg y.pgm
head -c $((61 * 47)) a.yuv >expected
tail -c $((61 * 47)) y.pgm >got
same got expected
decode a.jpg - --format raw >pipe.pnm
equals "$(head -n 2 pipe.pnm | tail -n 1)" '61 47'

# Parts and sizes.
decode a.jpg part.raw --region 20x10+5+7
row=0
while [ $row -lt 10 ]; do
    tail -c +$((((row + 7) * 61 + 5) * 3 + 1)) whole.raw | head -c 60
    row=$((row + 1))
done >expected
same part.raw expected
decode a.jpg part2.raw --crop 20x10+5+7
same part2.raw part.raw
decode a.jpg part3.raw --region 5,7,20,10
same part3.raw part.raw
expect 1 "$KOSTKA" decode a.jpg none.ppm --region 20x10+50+7
says 'region'
for scale in 1 2 3; do
    decode a.jpg reduced.ppm --reduce $scale
    decode a.jpg scaled.ppm --scale 1/$((1 << scale))
    same reduced.ppm scaled.ppm
    divisor=$((1 << scale))
    equals "$(sed -n 2p reduced.ppm)" "$(((61 + divisor - 1) / divisor)) $(((47 + divisor - 1) / divisor))"
done
# What djpeg makes, where it is installed; otherwise that sizes and samples change.
for n in 3 5 7 9 13 16; do
    decode a.jpg scaled.ppm --scale $n/8
    equals "$(sed -n 2p scaled.ppm)" "$(((61 * n + 7) / 8)) $(((47 * n + 7) / 8))"
    if command -v djpeg >/dev/null; then
        djpeg -scale $n/8 a.jpg >expected.ppm
        same scaled.ppm expected.ppm
    fi
done
for how in '--inverse-dct fast|-dct fast' '--upsampling nearest|-nosmooth'; do
    # shellcheck disable=SC2086 # words
    decode a.jpg other.ppm ${how%|*}
    cmp -s other.ppm whole.ppm && fail "${how%|*} changes nothing"
    # shellcheck disable=SC2086 # words
    if command -v djpeg >/dev/null; then
        djpeg ${how#*|} a.jpg >expected.ppm
        same other.ppm expected.ppm
    fi
done
decode a.jpg part.ppm --scale 1/2 --region 31x24
decode a.jpg half.ppm --scale 1/2
same part.ppm half.ppm

# Orientation 6: what is stored must be turned clockwise. A TIFF structure with the one entry.
printf 'MM\000\052\000\000\000\010\000\001\001\022\000\003\000\000\000\001\000\006\000\000\000\000\000\000' >exif
"$KOSTKA" encode a.ppm turned.jpg --exif exif
equals "$("$KOSTKA" info --json turned.jpg | json 0 orientation)" 6
decode turned.jpg stored.ppm
same stored.ppm whole.ppm
decode turned.jpg upright.raw --orient
decode turned.jpg upright.ppm --orient
equals "$(sed -n 2p upright.ppm)" '47 61'
tail -c $((46 * 61 * 3 + 3)) whole.raw | head -c 3 >/dev/null
equals "$(head -c 3 upright.raw | od -An -tu1)" "$(tail -c $((61 * 3)) whole.raw | head -c 3 | od -An -tu1)" 'the lower left corner comes to the upper left'
"$KOSTKA" convert turned.jpg upright.jpg --orient
equals "$("$KOSTKA" info --json upright.jpg | json 0 orientation)" 1
"$KOSTKA" convert turned.jpg kept.png
"$KOSTKA" convert kept.png kept.jpg
equals "$("$KOSTKA" info --json kept.jpg | json 0 orientation)" 6 'Exif through PNG'

# Inks: 255 is none in Adobe files, all of it in PAM and TIFF.
{ printf 'P7\nWIDTH 16\nHEIGHT 16\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n'; awk 'BEGIN { for (i = 0; i < 256; i++) printf "%c%c%c%c", 10, 20, 30, 40 }'; } >inks.pam
"$KOSTKA" encode inks.pam inks.jpg -q 100
equals "$("$KOSTKA" info --json inks.jpg | json 0 colour)" CMYK
decode inks.jpg back.pam
equals "$(tail -c 4 back.pam | od -An -tu1 | tr -s ' ')" ' 10 20 30 40'
decode inks.jpg inks.tif
identical inks.tif back.pam
decode inks.jpg inks.raw --format cmyk
equals "$(head -c 4 inks.raw | od -An -tu1 | tr -s ' ')" ' 245 235 225 215'
decode inks.jpg inks.ppm
equals "$(head -c 2 inks.ppm)" P6

# Damage: a warning, or with --strict an error.
head -c $(($(wc -c <a.jpg) * 9 / 10)) a.jpg >cut.jpg
expect 0 "$KOSTKA" decode cut.jpg cut.ppm
says 'cut.jpg: warning'
expect 1 "$KOSTKA" decode cut.jpg strict.ppm --strict
[ ! -e strict.ppm ] || fail 'a file was made in spite of --strict'
expect 1 "$KOSTKA" decode a.ppm b.ppm
says 'kostka convert'
head -c 20 a.jpg >stump.jpg
expect 1 "$KOSTKA" decode stump.jpg b.ppm
expect 1 "$KOSTKA" decode a.jpg b.ppm --max-pixels 100
says 'max-pixels'
expect 1 "$KOSTKA" decode a.jpg b.ppm --max-memory 1K
says 'max-memory'

# Instruction tiers and threads do not show.
for tier in c sse2 avx2 avx512; do
    for threads in 1 2 7; do
        KOSTKA_CPU=$tier "$KOSTKA" decode a.jpg tier.ppm --threads $threads 2>err
        code=$?
        [ $code = 3 ] && continue
        equals $code 0 "KOSTKA_CPU=$tier"
        same tier.ppm whole.ppm
    done
done
# Lossless JPEG, here 16 by 16 samples of 128, has one size, no transform and nothing to be enlarged.
{
    printf '\377\330\377\303\0\013\010\0\020\0\020\001\001\021\0\377\304\0\024\0\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    printf '\377\332\0\010\001\001\0\001\0\0' && head -c 32 /dev/zero && printf '\377\331'
} >lossless.jpg
expect 0 "$KOSTKA" decode lossless.jpg out.pgm
{ printf 'P5\n16 16\n255\n' && head -c 256 /dev/zero | tr '\0' '\200'; } >wanted.pgm
same wanted.pgm out.pgm
for how in '--inverse-dct fast' '--upsampling nearest' '--reduce 1' '--scale 2/1'; do
    # shellcheck disable=SC2086 # words
    expect 1 "$KOSTKA" decode $how lossless.jpg out.pgm
    says 'lossless JPEG '
done
finish
