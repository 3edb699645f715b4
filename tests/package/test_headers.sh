#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each public header stands alone, as C11 and as C++17, without warnings.
set -u
folder=$KOSTKA_SOURCE/include
failed=0
compilers=0
try() {
    language=$1
    shift
    command -v "$1" >/dev/null || return 0
    compilers=$((compilers + 1))
    for header in "$folder"/kostka/*.h; do
        printf '#include <kostka/%s>\nextern int used;\n' "$(basename "$header")" |
            "$@" -x "$language" -I"$folder" -Wall -Wextra -Wconversion -pedantic -Werror -fsyntax-only - && continue
        echo "failed: $* $header"
        failed=1
    done
}
try c gcc -std=c11
try c++ g++ -std=c++17
newest=$KOSTKA_SOURCE/tests/support/newest_clang.sh
if clang=$(sh "$newest" clang); then try c "$clang" -std=c11; fi
if clang=$(sh "$newest" clang++); then try c++ "$clang" -std=c++17; fi
[ "$compilers" -gt 0 ] || {
    echo 'skipped: there is no gcc, g++, clang or clang++'
    exit 77
}
exit "$failed"
