#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An installed library is found by pkg-config and by find_package, shared and static, also after its tree was moved.
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
consumer=$KOSTKA_SOURCE/tests/package/consumer
unset KOSTKA_THREADS KOSTKA_CPU KOSTKA_DEVICE

cmake --install "$build" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/moved"
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name kostka.pc)")
export PKG_CONFIG_PATH
libdir=$(dirname "$PKG_CONFIG_PATH")

echo "pkg-config, shared"
# shellcheck disable=SC2046 # flags are words
cc "$consumer/consumer.c" -o "$work/shared" $(pkg-config --cflags --libs kostka)
LD_LIBRARY_PATH=$libdir "$work/shared"

echo "pkg-config, static"
# shellcheck disable=SC2046 # flags are words
cc "$consumer/consumer.c" -o "$work/static" $(pkg-config --cflags kostka) "$libdir/libkostka.a" \
    $(pkg-config --static --libs-only-other kostka) -lm
"$work/static"

echo "pkg-config, filters"
# shellcheck disable=SC2046 # flags are words
cc "$consumer/filters.c" -o "$work/filters" $(pkg-config --cflags --libs kostka_filters)
LD_LIBRARY_PATH=$libdir "$work/filters"

for target in kostka static filters filters_static; do
    echo "find_package, kostka::$target"
    cmake -G Ninja -S "$consumer" -B "$work/$target-build" -DCMAKE_PREFIX_PATH="$work/moved" -DKOSTKA_TARGET=$target >>"$work/log"
    cmake --build "$work/$target-build" >>"$work/log"
    "$work/$target-build/consumer"
done

if [ -x "$build/kostka" ]; then
    echo "the installed command"
    "$work/moved/bin/kostka" --version
    for file in man/man1/kostka.1 man/man1/kostka-decode.1 bash-completion/completions/kostka \
        zsh/site-functions/_kostka fish/vendor_completions.d/kostka.fish doc/kostka/LICENSE; do
        [ -s "$work/moved/share/$file" ] || {
            echo "not installed: share/$file" >&2
            exit 1
        }
    done
fi
