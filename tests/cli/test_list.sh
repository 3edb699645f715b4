#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Inputs that a list names.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

mkdir -p in/more 'in/two words'
for i in 1 2 3 4 5 6; do picture $((i * 9)) $((i * 5)) >p$i.ppm; done
for name in 1:in/a 2:in/b '3:in/two words/c' 4:in/more/d 5:-; do
    "$KOSTKA" encode "p${name%%:*}.ppm" "./${name#*:}.jpg" || fail "cannot encode $name"
done
mv ./-.jpg ./-

# Lines, empty ones among them, the last without an end; operands come first; folders count as among operands.
printf 'in/a.jpg\n\n\nin/two words/c.jpg\n-\n./in/more' >list
expect 0 "$KOSTKA" decode --files-from list in/b.jpg --out-dir lines
silent
(cd lines && only a.ppm b.ppm c.ppm d.ppm -.ppm) || failures=$((failures + 1))
for name in a:in/a.jpg b:in/b.jpg 'c:in/two words/c.jpg' d:in/more/d.jpg -:./-; do
    "$KOSTKA" decode "${name#*:}" one.ppm
    same one.ppm "lines/${name%%:*}.ppm"
done
expect 0 "$KOSTKA" decode --files-from - --out-dir standard <list
(cd standard && only a.ppm c.ppm d.ppm -.ppm) || failures=$((failures + 1))
expect 0 "$KOSTKA" decode --files-from=/dev/null --out-dir nothing
equals "$(find nothing -type f)" ''
printf 'in\n' | expect 0 "$KOSTKA" transcode --recursive --files-from - --out-dir tree
(cd tree && only a.jpg b.jpg more 'two words') || failures=$((failures + 1))

# Names that end with a byte of 0 may hold line feeds.
cp in/a.jpg "in/line
feed.jpg"
find in -name '*.jpg' -print0 | sort -z >list0
for option in -0 --null; do
    rm -rf zero
    expect 0 "$KOSTKA" transcode $option --files-from list0 --out-dir zero
    equals "$(find zero -type f -printf x)" xxxxx
    same "zero/line
feed.jpg" zero/a.jpg
done

# One that is missing is one failure; names that clash are, too.
printf 'in/a.jpg\nin/missing.jpg\nin/b.jpg\nin/a.jpg\n' >list
expect 1 "$KOSTKA" decode --files-from list --out-dir some
says 'in/missing.jpg: No such file'
says 'in/a.jpg: would become some/a.ppm, which in/a.jpg has become'
equals "$(wc -l <err)" 2 'lines of complaint'
(cd some && only a.ppm b.ppm) || failures=$((failures + 1))

# What is no list ends the call before anything is made.
# refuses PATTERN ARGUMENT…
refuses() {
    pattern=$1
    shift
    expect 1 "$KOSTKA" decode --out-dir refused "$@" in/b.jpg
    says "$pattern"
    equals "$(wc -l <err)" 1 'lines of complaint'
    [ -z "$(find refused -type f)" ] || fail "a refused list made files: $*"
}
refuses '^kostka: absent: No such file' --files-from absent
refuses '^kostka: in: line 1: Is a directory' --files-from in
refuses '^kostka: list0: line 1: it holds a byte of 0; --null' --files-from list0
printf 'in/a.jpg\n\n%05000d\n' 1 >long
refuses '^kostka: long: line 3: longer than the name of a file may be' --files-from long
printf 'in/a.jpg\0%05000d\0' 1 >long0
refuses '^kostka: long0: name 2: longer' --null --files-from long0
if [ -e /dev/zero ]; then
    within 5 "$KOSTKA" decode --out-dir refused --files-from /dev/zero 2>err && fail 'an endless list was read'
    says 'line 1'
    (tr '\0' x </dev/zero | within 5 "$KOSTKA" decode --out-dir refused --null --files-from - 2>err) &&
        fail 'an endless name was read'
    says 'standard input: name 1: longer'
fi
# Long lists, of different names or of one that clashes with itself, take little time, and memory for the names alone.
seq 100000 | sed 's,.*,nowhere/&.jpg,' >different
sed 's,.*,nowhere/x.jpg,' different >alike
for list in different alike; do
    "$PEAK" peak.kb prlimit --cpu=40 "$KOSTKA" decode --files-from $list --out-dir refused --threads 2 2>err &&
        fail 'missing files were decoded'
    equals "$(wc -l <err)" 100000 "lines of complaint on a list of $list names"
    [ -n "${KOSTKA_SANITIZED:-}" ] || between "$(cat peak.kb)" 1 60000 "kilobytes for a list of $list names"
done
expect 2 "$KOSTKA" decode --files-from list one.ppm
says 'files-from names many inputs: add --out-dir'
expect 2 "$KOSTKA" decode --files-from list --files-from list0 --out-dir refused
says 'one list'
expect 2 "$KOSTKA" decode --null in/a.jpg --out-dir refused
says '--null: it is for the names in a list'
expect 2 "$KOSTKA" decode --files-from - - --out-dir refused </dev/null
says 'cannot be an input as well'
finish
