#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The modules for UltraGrid compile without warnings, do their work for a program that plays UltraGrid, and go into a tree
# like UltraGrid's. Where KOSTKA_ULTRAGRID names such a tree, they compile against its headers, too. Usage: test_ultragrid.sh BUILD
set -eu
build=$1
plugin=$KOSTKA_SOURCE/plugins/ultragrid
play=$KOSTKA_SOURCE/tests/support/ultragrid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CXX=c++
command -v c++ >/dev/null || CXX=$(sh "$KOSTKA_SOURCE/tests/support/newest_clang.sh" clang++) || {
    echo "there is no C++ compiler"
    exit 77
}
export CXX # for build.sh
cd "$work"
warnings='-O1 -g -Wall -Wextra -Wshadow -Werror'
includes="-I$KOSTKA_SOURCE/include -I$play -I$plugin"

# shellcheck disable=SC2086 # words
{
    cc -std=c11 -D_GNU_SOURCE $warnings -Wconversion -Wvla $includes -c "$plugin/kostka_pixels.c" "$plugin/kostka_decompress.c"
    "$CXX" -std=c++17 $warnings $includes -c "$plugin/kostka_compress.cpp" "$KOSTKA_SOURCE/tests/plugins/test_ultragrid.cpp"
    "$CXX" ./*.o -o play "$build/libkostka.a" -lpthread -lm -ldl
}
KOSTKA_DEVICE=cpu ./play

# As files of their own.
mkdir -p own/src
cp "$play"/*.h own/src
printf 'Name: kostka\nDescription: \nVersion: 0\nCflags: -I%s\nLibs: -L%s -lkostka\n' "$KOSTKA_SOURCE/include" "$build" >kostka.pc
if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$work "$plugin/build.sh" own
    for module in vcompress vdecompress; do
        nm "own/lib/ultragrid/ultragrid_${module}_kostka.so" | grep -q ' U register_library'
    done
fi

# Into a tree, twice: the second time changes nothing.
mkdir -p tree/src/video_compress tree/src/video_decompress
cp "$play"/*.h tree/src
printf '#define VIDEO_COMPRESS_ABI_VERSION 14\n' >tree/src/video_compress.h
printf '#define VIDEO_DECOMPRESS_ABI_VERSION 6\n' >tree/src/video_decompress.h
# shellcheck disable=SC2016 # as it stands there
printf 'AC_INIT\nTEST_LIBS="$LIB_MODULES $LIBS"\nAC_OUTPUT\n' >tree/configure.ac
"$plugin/add.sh" tree
cp tree/configure.ac once.ac
"$plugin/add.sh" tree
cmp tree/configure.ac once.ac
[ "$(grep -c 'ADD_MODULE("v[de]*compress_kostka"' tree/configure.ac)" = 2 ]
[ "$(grep -n 'kostka=yes' tree/configure.ac | cut -d: -f1)" -lt "$(grep -n '^TEST_LIBS' tree/configure.ac | cut -d: -f1)" ]
cmp "$plugin/kostka_compress.cpp" tree/src/video_compress/kostka.cpp
printf '#define VIDEO_COMPRESS_ABI_VERSION 12\n' >tree/src/video_compress.h
if "$plugin/add.sh" tree 2>said; then
    echo "another ABI is not refused"
    exit 1
fi
grep -q 'has 12 6' said

[ -n "${KOSTKA_ULTRAGRID:-}" ] || exit 0
configured=
[ ! -e "$KOSTKA_ULTRAGRID/src/config.h" ] || configured=-DHAVE_CONFIG_H
# shellcheck disable=SC2086 # words
{
    theirs="$configured -I$KOSTKA_ULTRAGRID/src -I$KOSTKA_ULTRAGRID -I$KOSTKA_SOURCE/include"
    cc -std=gnu11 $theirs -fsyntax-only "$plugin/kostka_pixels.c" "$plugin/kostka_decompress.c"
    "$CXX" -std=gnu++17 $theirs -fsyntax-only "$plugin/kostka_compress.cpp"
}
