#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Many inputs: each has its own fate.
. "$KOSTKA_SOURCE/tests/cli/library.sh"

mkdir in
for i in 1 2 3 4 5 6 7 8 9; do
    picture $((i * 9)) $((i * 5)) >"in/p$i.ppm"
done
expect 0 "$KOSTKA" encode in/*.ppm --out-dir jpeg
silent
equals "$(find jpeg -type f | wc -l)" 9
for i in 1 5 9; do
    "$KOSTKA" encode "in/p$i.ppm" one.jpg
    same one.jpg "jpeg/p$i.jpg"
done

# A damaged one, one that is no picture and one that is missing do not disturb the others.
head -c 60 jpeg/p3.jpg >jpeg/cut.jpg
echo text >jpeg/text.jpg
expect 1 "$KOSTKA" decode jpeg/*.jpg jpeg/missing.jpg --out-dir pixels --out-format png --threads 3
silent
says 'jpeg/cut.jpg: '
says 'jpeg/text.jpg: '
says 'jpeg/missing.jpg: No such file'
equals "$(wc -l <err)" 3 'lines of complaint'
equals "$(find pixels -type f | wc -l)" 9
for i in 1 5 9; do
    "$KOSTKA" decode "jpeg/p$i.jpg" one.png
    same one.png "pixels/p$i.png"
done
equals "$(find pixels -name '.*' -type f)" ''

# Names: the extension follows what the picture is; two inputs may not make one output.
"$KOSTKA" encode in/p1.ppm jpeg/grey.jpg --grey
expect 0 "$KOSTKA" decode jpeg/grey.jpg jpeg/p1.jpg --out-dir pnm
(cd pnm && only grey.pgm p1.ppm) || failures=$((failures + 1))
cp in/p1.ppm in/p1.copy.ppm
expect 0 "$KOSTKA" encode in/p1.ppm in/p1.copy.ppm --out-dir dots
(cd dots && only p1.jpg p1.copy.jpg) || failures=$((failures + 1))
mkdir other
cp in/p1.ppm other/p1.pnm
expect 2 "$KOSTKA" encode in/p1.ppm other/p1.pnm --out-dir clash
says 'same file'
expect 1 "$KOSTKA" encode in/p1.ppm --out-dir missing/deeper
says 'cannot be made'
expect 0 "$KOSTKA" transcode --optimize jpeg/p*.jpg --out-dir jpeg
equals "$("$KOSTKA" compare jpeg/p4.jpg pixels/p4.png)" "identical (2160 samples)" 'in place'

# Any number of threads, the same files.
expect 0 "$KOSTKA" decode jpeg/p*.jpg --out-dir one --threads 1
expect 0 env KOSTKA_THREADS=5 "$KOSTKA" decode jpeg/p*.jpg --out-dir five
for i in 1 2 3 4 5 6 7 8 9; do
    same "one/p$i.ppm" "five/p$i.ppm"
done

expect 1 "$KOSTKA" info jpeg/p1.jpg jpeg/text.jpg jpeg/p2.jpg --json
equals "$(json 0 width <out)" 9
equals "$(json 1 error code <out)" ERROR_JPEG_SOI
equals "$(json 2 width <out)" 18
expect 1 "$KOSTKA" bench decode jpeg/p1.jpg jpeg/text.jpg --repeat 2 --json
equals "$(json files 0 pixels <out)" 45
finish
