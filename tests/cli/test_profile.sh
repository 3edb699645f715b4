#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profile: on each OpenCL device there is; the CPU has none of it.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 70 50 >a.ppm
"$KOSTKA" encode a.ppm a.jpg || fail 'cannot encode'
expect 1 "$KOSTKA" profile --device cpu a.jpg
says 'CPU'
expect 2 "$KOSTKA" profile --device cpu a.jpg a.jpg
expect 0 "$KOSTKA" devices --json
[ "$(json 1 name <out)" != "" ] || lacks GPU
device=$(json 1 name <out)
expect 1 within 60 "$KOSTKA" profile --device "$device" /dev/zero
says '/dev/zero: no SOI marker'
for way in '' --encode; do
    # shellcheck disable=SC2086 # no word, or one
    expect 0 "$KOSTKA" profile --device "$device" --repeat 2 $way a.jpg
    prints 'medians of'
done
expect 0 "$KOSTKA" profile --device "$device" --repeat 2 --encode --ratio 5 a.jpg
prints 'code_blocks'
expect 0 "$KOSTKA" profile --device "$device" --repeat 3 --batch 2 --svg a.svg --json a.jpg
equals "$(json device <out)" "$device"
equals "$(json width <out)" 70
json steps 0 seconds <out | awk '{ exit !($1 >= 0) }' || fail 'no time'
grep -q '<svg ' a.svg || fail 'no picture'
# No other test has PoCL optimise these filters.
expect 0 env POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable "$KOSTKA" profile --device "$device" --repeat 2 --filters gaussian=2,sobel a.ppm
for step in blur_across_three blur_down sobel; do
    prints " filter_$step\$"
done
awk '$NF == "filter_sobel" { exit !($2 == 0.02) }' out || fail 'not the bytes of two pictures of 10,500'
expect 0 env POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable "$KOSTKA" profile --device "$device" --repeat 2 --filters grey,equalise --json a.jpg
expect 2 "$KOSTKA" profile --device "$device" --filters nosuch a.jpg
says "there is no filter 'nosuch'"
expect 2 "$KOSTKA" profile --device "$device" --filters invert --encode a.jpg
says 'without --encode'
expect 1 "$KOSTKA" profile --device "$device" --filters crop=900x900 a.jpg
says 'outside the image'
expect 1 "$KOSTKA" profile --device "$device" a.ppm
expect 1 "$KOSTKA" profile --device "$device" --repeat 2 --svg no/such/folder.svg a.jpg
finish
