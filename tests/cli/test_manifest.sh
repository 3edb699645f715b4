#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The record of many inputs, and going on with it.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# line NAME: the last line of the manifest m for an input
line() {
    grep -a -F "\"input\":\"$1\"" m | tail -n 1
}
# field NAME KEY…: a value in that line
field() {
    name=$1
    shift
    line "$name" | json "$@"
}

mkdir -p in/more
for i in 1 2 3 4; do
    picture $((i * 9)) $((i * 5)) >p.ppm
    "$KOSTKA" encode p.ppm in/p$i.jpg --restart 1r || fail 'cannot encode'
done
mv in/p4.jpg in/more
head -c -40 in/p2.jpg >in/warns.jpg
echo text >in/bad.jpg

# One line for each input, which says what has become of it.
expect 1 "$KOSTKA" decode --recursive in --out-dir made --manifest m --device cpu
equals "$(wc -l <m)" 6
for name in p1 p2 p3 more/p4; do
    equals "$(field in/$name.jpg status)" ok
    equals "$(field in/$name.jpg output)" made/$name.ppm
    equals "$(field in/$name.jpg files 0 path)" made/$name.ppm
    equals "$(field in/$name.jpg files 0 bytes)" "$(stat -c %s made/$name.ppm)"
    equals "$(field in/$name.jpg files 0 crc32)" "$(gzip -c made/$name.ppm | tail -c 8 | od -A n -N 4 -t x4 --endian=little | tr -d ' ')"
    equals "$(field in/$name.jpg device)" cpu
done
equals "$(field in/warns.jpg status)" warning
field in/warns.jpg warnings 0 | grep -q . || fail "no warning: $(line in/warns.jpg)"
[ -s made/warns.ppm ] || fail 'no output with a warning'
equals "$(field in/bad.jpg status)" failed
field in/bad.jpg error | grep -q 'JPEG\|SOI' || fail "no error: $(line in/bad.jpg)"
equals "$(ls .kostka* 2>/dev/null)" ''

# What is done is skipped, and what failed is tried again; its line follows the others.
cp -rp made before
cp m m.before
expect 1 "$KOSTKA" decode --recursive in --out-dir made --manifest m --resume
says 'in/bad.jpg: '
equals "$(wc -l <err)" 1 'lines of complaint'
equals "$(wc -l <m)" 7
head -n 6 m >m.head
same m.head m.before
for name in p1 p2 p3 warns more/p4; do
    equals "$(stat -c '%i %y' made/$name.ppm)" "$(stat -c '%i %y' before/$name.ppm | sed "s/^[0-9]*/$(stat -c %i made/$name.ppm)/")"
done
cp in/p3.jpg in/bad.jpg
expect 0 "$KOSTKA" decode --recursive in --out-dir made --manifest m --resume
equals "$(field in/bad.jpg status)" ok
equals "$(wc -l <m)" 8
expect 0 "$KOSTKA" decode --recursive in --out-dir made --manifest m --resume
equals "$(wc -l <m)" 8

# An output that is gone, or has another length, or another folder or format, is made again.
rm made/p1.ppm
echo >>made/p2.ppm
expect 0 "$KOSTKA" decode --recursive in --out-dir made --manifest m --resume
equals "$(wc -l <m)" 10
same made/p1.ppm before/p1.ppm
same made/p2.ppm before/p2.ppm
expect 0 "$KOSTKA" decode --recursive in --out-dir elsewhere --manifest m --resume
equals "$(wc -l <m)" 16
expect 0 "$KOSTKA" decode --recursive in --out-dir made --manifest m --resume --out-format png
equals "$(wc -l <m)" 22
identical made/p1.png made/p1.ppm

# Torn lines: the last is cut off, or, where another process writes, followed by a line feed; none is believed.
rm -rf made m
expect 0 "$KOSTKA" decode in --out-dir made --manifest m
equals "$(wc -l <m)" 5
whole=$(tail -n 1 m)
size=$(wc -c <m)
for kept in $((size - 1)) $((size - 20)) $((size - ${#whole})) $((size - ${#whole} - 1)); do
    cp m m.whole
    truncate -s "$kept" m
    expect 0 "$KOSTKA" decode in --out-dir made --manifest m --resume
    sort m >sorted
    sort m.whole >wanted
    same sorted wanted
    equals "$(wc -l <m)" 5 "lines of a manifest of $kept bytes"
done
truncate -s $((size - 9)) m
flock -s m sh -c "'$KOSTKA' decode in --out-dir made --manifest m --resume" 2>err || fail 'cannot resume beside another'
equals "$(wc -l <m)" 6
grep -c '^{.*}$' m >count
equals "$(cat count)" 5

# Rubbish among the lines is ignored.
{
    printf '\n{}\n[]\n{"input":7,"status":"ok"}\n{"input":"in/p1.jpg","status":"ok","output":"made/p1.ppm","files":[]}\n'
    printf '{"input":"in/p2.jpg","status":"ok","output":"made/p2.ppm","files":[{"path":"made/p2.ppm","bytes":"3"}]}\n'
    printf '{"input":"in/p3.jpg","status":"ok","output":"made/../p3.ppm","files":[{"path":"made/p3.ppm","bytes":%d}]}\n' "$(stat -c %s made/p3.ppm)"
    printf '{"input_hex":"zz","input":"in/p3.jpg","status":"ok"}\n{"status":"ok","input_hex":"6"}\n{{{{\n\0\0\n'
    head -c 100000 /dev/zero | tr '\0' '['
    echo
} >m
cp m m.before
expect 0 "$KOSTKA" decode in --out-dir made --manifest m --resume
equals "$(tail -n +13 m | wc -l)" 5 'lines behind rubbish'

# Names that are not UTF-8 are told apart.
mkdir bytes
cp in/p1.jpg "bytes/$(printf 'caf\351').jpg"
cp in/p3.jpg "bytes/$(printf 'caf\350').jpg"
expect 0 "$KOSTKA" decode bytes --out-dir bytes-made --manifest mb
equals "$(wc -l <mb)" 2
rm "bytes-made/$(printf 'caf\350').ppm"
expect 0 "$KOSTKA" decode bytes --out-dir bytes-made --manifest mb --resume
equals "$(wc -l <mb)" 3
equals "$(tail -n 1 mb | json input_hex)" "$(printf 'bytes/caf\350.jpg' | od -A n -t x1 | tr -d ' \n')"
[ -s "bytes-made/$(printf 'caf\350').ppm" ] || fail 'it was not made again'

# Planes are files of their own: all must be there.
"$KOSTKA" decode --format planar in/p3.jpg --out-dir planes --out-format pgm --manifest mp || fail 'cannot decode planes'
equals "$(json files 2 path <mp)" planes/p3-2.pgm
equals "$(json output <mp)" planes/p3.pgm
expect 0 "$KOSTKA" decode --format planar in/p3.jpg --out-dir planes --out-format pgm --manifest mp --resume
equals "$(wc -l <mp)" 1
rm planes/p3-1.pgm
expect 0 "$KOSTKA" decode --format planar in/p3.jpg --out-dir planes --out-format pgm --manifest mp --resume
equals "$(wc -l <mp)" 2
[ -s planes/p3-1.pgm ] || fail 'a plane was not made again'

# Names that clash do so again; the first that succeeded keeps the name.
cp in/p1.jpg p2.jpg
cp in/p2.jpg clash.jpg
for _ in 1 2 3; do
    expect 1 "$KOSTKA" decode in/p2.jpg p2.jpg in/p1.jpg --out-dir clash --manifest mc --resume
    says 'p2.jpg: would become clash/p2.ppm, which in/p2.jpg has become'
done
equals "$(grep -c '"status":"ok"' mc)" 2
expect 1 "$KOSTKA" decode gone.jpg sub/gone.jpg in/p1.jpg --out-dir late --manifest ml
mkdir sub
cp in/p1.jpg sub/gone.jpg
expect 1 "$KOSTKA" decode gone.jpg sub/gone.jpg --out-dir late --manifest ml --resume
cp in/p3.jpg gone.jpg
expect 1 "$KOSTKA" decode gone.jpg sub/gone.jpg --out-dir late --manifest ml --resume
says 'gone.jpg: would become late/gone.ppm, which sub/gone.jpg has become'
same late/gone.ppm before/p1.ppm
expect 1 "$KOSTKA" transcode --rotate 90 in/p1.jpg --out-dir in --manifest mi
says 'would replace itself, which --resume could do twice'

# Shares may have one manifest.
rm -f ms
for i in 0 1 2; do
    "$KOSTKA" decode --recursive in --out-dir shares --manifest ms --shard $i/3 2>err &
done
wait
equals "$(wc -l <ms)" 6
for i in 0 1 2; do
    expect 0 "$KOSTKA" decode --recursive in --out-dir shares --manifest ms --shard $i/3 --resume
done
expect 0 "$KOSTKA" decode --recursive in --out-dir shares --manifest ms --resume
equals "$(wc -l <ms)" 6

# What cannot be a manifest.
expect 2 "$KOSTKA" decode in --out-dir none --resume
says '--resume: a manifest says what has been done: add --manifest FILE'
expect 2 "$KOSTKA" decode in/p1.jpg one.ppm --manifest none
says '--manifest: it is for many inputs: add --out-dir'
expect 1 "$KOSTKA" decode in --out-dir none --manifest missing/m
says '^kostka: missing/m: No such file'
expect 1 "$KOSTKA" decode in --out-dir none --manifest in
says '^kostka: in: Is a directory'
expect 1 "$KOSTKA" decode in --out-dir none --manifest in/p1.jpg
says "in/p1.jpg: is no manifest"
same in/p1.jpg sub/gone.jpg
mkfifo pipe
expect 1 "$KOSTKA" decode in --out-dir none --manifest pipe
says 'pipe: is no regular file'
equals "$(find none -type f)" ''

# A manifest that cannot be written ends the work, and is torn: what is not in it is done again. The unit is 512 bytes.
mkdir limit
for i in 1 2 3 4 5 6 7 8 9; do
    "$KOSTKA" transcode in/p1.jpg limit/$i.jpg --strip
done
(
    ulimit -f 2
    expect 1 "$KOSTKA" transcode limit --out-dir limited --manifest mt --threads 1
    says '^kostka: mt: cannot write: File too large'
    says '^kostka: stopped after 1 failure'
    equals "$(wc -l <err)" 2 'lines of complaint'
    exit "$failures"
) || failures=$((failures + 1))
equals "$(wc -c <mt)" 1024
expect 0 "$KOSTKA" transcode limit --out-dir limited --manifest mt --threads 1 --resume
equals "$(grep -c '^{.*"status":"ok".*}$' mt)" 9
equals "$(wc -l <mt)" 9
finish
