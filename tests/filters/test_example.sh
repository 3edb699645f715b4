#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The example that makes line drawings of a folder of JPEG files, and the pictures of all filters. Usage: test_example.sh BUILD
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
build=$1

mkdir in drawn
for i in 1 2 3 4; do
    picture $((i * 29)) $((i * 17)) >p.ppm
    "$KOSTKA" encode p.ppm "in/p$i.jpg" || fail 'cannot encode'
done
for device in cpu $("$KOSTKA" devices | sed -nE 's/^((opencl|cuda):[0-9]+) .*/\1/p'); do
    expect 0 env KOSTKA_DEVICE="$device" "$build/examples/line_drawings" drawn in/*.jpg
    for i in 1 2 3 4; do
        expect 0 "$KOSTKA" filter grey,gaussian=1.4,canny=30:80,invert -q 90 --device cpu "in/p$i.jpg" expected.jpg
        same "drawn/p$i.jpg" expected.jpg
        rm -f "drawn/p$i.jpg"
    done
done

# What fails disturbs no other file.
echo text >in/bad.jpg
expect 1 env KOSTKA_DEVICE=cpu KOSTKA_FILTERS=sobel "$build/examples/line_drawings" drawn in/*.jpg
says 'in/bad.jpg'
[ -s drawn/p4.jpg ] || fail 'the good files were not written'
[ -e drawn/bad.jpg ] && fail 'a bad file was written'
expect 1 env KOSTKA_FILTERS=nosuch "$build/examples/line_drawings" drawn in/p1.jpg
says "there is no filter 'nosuch'"
expect 2 "$build/examples/line_drawings" drawn

# Pictures of all filters, with an index; each filter that there is has one.
picture 90 60 >p.ppm
expect 0 "$KOSTKA_SOURCE/examples/filters.sh" "$KOSTKA" all p.ppm
"$KOSTKA" help filter | sed -nE 's/^  ([a-z]+)( |=).*/\1/p' | grep -v -x -e kostka -e histogram | sort -u >names
while read -r name; do
    [ -s "all/$name.jpg" ] || fail "there is no picture of $name"
    grep -q "$name.jpg" all/index.html || fail "$name is not in the index"
done <names
[ "$(wc -l <names)" -ge 20 ] || fail 'the help has fewer filters'
finish
