#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the modules for an UltraGrid that was configured with --enable-plugins and built, without touching its sources:
#
#     plugins/ultragrid/build.sh ULTRAGRID [FOLDER]
#
# FOLDER is lib/ultragrid in that tree unless it is named. Kostka is found by pkg-config; CC, CXX, CFLAGS and CXXFLAGS are as
# usual.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=${1:?names no tree of UltraGrid}
folder=${2:-$tree/lib/ultragrid}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
includes="-I$tree/src -I$tree $(pkg-config --cflags kostka)"
libraries=$(pkg-config --libs kostka)
configured=
[ ! -e "$tree/src/config.h" ] || configured=-DHAVE_CONFIG_H
# shellcheck disable=SC2086 # words
{
    ${CC:-cc} ${CFLAGS:--O2} -std=gnu11 -fPIC $configured $includes -c "$here/kostka_pixels.c" -o "$work/pixels.o"
    ${CC:-cc} ${CFLAGS:--O2} -std=gnu11 -fPIC $configured $includes -c "$here/kostka_decompress.c" -o "$work/decompress.o"
    ${CXX:-c++} ${CXXFLAGS:--O2} -std=gnu++17 -fPIC $configured $includes -c "$here/kostka_compress.cpp" -o "$work/compress.o"
    ${CXX:-c++} -shared "$work/decompress.o" "$work/pixels.o" -o "$folder/ultragrid_vdecompress_kostka.so" $libraries
    ${CXX:-c++} -shared "$work/compress.o" "$work/pixels.o" -o "$folder/ultragrid_vcompress_kostka.so" $libraries
}
