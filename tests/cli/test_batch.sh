#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Many inputs: each has its own fate.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

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

# If several inputs would become the same file, the first of them does, with any number of threads; all other inputs
# succeed.
mkdir other
cp in/p1.ppm other/p1.pnm
cp in/p2.ppm other/p1.ppm
for threads in 1 2 5; do
    rm -rf clash
    expect 1 "$KOSTKA" encode other/p1.pnm in/p1.ppm in/p2.ppm other/p1.ppm --out-dir clash --threads $threads
    says 'in/p1.ppm: would become clash/p1.jpg, which other/p1.pnm has become'
    says 'other/p1.ppm: would become clash/p1.jpg, which other/p1.pnm has become'
    equals "$(wc -l <err)" 2 'lines of complaint'
    (cd clash && only p1.jpg p2.jpg) || failures=$((failures + 1))
    same clash/p1.jpg jpeg/p1.jpg
done
# The same name with another extension is another file; where the first fails the second may have the name.
"$KOSTKA" encode in/p3.ppm jpeg/p3.jp2
expect 0 "$KOSTKA" transcode jpeg/p3.jpg jpeg/p3.jp2 --out-dir both
(cd both && only p3.jpg p3.jp2) || failures=$((failures + 1))
expect 1 "$KOSTKA" decode missing/p3.jpg jpeg/p3.jpg --out-dir second
[ -s second/p3.ppm ] || fail 'the second input has not become the output'
# No output takes the place of another input.
mkdir place
"$KOSTKA" convert in/p4.ppm place/a.png
"$KOSTKA" convert in/p5.ppm place/a.tif
cp place/a.png kept.png
expect 1 "$KOSTKA" convert place/a.tif place/a.png --out-format png --out-dir place
says 'place/a.tif: would replace place/a.png, which is another input'
identical place/a.png kept.png
rm jpeg/p3.jp2

# Folders above are made, too; what is in their way is named.
expect 0 "$KOSTKA" encode in/p1.ppm --out-dir missing/deeper/still/
same missing/deeper/still/p1.jpg jpeg/p1.jpg
: >file
expect 1 "$KOSTKA" encode in/p1.ppm --out-dir file/deeper
says 'file/deeper: cannot make the folder file/deeper: Not a directory'
expect 1 "$KOSTKA" encode in/p1.ppm --out-dir file
says 'file: is no folder'
if [ "$(id -u)" != 0 ]; then
    mkdir closed
    chmod 555 closed
    expect 1 "$KOSTKA" encode in/p*.ppm --out-dir closed
    equals "$(cat err)" 'kostka: closed: no files can be made there: Permission denied'
fi
expect 1 "$KOSTKA" encode in/p1.ppm --out-dir /proc/self
[ "$(grep -c . err)" = 1 ] || fail "complaints: $(cat err)"

# A folder stands for the pictures in it: by signature or extension, in order, no hidden files, no folders in it.
mkdir -p album/inner
for i in 1 2 3; do cp jpeg/p$i.jpg "album/photo $i.JPG"; done
cp jpeg/p4.jpg album/no-extension
cp jpeg/p5.jpg album/.hidden.jpg
cp jpeg/p6.jpg album/inner/p6.jpg
cp pixels/p7.png album/drawing.png
cp in/p8.ppm album/text.txt
echo text >album/notes.txt
echo text >album/damaged.jpeg
mkfifo album/pipe.jpg
: >album/samples.raw
expect 1 "$KOSTKA" decode album --out-dir from-album
says '^kostka: album/damaged.jpeg: '
equals "$(wc -l <err)" 1 'lines of complaint'
(cd from-album && only 'photo 1.ppm' 'photo 2.ppm' 'photo 3.ppm' no-extension.ppm) || failures=$((failures + 1))
expect 1 "$KOSTKA" convert album/ in/p9.ppm --out-dir album-png --out-format png
says '^kostka: album/damaged.jpeg: '
(cd album-png && only 'photo 1.png' 'photo 2.png' 'photo 3.png' no-extension.png drawing.png text.png p9.png) || failures=$((failures + 1))
identical album-png/text.png in/p8.ppm
expect 1 "$KOSTKA" transcode album/inner other --out-dir nothing
says 'other: no JPEG or JPEG 2000 file in this folder'
(cd nothing && only p6.jpg) || failures=$((failures + 1))
expect 2 "$KOSTKA" decode album one.ppm
says 'album is a folder: add --out-dir'
[ ! -e one.ppm ] || fail 'a folder became a picture'
printf 'abcd' >album/samples.raw
mkdir samples
mv album/samples.raw samples
expect 0 "$KOSTKA" convert --raw 2x2:8 --out-format pgm --out-dir raw samples
equals "$(tail -c 4 raw/samples.pgm)" abcd

# A folder in place of the output: the remedy is named, whether it is there or not.
for verb in decode encode transcode convert; do
    expect 2 "$KOSTKA" $verb jpeg/p1.jpg samples
    says 'the output samples is a folder: write --out-dir samples'
    expect 2 "$KOSTKA" $verb jpeg/p1.jpg nowhere/
    says 'the output nowhere/ is a folder'
    expect 2 "$KOSTKA" $verb jpeg/p1.jpg jpeg/p2.jpg samples
    says 'the output samples is a folder'
    expect 2 "$KOSTKA" $verb album one.jpg
    says 'album is a folder: add --out-dir'
done
expect 2 "$KOSTKA" jpeg/p1.jpg one.png
says "'jpeg/p1.jpg' is no verb but a file; 'kostka convert jpeg/p1.jpg OUT'"
expect 1 "$KOSTKA" decode '' one.ppm
says "^kostka: '': No such file"

# Write errors name the output.
mkdir -p blocked/p1.jpg
expect 1 "$KOSTKA" encode in/p1.ppm in/p2.ppm --out-dir blocked
says '^kostka: in/p1.ppm: blocked/p1.jpg is a directory'
same blocked/p2.jpg clash/p2.jpg
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
