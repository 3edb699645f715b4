#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# info takes at most 0.1 s of processor time and 16 MB of memory for each megabyte of a file, whatever the file; a
# shorter file may take what one of a megabyte may, and the program itself, with its libraries, 16 MB. Programs on the same
# core lengthen processor time, too: for these there is half as much again, and the best of three runs counts.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

milliseconds=150 kibibytes=16384
if [ -n "${KOSTKA_SANITIZED:-}" ]; then milliseconds=4000 kibibytes=262144; fi

# bounded SIZE COMMAND…: whether one of three runs stays within the bounds of so many bytes; $time is its processor time in
# milliseconds, $memory its memory in kibibytes
bounded() {
    allowed=$1
    shift
    for _ in 1 2 3; do
        "$PEAK" peak "$@" >/dev/null 2>err || fail "$* ended with $?: $(head -n 1 err)"
        time=$(cat peak.time) memory=$(cat peak)
        if [ $((time * 1048576)) -le $((milliseconds * allowed)) ] &&
            [ $(((memory - kibibytes) * 1048576)) -le $((kibibytes * allowed)) ]; then
            return 0
        fi
    done
    return 1
}

kinds=$("$MAKE_WORST")
[ -n "$kinds" ] || fail 'nothing to measure'
for kind in $kinds; do
    for length in 2000000 40000; do
        "$MAKE_WORST" "$kind" $length >worst || fail "cannot make $kind"
        size=$(($(wc -c <worst)))
        [ "$size" -gt 1048576 ] || size=1048576
        for option in '' --json; do
            # shellcheck disable=SC2086 # nothing for the empty one
            bounded "$size" "$KOSTKA" info $option worst ||
                fail "$kind, $size bytes, info $option: $time ms, $memory KiB"
            [ -z "${KOSTKA_SHOW:-}" ] || echo "$kind, $(($(wc -c <worst))) bytes, info $option: $time ms, $memory KiB"
        done
    done
    "$KOSTKA" info --json worst 2>err | "$JSON_VALUE" 0 format >out || fail "$kind: no JSON"
done

# Of a profile that is broken everywhere a hundred rules are described, the last for all that follow.
"$MAKE_WORST" profile-many 40000 >worst
expect 0 "$KOSTKA" info --json worst
equals "$(json 0 profile breaches 99 <out)" '1906 more rules, or components that break them'
json 0 profile breaches 100 <out >/dev/null 2>&1 && fail 'more than 100 breaches'

# What has no end is refused by its beginning.
for verb in info 'filter invert --out-format ppm -o out.ppm' 'transcode -o out.jpg' 'tiff info' 'tiff tiles --out-dir d' \
    'bench decode' 'bench encode'; do
    # shellcheck disable=SC2086 # words
    expect 1 within 10 "$PEAK" peak "$KOSTKA" $verb /dev/zero
    says '/dev/zero'
    [ "${KOSTKA_SANITIZED:-}" ] || [ "$(cat peak)" -lt 40000 ] || fail "$verb /dev/zero takes $(cat peak) KiB"
done
finish
