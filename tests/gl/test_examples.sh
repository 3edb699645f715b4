#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The examples that draw without a window: a painted texture becomes a file, and that a cell of a contact sheet.
set -eu
examples=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$examples/gl_texture_to_jpeg" "$work/painted.jpg" 333 2>"$work/errors"; then
    cat "$work/errors"
    grep -q 'no OpenGL' "$work/errors" && exit 77
    exit 1
fi
"$KOSTKA" info "$work/painted.jpg" | grep 333
"$examples/gl_contact_sheet" "$work/sheet.jpg" "$work/painted.jpg" "$work/painted.jpg"
"$KOSTKA" info "$work/sheet.jpg" | grep 676
# Frames of MJPEG, one of which is damaged and one of another size, become a texture; the last one is written.
if [ -x "$examples/gl_camera" ]; then
    "$examples/gl_texture_to_jpeg" "$work/small.jpg" 80
    { cat "$work/painted.jpg"; printf 'between \377\330\377\300\000\003\001\377\331'; cat "$work/painted.jpg" "$work/small.jpg"; } |
        "$examples/gl_camera" - cartoon=levels=4 "$work/cartoon.jpg" 2>"$work/said"
    cat "$work/said"
    grep -q '^3 frames, 1 left out' "$work/said"
    "$KOSTKA" info "$work/cartoon.jpg" | grep 80
    "$KOSTKA" filter cartoon=levels=4 "$work/small.jpg" "$work/wanted.png"
    "$KOSTKA" compare "$work/cartoon.jpg" "$work/wanted.png" | grep -E 'PSNR (2[4-9]|[3-9][0-9])'
    if "$examples/gl_camera" - nosuch "$work/none.jpg" <"$work/small.jpg" 2>"$work/said"; then exit 1; fi
    grep -q "there is no filter 'nosuch'" "$work/said"
    if "$examples/gl_camera" "$work/no-camera" cartoon "$work/none.jpg" 2>"$work/said"; then exit 1; fi
    grep -q 'no-camera' "$work/said"
fi
# A file that is no picture leaves its cell empty, and the sheet is made.
echo none >"$work/none.jpg"
"$examples/gl_contact_sheet" "$work/sheet.jpg" "$work/none.jpg" "$work/painted.jpg"
