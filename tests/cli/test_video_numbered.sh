#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files with numbers begin anywhere, and those that are damaged or missing are counted, and repeat the one before.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

for i in 1 2 3 4 5 6; do
    picture 32 20 $((i * 40)) >p$i.ppm
    expect 0 "$KOSTKA" convert p$i.ppm n$i.png
    expect 0 "$KOSTKA" encode p$i.ppm j$i.jpg -q 90
    cp n$i.png shot.100$i.png
    cp j$i.jpg shot.099$i.jpg
done
# frames FILE NUMBER…: the file has these of the pictures n1 to n6, coded without loss
frames() {
    name=$1
    shift
    expect 0 "$KOSTKA" video "$name" 'got%d.png'
    k=0
    for number in "$@"; do
        k=$((k + 1))
        same got$k.png n"$number".png
    done
    [ ! -e got$((k + 1)).png ] || fail "$name has more than $k frames"
    rm -f got*.png
}
expect 0 "$KOSTKA" video 'n%d.png' wanted.avi --lossless
silent
equals "$(cat err)" ''
frames wanted.avi 1 2 3 4 5 6

# Sequences begin with the least number, or the one that is asked for, and are written from 1 on or another one.
touch shot.png shot.99.png shot.00001.png shot.0999.png.bak xshot.0001.png shot.1a.png
expect 0 "$KOSTKA" video 'shot.%04d.png' a.avi --lossless
equals "$(cat err)" ''
same a.avi wanted.avi
expect 0 "$KOSTKA" video "$PWD/shot.%04d.png" a.avi --lossless
same a.avi wanted.avi
expect 0 "$KOSTKA" video 'shot.%04d.png' a.avi --lossless --first 1003
frames a.avi 3 4 5 6
expect 1 "$KOSTKA" video 'shot.%04d.png' a.avi --first 7
says 'no file has the number 7 of --first; the first one is 1001'
expect 1 "$KOSTKA" video 'absent%d.png' a.avi
says 'no file has such a name'
expect 0 "$KOSTKA" video wanted.avi 'again.%04d.png' --first-out 1001
for i in 1 2 3 4 5 6; do same again.100$i.png n$i.png; done
[ ! -e again.0001.png ] || fail '--first-out writes from 1 on'
expect 0 "$KOSTKA" video wanted.avi 'zero%d.png' --first-out 0
same zero0.png n1.png
expect 2 "$KOSTKA" video wanted.avi a.mjpeg --first-out 5
says '--first-out: it is for files with numbers'
expect 2 "$KOSTKA" video wanted.avi 'a%d.png' --first 5
says '--first: it is for files with numbers'
expect 2 "$KOSTKA" video 'n%d.png' a.avi --first -5
says '--first takes the number of a file'
# Files that replace those that are read keep their numbers: others would be overwritten before they are read.
for i in 1 2 3; do cp n$i.png self$((i - 1)).png; done
expect 0 within 20 "$KOSTKA" video 'self%d.png' 'self%d.png' --in-place
for i in 1 2 3; do same self$((i - 1)).png n$i.png; done
[ ! -e self3.png ] || fail 'files that replace others have other numbers'
expect 2 "$KOSTKA" video 'self%d.png' 'self%d.png' --in-place --first-out 5
says '--first-out: files that replace those that are read keep their numbers'
# Another spelling of the folder makes no other files of them.
mkdir of && for i in 1 2 3; do cp n$i.png of/self$((i - 1)).png; done
for name in ./of/self%d.png "$PWD/of/self%01d.png" of/../of/self%d.png; do
    expect 2 "$KOSTKA" video 'of/self%d.png' "$name" --filters invert
    says 'is the input itself'
done
for i in 1 2 3; do same of/self$((i - 1)).png n$i.png; done
expect 0 "$KOSTKA" video 'of/self%d.png' ./of/self%d.png --in-place
for i in 1 2 3; do same of/self$((i - 1)).png n$i.png; done
[ ! -e of/self3.png ] || fail 'files that replace others have other numbers where their folder is spelled otherwise'
expect 0 "$KOSTKA" video 'of/self%d.png' 'of/self%03d.png' --first-out 0
for i in 1 2 3; do same of/self00$((i - 1)).png n$i.png; done
# Where folders have numbers, those from 0 to 10 are looked for.
for i in 4 5 6; do mkdir f$i && cp n$i.png f$i/frame.png; done
expect 0 "$KOSTKA" video 'f%d/frame.png' a.avi --lossless
frames a.avi 4 5 6

# Those of --first need not be among these.
mkdir g20 g21 && cp n1.png g20/frame.png && cp n2.png g21/frame.png
expect 1 "$KOSTKA" video 'g%d/frame.png' a.avi --lossless
says 'no file has such a name with a number from 0 to 10'
expect 1 "$KOSTKA" video 'g%d/frame.png' a.avi --lossless --first 19
says 'no file has the number 19 of --first'
expect 0 "$KOSTKA" video 'g%d/frame.png' a.avi --lossless --first 20
equals "$(cat err)" ''
frames a.avi 1 2

# What is no folder ends the sequence, and so do names that are too long for a file: they have no end.
touch f7
expect 0 "$KOSTKA" video 'f%d/frame.png' a.avi --lossless
equals "$(cat err)" ''
frames a.avi 4 5 6
long=$(printf '%0250d' 0 | tr 0 x)
for i in 1 2 3; do cp n$i.png "$long$((i + 6)).png"; done
expect 0 within 20 "$KOSTKA" video "$long%d.png" a.avi --lossless
equals "$(cat err)" ''
frames a.avi 1 2 3

# Numbers that are missing repeat the frame before; with --strict the first of them ends the work.
mkdir gap
for i in 1 2 4 6; do cp n$i.png gap/$i.png; done
expect 0 "$KOSTKA" video 'gap/%d.png' a.avi --lossless
says '2 numbers are missing, in whose place the frame before is repeated; the first: 3'
frames a.avi 1 2 2 4 4 6
expect 0 "$KOSTKA" video 'gap/%d.png' a.y4m --resize 16x10
says '2 numbers are missing'
expect 0 "$KOSTKA" video 'n%d.png' b.y4m --resize 16x10
equals "$(wc -c <a.y4m)" "$(wc -c <b.y4m)" 'bytes of six frames'
expect 1 "$KOSTKA" video 'gap/%d.png' a.avi --lossless --strict
says 'gap/3.png is missing, and files of later numbers are there'
# Files that are too far away are another sequence, which is mentioned.
cp n5.png gap/500.png
expect 0 "$KOSTKA" video 'gap/%d.png' a.avi --lossless
says 'the numbers end at 6; files of later numbers, up to 500, are left out'
frames a.avi 1 2 2 4 4 6
expect 0 "$KOSTKA" video 'gap/%d.png' a.avi --lossless --first 500 --strict
frames a.avi 5
expect 1 "$KOSTKA" video 'gap/%d.png' a.avi --lossless --strict --first 6
says 'gap/7.png is missing'

# So do pictures that cannot be read, or that have another size; those in front of the first good one become it.
mkdir bad
for i in 2 4 6; do cp n$i.png bad/$i.png; done
echo text >bad/1.png
head -c 60 n3.png >bad/3.png
expect 0 "$KOSTKA" convert n5.png bad/5.png --resize 16x10
expect 0 "$KOSTKA" video 'bad/%d.png' a.avi --lossless
says '3 of 6 frames are damaged, and repeat the one before; the first: bad/1.png: '
frames a.avi 2 2 2 4 4 6
expect 1 "$KOSTKA" video 'bad/%d.png' a.avi --strict
says 'bad/1.png: '
rm bad/6.png
echo text >bad/6.png
expect 0 "$KOSTKA" video 'bad/%d.png' a.avi --lossless --first 4
says '2 of 3 frames are damaged, and repeat the one before; the first: bad/5.png: 16x10'
frames a.avi 4 4 4
for i in 1 2 3; do echo text >bad/only$i.png; done
expect 1 "$KOSTKA" video 'bad/only%d.png' a.avi
says 'no file can be read; the first: bad/only1.png: '
# Grey ones among pictures of RGB are pictures of RGB.
expect 0 "$KOSTKA" filter grey n3.png bad/grey2.png
expect 0 "$KOSTKA" filter grey,rgb n3.png grey.png
cp n1.png bad/grey1.png
expect 0 "$KOSTKA" video 'bad/grey%d.png' 'rgb%d.png' --strict
identical rgb2.png grey.png

# Coded frames: files that are missing, or that hold something else, where frames are passed on, decoded and changed.
rm shot.0993.jpg
echo text >shot.0995.jpg
for i in 1 2 2 4 4 6; do cat j$i.jpg; done >wanted.mjpeg
expect 0 "$KOSTKA" video 'shot.%04d.jpg' a.mjpeg
says '1 numbers are missing, in whose place the frame before is repeated; the first: 993'
says '1 of 6 frames are damaged, and repeat the one before; the first: shot.0995.jpg: '
same a.mjpeg wanted.mjpeg
for options in '' --latency '--resize 16x10'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" video 'shot.%04d.jpg' a.y4m $options
    says '1 of 6 frames are damaged'
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" video wanted.mjpeg b.y4m $options
    same a.y4m b.y4m
done
expect 1 "$KOSTKA" video 'shot.%04d.jpg' a.mjpeg --strict
says 'shot.0993.jpg is missing'
cp j3.jpg shot.0993.jpg
expect 1 "$KOSTKA" video 'shot.%04d.jpg' a.y4m --strict
says 'shot.0995.jpg: '
finish
