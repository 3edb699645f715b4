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
expect 1 "$KOSTKA" filter cartoon wide.png no.png
says 'wide.png: filters: .*cartoon takes samples of up to 8 bits'
for target in jpg jp2 png tif bmp; do
    expect 0 "$KOSTKA" filter gaussian=1.5,sharpen=2:0.7:1,median,equalise a.png "out.$target"
done

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
expect 1 "$KOSTKA" filter lines,invert a.png no.svg
says 'a.png: filters: SVG, CSV and JSON hold straight lines; lines has to be the last filter'
expect 1 "$KOSTKA" convert a.png no.csv
says "a.png: SVG, CSV and JSON hold straight lines, which 'kostka filter lines' finds"
[ -e no.svg ] || [ -e no.csv ] && fail 'a file without lines was written'

# Many inputs, and what is wrong with one of them.
expect 1 "$KOSTKA" filter crop=50x30:10:10 --out-dir many --out-format ppm a.png turned.ppm
says 'turned.ppm: filters: .*crop of 50x30 at 10, 10 reaches outside the image of 40x60'
[ -s many/a.ppm ] || fail 'the good picture was not written'
[ -e many/turned.ppm ] && fail 'a picture was written though its filter failed'
expect 1 "$KOSTKA" filter sobel wide.png no.png
says 'wide.png: filters: .*sobel takes samples of up to 8 bits; depth=8 before it'
[ -e no.png ] && fail 'no.png was written'

# Wrong calls.
expect 2 "$KOSTKA" filter cartoon=1 a.ppm b.ppm
says "levels is a number from 2 to 64, not '1' (at byte 8)"
expect 2 "$KOSTKA" filter painterly=8:5 a.ppm b.ppm
says "layers is a number from 1 to 4, not '5' (at byte 12)"
expect 2 "$KOSTKA" filter oil=16 a.ppm b.ppm
says "radius is a number from 1 to 15, not '16' (at byte 4)"
expect 2 "$KOSTKA" filter a.ppm b.ppm
says "there is no filter 'a.ppm'"
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
says 'one device applies filters'
[ -e b.ppm ] && fail 'b.ppm was written'

# The help has every filter, and so has the manual.
"$KOSTKA" help filter >page
for name in crop resize rotate flip grey depth invert levels threshold equalise gaussian median bilateral sharpen sobel canny oil cartoon painterly lines; do
    grep -q "^  ${name}[= ]*" page || fail "$name is not in the help"
    grep -q "^\.It Cm $name" "$KOSTKA_SOURCE/docs/man/kostka-filter.1" || fail "$name is not in the manual"
    grep -q "^| \`$name" "$KOSTKA_SOURCE/docs/filters.md" || fail "$name is not in docs/filters.md"
done
finish
