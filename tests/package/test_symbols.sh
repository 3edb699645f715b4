#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The shared library exports what the headers declare and nothing else; the static one keeps to its prefix.
# The command line uses nothing else.
set -u
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^KST_API .*[ *]\(kst_[a-z_0-9]*\)(.*/\1/p' "$KOSTKA_SOURCE"/include/kostka/*.h | sort >"$work/declared"
nm -D --defined-only "$build/libkostka.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
[ -s "$work/declared" ] || exit 1
if ! diff "$work/declared" "$work/exported"; then
    echo "the symbols above are declared (<) or exported (>) only"
    exit 1
fi
nm -g --defined-only "$build/libkostka.a" | awk 'NF == 3 && $3 !~ /^kst_/ { print $3 }' >"$work/stray"
if [ -s "$work/stray" ]; then
    echo "without the prefix kst_:"
    cat "$work/stray"
    exit 1
fi
readelf -d "$build/libkostka.so" | grep -q 'SONAME.*\[libkostka\.so\.[0-9]*\]'

# The command line is linked with the static library, where nothing hides what is not public.
nm -g "$build/libkostka.a" | awk 'NF == 3 && $2 ~ /[A-Z]/ && $3 ~ /^kst_/ { print $3 }' | sort -u >"$work/all"
find "$build/tools" -path '*kostka_cli.dir*' -name '*.o' -exec nm -u {} + | awk '$2 ~ /^kst_/ { print $2 }' | sort -u |
    comm -12 - "$work/all" | comm -23 - "$work/declared" >"$work/private"
if [ -s "$work/private" ]; then
    echo "the command line uses functions that are not public:"
    cat "$work/private"
    exit 1
fi
