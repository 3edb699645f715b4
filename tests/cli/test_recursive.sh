#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Folders in folders: the tree of the inputs is that of the outputs.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# tree FOLDER: the files in it
tree() {
    (cd "$1" && find . -type f | sed 's,^\./,,' | sort | tr '\n' ' ')
}

mkdir -p in/a/deep/er in/b in/.hidden in/empty
for i in 1 2 3 4 5; do picture $((i * 9)) $((i * 5)) >p$i.ppm; done
for name in 1:in/top 2:in/a/same 3:in/b/same 4:in/a/deep/er/lower 5:in/.hidden/no; do
    "$KOSTKA" encode "p${name%%:*}.ppm" "${name#*:}.jpg" || fail "cannot encode $name"
done
echo text >in/b/notes.txt
cp in/top.jpg in/a/.no.jpg

# Without the option nothing of it is taken, and the message says how it would be.
expect 1 "$KOSTKA" decode in/a/deep --out-dir none
says 'in/a/deep: no JPEG or JPEG 2000 file in this folder; add --recursive'
expect 0 "$KOSTKA" decode in --out-dir flat
equals "$(tree flat)" 'top.ppm '
expect 2 "$KOSTKA" decode --recursive in/top.jpg top.ppm
says '--recursive: it is for many inputs: add --out-dir'

# The tree is mirrored, by any number of threads and each verb, with files among the operands.
for threads in 1 3; do
    expect 0 "$KOSTKA" decode --recursive in --out-dir out$threads --threads $threads
    equals "$(tree out$threads)" 'a/deep/er/lower.ppm a/same.ppm b/same.ppm top.ppm '
done
for file in top:1 a/same:2 b/same:3 a/deep/er/lower:4; do
    "$KOSTKA" decode "in/${file%:*}.jpg" one.ppm
    same one.ppm "out1/${file%:*}.ppm"
    same one.ppm "out3/${file%:*}.ppm"
done
expect 0 "$KOSTKA" encode --recursive out1 p5.ppm --out-dir again --out-format jp2
equals "$(tree again)" 'a/deep/er/lower.jp2 a/same.jp2 b/same.jp2 p5.jp2 top.jp2 '
expect 1 "$KOSTKA" convert --recursive in/a out1/b --out-dir png --out-format png
says 'out1/b/same.ppm: would become png/same.png, which in/a/same.jpg has become'
equals "$(tree png)" 'deep/er/lower.png same.png '
identical png/same.png out1/a/same.ppm

# In place; and the folder for outputs is no input where it lies within.
cp -r in place
expect 0 "$KOSTKA" transcode --recursive --optimize place --out-dir place
equals "$(tree place)" "$(tree in)"
"$KOSTKA" transcode --optimize in/a/same.jpg one.jpg
same one.jpg place/a/same.jpg
for _ in 1 2; do
    expect 0 "$KOSTKA" transcode --recursive in --out-dir in/out
    equals "$(tree in/out)" 'a/deep/er/lower.jpg a/same.jpg b/same.jpg top.jpg '
done
rm -r in/out

# Links: those that lead back end the walk for them alone; others are followed, and lead to each folder once.
ln -s .. in/a/back
ln -s ../b in/a/sideways
ln -s ../../elsewhere in/a/away
ln -s self in/self
ln -s missing.jpg in/dangling.jpg
mkdir elsewhere
cp in/top.jpg elsewhere/far.jpg
ln -s ../in elsewhere/round
expect 1 "$KOSTKA" decode --recursive in --out-dir linked
says 'in/a/back: is the folder in, which is walked through already'
says 'in/a/sideways: is the folder in/b, which is walked through already'
says 'in/a/away/round: is the folder in, which is walked through already'
says 'in/dangling.jpg: No such file'
equals "$(wc -l <err)" 4 'lines of complaint'
equals "$(tree linked)" 'a/away/far.ppm a/deep/er/lower.ppm a/same.ppm b/same.ppm top.ppm '
rm in/a/back in/a/sideways in/a/away in/self in/dangling.jpg

# What cannot be read or made is one failure among others.
expect 1 "$KOSTKA" decode --recursive in/empty in/b --out-dir some
says 'in/empty: no JPEG or JPEG 2000 file in this folder, nor in those in it'
equals "$(tree some)" 'same.ppm '
mkdir blocked
: >blocked/a
expect 1 "$KOSTKA" decode --recursive in --out-dir blocked
says 'in/a/same.jpg: cannot make the folder blocked/a: File exists\|in/a/same.jpg: .*Not a directory'
equals "$(tree blocked)" 'a b/same.ppm top.ppm '
if [ "$(id -u)" != 0 ]; then
    chmod 000 in/b
    expect 1 "$KOSTKA" decode --recursive in --out-dir closed
    says 'in/b: cannot read the folder: Permission denied'
    equals "$(tree closed)" 'a/deep/er/lower.ppm a/same.ppm top.ppm '
    chmod 700 in/b
fi
# A path that is longer than the system allows: the folder fails, and what lies above it does not.
long=$(printf '%0250d' 7)
(
    mkdir long && cd long && cp ../in/top.jpg . || exit 1
    for _ in $(seq 17); do
        mkdir "$long" && cd -P "$long" || exit 1
    done
) || fail 'cannot make a long path'
expect 1 "$KOSTKA" decode --recursive long --out-dir long-out
says '/0*7: .*File name too long'
equals "$(wc -l <err)" 1 'lines of complaint'
equals "$(tree long-out)" 'top.ppm '

# Links that multiply: each of thirty folders has two to the next one.
mkdir many
for i in $(seq 30); do
    mkdir many/d"$i"
    ln -s ../d$((i + 1)) many/d"$i"/x
    ln -s ../d$((i + 1)) many/d"$i"/y
done
cp in/top.jpg many/d30
expect 1 within 20 "$KOSTKA" decode --recursive many --out-dir many-out
equals "$(tree many-out)" 'd30/top.ppm '
finish
