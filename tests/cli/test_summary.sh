#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The table at the end of work on many inputs.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# counts NAME NUMBER: a line of the table; no number: there is none
counts() {
    equals "$(sed -n "s/^ *$1  *\([0-9.]*\).*/\1/p" err)" "$2" "$1"
}

mkdir -p in made/p7.jpg
for i in 1 2 3 4 5; do picture $((i * 90)) $((i * 50)) >in/p$i.ppm; done
picture 10 1900 >in/p6.ppm
cp in/p1.ppm in/p7.ppm
echo text >in/bad1.ppm
echo text >in/bad2.ppm
cp in/p1.ppm in/p1.pnm

# Each failure by its kind, and the bytes of what succeeded.
expect 1 "$KOSTKA" encode -v in in/missing.ppm --out-dir made --max-pixels 19999
counts 'inputs that succeeded' 3
counts 'inputs that failed' 8
counts 'damaged or unsuitable' 2
counts 'cannot be read' 1
counts 'beyond a limit' 3
counts "output's name is taken" 1
counts 'cannot be written' 1
counts 'with warnings' ''
counts 'done before' ''
counts left ''
expect 1 "$KOSTKA" encode -v in/p1.ppm in/p2.ppm in/p3.ppm in/missing.ppm --out-dir made --fail-fast --threads 1
equals "$(sed -n 's/^read  *\([0-9.]*\) MB .*/\1/p' err)" \
    "$(cat in/p1.ppm in/p2.ppm in/p3.ppm | wc -c | awk '{ printf "%.1f", $1 / 1e6 }')" 'megabytes read'
equals "$(sed -n 's/^written  *\([0-9.]*\) MB .*/\1/p' err)" \
    "$(cat made/p1.jpg made/p2.jpg made/p3.jpg | wc -c | awk '{ printf "%.1f", $1 / 1e6 }')" 'megabytes written'
equals "$(sed -n 's/^pixels  *\([0-9.]*\) MPix .* MPix\/s$/\1/p' err)" "$(awk 'BEGIN { printf "%.1f", 4500 * (1 + 4 + 9) / 1e6 }')" 'megapixels'
for call in 'decode made/p3.jpg made/p2.jpg' 'transcode made/p3.jpg made/p2.jpg' 'convert made/p3.jpg in/p2.ppm --out-format png' \
    'encode in/p3.ppm made/p2.jpg' 'convert in/p3.ppm in/p2.ppm --out-format png --resize 9' 'decode made/p3.jpg made/p2.jpg --resize 9'; do
    # shellcheck disable=SC2086 # a list of words
    expect 0 "$KOSTKA" $call -v --out-dir pixels --threads 1
    equals "$(sed -n 's/^pixels  *\([0-9.]*\) MPix .*/\1/p' err)" 0.1 "megapixels of $call"
done
head -c -20 made/p3.jpg >cut.jpg
expect 1 "$KOSTKA" decode -v cut.jpg in/bad1.ppm made/p1.jpg made/p2.jpg --out-dir back --max-failures 1 --threads 1
counts 'with warnings' 1
counts left 2
expect 0 "$KOSTKA" decode made/p1.jpg made/p2.jpg --out-dir again --manifest m
equals "$(cat err)" ''
expect 0 "$KOSTKA" decode -v made/p1.jpg made/p2.jpg made/p3.jpg --out-dir again --manifest m --resume
counts 'inputs that succeeded' 1
counts 'done before' 2

# One input has none; a terminal is shown one without being asked.
expect 0 "$KOSTKA" decode -v made/p1.jpg one.ppm
counts 'inputs that succeeded' ''
if has_terminals; then
    script -qec "'$KOSTKA' decode made/p1.jpg made/p2.jpg --out-dir terminal" err >/dev/null 2>&1 </dev/null
    tr -d '\r' <err >plain
    mv plain err
    counts 'inputs that succeeded' 2
    script -qec "'$KOSTKA' decode made/p1.jpg one.ppm" err >/dev/null 2>&1 </dev/null
    counts 'inputs that succeeded' ''
fi
finish
