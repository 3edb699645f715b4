#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Adds the modules to a tree of UltraGrid, which then builds them wherever pkg-config finds Kostka:
#
#     plugins/ultragrid/add.sh ULTRAGRID
#     git -C ULTRAGRID diff --cached   # the patch
#
# Sources are copied beside the other modules, and configure.ac gets a block in front of where it counts its modules. A
# tree that has them already gets their newest form.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=${1:?names no tree of UltraGrid}
configure=$tree/configure.ac
for wanted in configure.ac src/video_compress.h src/video_decompress.h; do
    [ -r "$tree/$wanted" ] || {
        echo "$tree is no tree of UltraGrid: there is no $wanted" >&2
        exit 1
    }
done
abi() {
    sed -n "s/^#define VIDEO_$1_ABI_VERSION *//p" "$2"
}
found="$(abi COMPRESS "$tree/src/video_compress.h") $(abi DECOMPRESS "$tree/src/video_decompress.h")"
[ "$found" = "14 6" ] || {
    echo "these modules are for compression of ABI 14 and decompression of ABI 6; $tree has $found" >&2
    exit 1
}
# shellcheck disable=SC2016 # as it stands there
anchor='^TEST_LIBS="\$LIB_MODULES'
grep -q "$anchor" "$configure" || {
    echo "$configure has no line $anchor, in front of which modules are added" >&2
    exit 1
}
cp "$here/kostka_compress.cpp" "$tree/src/video_compress/kostka.cpp"
cp "$here/kostka_decompress.c" "$tree/src/video_decompress/kostka.c"
cp "$here/kostka_pixels.c" "$here/kostka_pixels.h" "$here/kostka_codecs.h" "$here/kostka_devices.h" "$tree/src/"
grep -q 'vcompress_kostka' "$configure" || {
    cat >"$configure.block" <<'BLOCK'
# ---------------------------------------------------------------------
# Kostka: JPEG, JPEG 2000 and HTJ2K
# ---------------------------------------------------------------------
kostka=no
AC_ARG_ENABLE(kostka,
              AS_HELP_STRING([--disable-kostka], [disable Kostka, which codes JPEG and JPEG 2000 (default is auto)]),
              [kostka_req=$enableval],
              [kostka_req=$build_default])
PKG_CHECK_MODULES([KOSTKA], [kostka], [FOUND_KOSTKA=yes], [FOUND_KOSTKA=no])
if test "$kostka_req" != no -a "$FOUND_KOSTKA" = yes; then
        INC="$INC $KOSTKA_CFLAGS"
        ADD_MODULE("vcompress_kostka", "src/video_compress/kostka.o src/kostka_pixels.o", "$KOSTKA_LIBS")
        ADD_MODULE("vdecompress_kostka", "src/video_decompress/kostka.o src/kostka_pixels.o", "$KOSTKA_LIBS")
        kostka=yes
fi
if test "$kostka_req" = yes -a $kostka = no; then
        AC_MSG_ERROR([Kostka not found]);
fi

BLOCK
    sed "/$anchor/{
        e cat '$configure.block'
    }" "$configure" >"$configure.new"
    mv "$configure.new" "$configure"
    rm "$configure.block"
}
! git -C "$tree" rev-parse --git-dir >/dev/null 2>&1 || git -C "$tree" add configure.ac src
