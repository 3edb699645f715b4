#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No output replaces its own input unless that loses nothing (transcode) or is asked for (--in-place).
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 64 48 >a.ppm
"$KOSTKA" encode a.ppm a.jpg || fail 'cannot encode'
"$KOSTKA" convert a.ppm a.png || fail 'cannot convert'
cp a.jpg before.jpg
cp a.ppm before.ppm
cp a.png before.png
ln -s a.jpg soft.jpg
ln a.jpg hard.jpg
ln -s a.png soft.png
mkdir folder

# One input: whatever the output's spelling, and before anything is read or written.
for name in a.jpg ./a.jpg folder/../a.jpg "$PWD/a.jpg" soft.jpg hard.jpg; do
    for call in 'encode' 'convert' 'convert -q 10' 'filter grey'; do
        # shellcheck disable=SC2086 # words
        expect 2 "$KOSTKA" $call a.jpg "$name"
        says 'is the input itself: name another file, or add --in-place'
        same a.jpg before.jpg
    done
done
expect 2 "$KOSTKA" encode soft.jpg a.jpg
expect 2 "$KOSTKA" encode -i a.jpg -o a.jpg
expect 2 "$KOSTKA" convert - soft.jpg <a.jpg
says "'soft.jpg' is the input itself"
expect 2 "$KOSTKA" decode a.jpg soft.jpg --out-format ppm
says "'soft.jpg' is the input itself"
expect 2 "$KOSTKA" convert a.png soft.png
same a.jpg before.jpg
same a.png before.png
expect 2 "$KOSTKA" filter stereo a.png before.png a.png
says "'a.png' is an input: name another file"
expect 2 "$KOSTKA" filter stereo before.png a.png out.png --confidence soft.png
says "'soft.png' is an input: name another file"
same a.png before.png
cp before.jpg v.mjpeg
expect 2 "$KOSTKA" video v.mjpeg ./v.mjpeg
says "'./v.mjpeg' is the input itself: name another file, or add --in-place"
expect 2 "$KOSTKA" video f%d.png f%d.png
says "'f%d.png' is the input itself"
expect 2 "$KOSTKA" volume encode --shape 1x48x64 --type u8 a.png soft.png
says "'soft.png' is the input itself: name another file"
expect 2 "$KOSTKA" tiff decode a.png soft.png
says "'soft.png' is the input itself: name another file"
same a.png before.png

# What is asked for is done as a whole or not at all; other names of the file keep what they lead to.
expect 0 "$KOSTKA" encode a.jpg soft.jpg -q 10 --in-place
[ -h soft.jpg ] || fail 'the link was replaced'
cmp -s a.jpg before.jpg && fail '--in-place changed nothing'
same hard.jpg before.jpg
"$KOSTKA" encode before.jpg wanted.jpg -q 10
same a.jpg wanted.jpg
head -c 200 before.jpg >cut.jpg
cp cut.jpg cut-before.jpg
expect 1 "$KOSTKA" convert cut.jpg cut.jpg --in-place
same cut.jpg cut-before.jpg

# Many inputs: the folder of an input, under any name of it.
mkdir many
cp before.jpg many/p1.jpg
cp before.png many/p2.png
ln -s many alias
for place in many ./many "$PWD/many" alias; do
    expect 1 "$KOSTKA" encode many/p1.jpg many/p2.png --out-dir "$place"
    says 'p1.jpg: .*/p1.jpg would replace its own input: choose another folder, or add --in-place'
    same many/p1.jpg before.jpg
    [ -f many/p2.jpg ] || fail 'what replaces nothing was not made'
    rm -f many/p2.jpg
done
expect 1 "$KOSTKA" filter grey many/p2.png --out-format png --out-dir many
says 'would replace its own input'
same many/p2.png before.png
expect 0 "$KOSTKA" filter grey many/p2.png --out-format png --out-dir many --in-place
"$KOSTKA" filter grey before.png wanted.png
same many/p2.png wanted.png

# Transcoding loses no coefficient, and needs no word.
expect 0 "$KOSTKA" transcode --optimize before.jpg before.jpg
expect 0 "$KOSTKA" transcode --progressive many/p1.jpg --out-dir many
equals "$("$KOSTKA" compare many/p1.jpg hard.jpg)" 'identical (9216 samples)' 'in place'
expect 0 "$KOSTKA" transcode --optimize many/p1.jpg --out-dir many --in-place

# Devices and pipes are no files that could be lost.
expect 0 "$KOSTKA" convert - - --out-format ppm <a.ppm
finish
