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
# A file that is no picture leaves its cell empty, and the sheet is made.
echo none >"$work/none.jpg"
"$examples/gl_contact_sheet" "$work/sheet.jpg" "$work/none.jpg" "$work/painted.jpg"
