#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Filters between reading and writing: 'kostka filter'.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 60 40 >b.ppm
expect 0 "$KOSTKA" convert b.ppm a.png
expect 0 "$KOSTKA" convert a.png a.ppm
rm b.ppm

# Filters go from left to right, from any format to any other, as a file or in a pipe.
expect 0 "$KOSTKA" filter rotate=90 a.png turned.ppm
expect 0 "$KOSTKA" filter rotate=270 turned.ppm back.ppm
same back.ppm a.ppm
expect 0 "$KOSTKA" filter rotate=90,flip,rotate=90,flip=horizontal a.png back.ppm
same back.ppm a.ppm
"$KOSTKA" filter rotate=90 --out-format ppm - - <a.png >piped.ppm
same piped.ppm turned.ppm
expect 0 "$KOSTKA" filter resize=30x a.png small.ppm
expect 0 "$KOSTKA" convert --resize 30 a.ppm expected.ppm
same small.ppm expected.ppm
expect 0 "$KOSTKA" filter invert --resize 30 a.png inverted.ppm
expect 0 "$KOSTKA" filter invert inverted.ppm back.ppm
same back.ppm expected.ppm
expect 0 "$KOSTKA" filter canny=50:150 a.png edges.pgm -v
says 'filtered: 60x40 became 60x40'
expect 0 "$KOSTKA" filter grey,canny=50:150,depth=16,depth=8 --threads 1 a.ppm again.pgm
expect 0 "$KOSTKA" filter depth=16 a.ppm wide.png
equals "$("$KOSTKA" info --json wide.png | json 0 depth)" 16 depth
expect 0 "$KOSTKA" convert a.png photo.jpg
expect 0 "$KOSTKA" filter painterly=4 photo.jpg painted.jpg
expect 0 "$KOSTKA" filter cartoon photo.jpg cartoon.jpg
expect 0 "$KOSTKA" filter cartoon wide.png cartoon.png
equals "$("$KOSTKA" info --json cartoon.png | json 0 depth)" 16 'depth of a cartoon'
for target in jpg jp2 png tif bmp; do
    expect 0 "$KOSTKA" filter gaussian=1.5,sharpen=2:0.7:1,median,equalise a.png "out.$target"
done

# The other verbs take the same chains, behind resizing; folders of files are filtered on any device.
expect 0 "$KOSTKA" encode a.ppm a.jpg
expect 0 "$KOSTKA" filter rotate=90,sharpen a.jpg expected.png
for verb in convert decode; do
    expect 0 "$KOSTKA" $verb a.jpg found.png --filters rotate=90,sharpen
    same found.png expected.png
done
expect 0 "$KOSTKA" filter grey,gaussian a.ppm expected.jpg -q 80 --resize 30
expect 0 "$KOSTKA" encode a.ppm found.jpg --filters grey,gaussian -q 80 --resize 30
same found.jpg expected.jpg
expect 0 "$KOSTKA" decode --out-dir several --out-format png --filters rotate=90,sharpen a.jpg -v --device all
expect 0 "$KOSTKA" convert several/a.png found.ppm
expect 0 "$KOSTKA" filter rotate=90,sharpen a.jpg expected.ppm
same found.ppm expected.ppm

# Tables of colours come from files, whose mistakes are named.
printf 'LUT_1D_SIZE 2\n1 1 1\n0 0 0\n' >negative.cube
expect 0 "$KOSTKA" filter lut=negative.cube a.ppm found.ppm
expect 0 "$KOSTKA" filter invert a.ppm expected.ppm
same found.ppm expected.ppm
printf 'LUT_1D_SIZE 2\n1 1 1\n0 0\n' >bad.cube
expect 2 "$KOSTKA" filter invert,lut=bad.cube a.ppm no.ppm
says "line 3 of the table: no number: '' (at byte 11)"
expect 2 "$KOSTKA" filter lut=missing.cube a.ppm no.ppm
says 'missing.cube: No such file'
[ -e no.ppm ] && fail 'no.ppm was written'
expect 0 "$KOSTKA" filter warp=1:0:5:0:1:2:size=40x30 a.ppm found.ppm
expect 0 "$KOSTKA" filter crop=40x30:5:2 a.ppm expected.ppm
same found.ppm expected.ppm

# Counts of samples, as JSON and CSV, of what the other filters make.
printf 'P3 2 2 255\n0 36 73 255 36 73 0 36 109 255 36 109\n' >few.ppm
expect 0 "$KOSTKA" filter histogram few.ppm few.csv
equals "$(wc -l <few.csv)" 257
equals "$(grep -v ',0,0,0$' few.csv | tr '\n' ' ')" 'sample,red,green,blue 0,2,0,0 36,0,4,0 73,0,0,2 109,0,0,2 255,2,0,0 '
expect 0 "$KOSTKA" filter crop=1x2,channel=blue,histogram few.ppm few.json
equals "$(json counts grey 109 <few.json)" 1 'a count in JSON'
expect 0 "$KOSTKA" convert few.ppm - --filters channel=blue,histogram --out-format csv
equals "$(grep -v ',0$' out | tr '\n' ' ')" 'sample,grey 73,2 109,2 '
"$KOSTKA" devices | sed -nE 's/^((opencl|cuda):[0-9]+) .*/\1/p' >gpus
while read -r device; do
    for chain in histogram grey,histogram; do
        expect 0 "$KOSTKA" filter $chain a.jpg expected.json --device cpu
        expect 0 "$KOSTKA" filter $chain a.jpg found.json --device "$device"
        same found.json expected.json
    done
done <gpus
expect 2 "$KOSTKA" filter grey,histogram a.ppm no.png
says 'histogram makes JSON or CSV'
expect 2 "$KOSTKA" convert a.ppm no.csv
says "csv holds what the filters 'histogram' and 'lines' find"
expect 2 "$KOSTKA" filter histogram,grey a.ppm no.json
says "there is no filter 'histogram'"
expect 2 "$KOSTKA" decode a.jpg no.json
says 'json holds no pixels'
expect 2 "$KOSTKA" encode a.ppm no.jpg --filters histogram
says 'histogram makes JSON or CSV'
# Straight lines are drawn, or listed.
expect 0 "$KOSTKA" filter lines a.png lines.pgm
expect 0 "$KOSTKA" filter crop=50x30,lines=20:60:1:3 a.png lines.json
expect 0 "$KOSTKA" filter crop=50x30,lines=20:60:1:3 a.png lines.csv
expect 0 "$KOSTKA" filter crop=50x30,lines=20:60:1:3 --out-format svg a.png lines.svg
equals "$(json width <lines.json) $(json height <lines.json)" '50 30' 'size in JSON'
equals "$(head -n 1 lines.csv)" x0,y0,x1,y1 'the head of CSV'
count=$(($(wc -l <lines.csv) - 1))
[ "$count" -gt 0 ] || fail 'no lines were found'
equals "$(json segments "$((count - 1))" 3 <lines.json)" "$(tail -n 1 lines.csv | cut -d, -f4)" 'the last number'
equals "$(json segments "$count" <lines.json 2>/dev/null)" '' 'behind the last line'
equals "$(grep -c '[M]' lines.svg)" "$count" 'lines in SVG'
grep -q "viewBox='0 0 50 30'" lines.svg || fail 'the size is not in SVG'
expect 2 "$KOSTKA" filter lines,invert a.png no.svg
says "svg holds what the filters 'histogram' and 'lines' find, of which it takes lines; one of these is to be the last"
expect 2 "$KOSTKA" filter histogram a.png no.svg
says 'histogram makes JSON or CSV'
[ -e no.svg ] || [ -e no.csv ] && fail 'a file without lines was written'

# Many inputs, and what is wrong with one of them.
expect 1 "$KOSTKA" filter crop=50x30:10:10 --out-dir many --out-format ppm a.png turned.ppm
says 'turned.ppm: filters: .*crop of 50x30 at 10, 10 reaches outside the image of 40x60'
[ -s many/a.ppm ] || fail 'the good picture was not written'
[ -e many/turned.ppm ] && fail 'a picture was written though its filter failed'
expect 0 "$KOSTKA" filter bilateral,sobel wide.png slopes.png
equals "$("$KOSTKA" info --json slopes.png | json 0 depth)" 16 depth
expect 1 "$KOSTKA" filter canny=1:2 wide.png no.png
says 'wide.png: filters: .*canny takes samples of up to 8 bits; depth=8 before it'
[ -e no.png ] && fail 'no.png was written'

# Planes are filtered as interleaved pixels are, and written as planes; those of YCbCr are refused.
expect 0 "$KOSTKA" encode a.png planes.jpg
expect 0 "$KOSTKA" decode --format planar --filters flip planes.jpg planes.pgm
expect 0 "$KOSTKA" filter flip,channel=green planes.jpg green.png
expect 0 "$KOSTKA" convert green.png green.pgm
cmp -s planes-1.pgm green.pgm || fail 'planes are filtered otherwise than pixels'
expect 1 "$KOSTKA" decode --format raw --filters flip planes.jpg no.pgm
says 'planes.jpg: filters: .*planes of grey, of RGB, or of RGB and alpha'

# Wrong calls.
expect 2 "$KOSTKA" filter cartoon=1 a.ppm b.ppm
says "levels is a number from 2 to 64, not '1' (at byte 8)"
expect 2 "$KOSTKA" filter painterly=8:5 a.ppm b.ppm
says "layers is a number from 1 to 4, not '5' (at byte 12)"
expect 2 "$KOSTKA" filter oil=16 a.ppm b.ppm
says "radius is a number from 1 to 15, not '16' (at byte 4)"
expect 2 "$KOSTKA" filter a.ppm b.ppm
says "filters come first, .* 'a.ppm' is a file"
expect 2 "$KOSTKA" filter missing.ppm b.ppm
says "there is no filter 'missing.ppm'"
expect 2 "$KOSTKA" convert --resize 10 --filter canny a.ppm b.ppm
says "'canny' is no value of --filter, which are bicubic, box, bilinear, hamming, lanczos; see"
expect 2 "$KOSTKA" filter invert,blur a.ppm b.ppm
says "there is no filter 'blur' (at byte 7)"
expect 2 "$KOSTKA" filter canny=50 a.ppm b.ppm
says 'canny needs high'
expect 2 "$KOSTKA" filter
says 'filters come first'
expect 2 "$KOSTKA" filter --threads 1 invert a.ppm b.ppm
says 'filters come first'
expect 2 "$KOSTKA" filter invert
says 'no input'
expect 2 "$KOSTKA" filter invert a.ppm
says 'no output'
expect 2 "$KOSTKA" filter invert --device all a.ppm b.ppm
says 'several devices work on many inputs only'
expect 2 "$KOSTKA" filter invert --filters invert a.ppm b.ppm
says 'the filters come first'
for verb in convert decode encode video; do
    expect 2 "$KOSTKA" $verb --filters canny=50 a.jpg b.ppm
    says "kostka $verb: filters 'canny=50': .*canny needs high"
    expect 2 "$KOSTKA" $verb --resize 30 --filter canny=50:150 a.jpg b.ppm
    says "'canny=50:150' is no value of --filter, .*a chain of filters goes to --filters"
done
expect 2 "$KOSTKA" transcode --filters invert a.jpg b.jpg
[ -e b.ppm ] && fail 'b.ppm was written'

# The help has every filter, and so has the manual.
"$KOSTKA" help filter >page
for name in crop resize rotate flip grey depth invert levels threshold equalise gaussian median bilateral sharpen sobel canny \
    warp rgb channel matrix lut xyz normalise histogram oil cartoon painterly lines; do
    grep -q "^  ${name}[= ]*" page || fail "$name is not in the help"
    grep -q "^\.It Cm $name" "$KOSTKA_SOURCE/docs/man/kostka-filter.1" || fail "$name is not in the manual"
    grep -q "^| \`$name" "$KOSTKA_SOURCE/docs/filters.md" || fail "$name is not in docs/filters.md"
done
finish
