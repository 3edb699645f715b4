#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The demo leaves what its last run has made and nothing of older ones, touches no other file, draws labels that do not touch
# each other, and prints nothing but its table.
set -u
build=$1
demo=$KOSTKA_SOURCE/examples/demo.sh
unset KOSTKA_THREADS KOSTKA_CPU KOSTKA_DEVICE
for tool in kostka examples/contact_sheet bench/kostka-curves; do
    [ -x "$build/$tool" ] || {
        echo "no $tool"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# labels FILE.svg: pairs of labels whose boxes overlap. A character of 12 pixels is at most 7.7 wide as a rule, and a line
# goes from 11 above to 3 below where it stands.
labels() {
    sed -n "s/<text x='\([0-9.-]*\)' y='\([0-9.-]*\)' text-anchor='\([a-z]*\)' fill='[^']*'>\(.*\)<\/text>/\1\t\2\t\3\t\4/p" "$1" |
        awk -F '\t' '{
            text[NR] = $4; gsub(/&[a-z]*;/, "x", $4); width = 7.7 * length($4)
            left[NR] = $1 - ($3 == "middle" ? width / 2 : $3 == "end" ? width : 0); right[NR] = left[NR] + width
            top[NR] = $2 - 11; bottom[NR] = $2 + 3
            for (i = 1; i < NR; i++)
                if (left[i] < right[NR] && left[NR] < right[i] && top[i] < bottom[NR] && top[NR] < bottom[i])
                    print text[i] " and " text[NR]
        } END { if (NR < 10) print "only " NR " labels" }'
}

for i in 1 2 3 4; do
    awk -v s="$i" 'BEGIN { print "P3 64 48 255"; for (i = 0; i < 9216; i++) { s = (s * 1103 + 12345) % 65536; print s % 40 + i % 190 } }' >"$i.ppm"
    "$build/kostka" encode "$i.ppm" plain.jpg || exit 1
    # A comment, of which the demo's PPM files have none.
    { head -c 2 plain.jpg && printf '\377\376\000\013a comment' && tail -c +3 plain.jpg; } >"photo $i.jpg"
done

run() {
    sh "$demo" "$build" out "$@" >log 2>said || fail "the demo failed: $(tail -n 5 said)"
    [ ! -s said ] || fail "beside its table the demo says: $(cat said)"
}

run 'photo 1.jpg' 'photo 2.jpg' 'photo 3.jpg'
for file in 03-photo_3-layers3.jp2 table.txt curves.svg contact-sheet.jpg filters.jpg filters/canny.jpg filters/index.html; do
    [ -s out/$file ] || fail "there is no $file"
done
touched=$(labels out/curves.svg)
[ -z "$touched" ] || fail "labels touch: $touched"
echo mine >out/notes.txt
echo mine >out/09-mine-q50.jpg
run 'photo 4.jpg' 'photo 2.jpg'
found=$(cd out && printf '%s ' *)
wanted=$(cd out && printf '%s ' 01-photo_2-*.jp* 02-photo_4-*.jp* 09-mine-q50.jpg contact-sheet.jpg curves.svg filters filters.jpg notes.txt table.txt)
[ "$found" = "$wanted" ] || fail "after another run there are: $found"
[ "$(cat out/notes.txt out/09-mine-q50.jpg)" = "$(printf 'mine\nmine')" ] || fail 'another file was touched'
[ "$(find out -name '02-photo_4-*' | wc -l)" = 9 ] || fail "files of a photograph: $(ls out)"

# Make files as runs did before they listed what they make.
mkdir old
: >old/table.txt
: >old/07-sunset-q75.jpg
: >old/12-sunset-lossless.jp2
: >old/sunset-q75.jpg
: >old/07-sunset.jpg
sh "$demo" "$build" old 'photo 1.jpg' >log 2>&1 || fail 'the demo failed'
left=$(cd old && printf '%s ' *sunset*)
[ "$left" = '07-sunset.jpg sunset-q75.jpg ' ] || fail "of files beside an older run's there are: $left"

# Axes over many powers and many decibels.
i=0
for bits in 0.0101 0.4 9; do
    for codec in 'JPEG 420' 'JPEG 444' 'JPEG 2000'; do
        i=$((i + 11))
        printf 'a photograph with a long name that 1\t%s\t%s\t%s\n' "$codec" $bits $i
        printf 'b photograph with a long name that 2\t%s\t%s\t%s\n' "$codec" $bits $i
    done
done >points
"$build/bench/kostka-curves" 'Rate and distortion of JPEG and JPEG 2000' wide.svg <points || fail 'cannot draw'
touched=$(labels wide.svg)
[ -z "$touched" ] || fail "labels touch: $touched"
[ "$failures" = 0 ]
