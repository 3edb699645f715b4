#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The shared libraries export what the headers declare and nothing else, but for what libkostka has for libkostka_filters;
# the static ones keep to their prefix.
# The command line uses nothing else.
set -u
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^KST_API .*[ *]\(kst_[a-z_0-9]*\)(.*/\1/p' "$KOSTKA_SOURCE"/include/kostka/*.h | sort >"$work/declared"
[ -s "$work/declared" ] || exit 1
# compare LIBRARY VERSION: what it exports under versions of this name, with what is expected.
compare() {
    nm -D --defined-only "$build/lib$1.so" | awk -v version="@$2" '
        $2 != "A" && index($3, version) { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
    [ -s "$work/exported" ] && diff "$work/expected" "$work/exported" && return
    echo "lib$1, $2: the symbols above are declared (<) or exported (>) only"
    exit 1
}
grep '^kst_filter_' "$work/declared" >"$work/expected"
compare kostka_filters @KOSTKA_FILTERS_0
grep -v '^kst_filter_' "$work/declared" >"$work/expected"
compare kostka @KOSTKA_0
# What is exported for libkostka_filters alone is what that needs and is not public, under a name with the version.
version=$(sed -n 's/.*KST_VERSION_STRING "\(.*\)".*/\1/p' "$KOSTKA_SOURCE/include/kostka/kostka_version.h")
nm -D --undefined-only "$build/libkostka_filters.so" | awk '$2 ~ /^kst_/ { sub(/@.*/, "", $2); print $2 }' | sort |
    comm -23 - "$work/declared" >"$work/expected"
compare kostka "@KOSTKA_PRIVATE_$version"
count=$(nm -D --defined-only "$build/libkostka.so" "$build/libkostka_filters.so" | awk 'NF == 3 && $2 != "A"' | wc -l)
[ "$count" -eq $(($(wc -l <"$work/declared") + $(wc -l <"$work/expected"))) ] || {
    echo "there are symbols of other versions, or of none"
    exit 1
}
nm -g --defined-only "$build/libkostka.a" "$build/libkostka_filters.a" | awk 'NF == 3 && $3 !~ /^kst_/ { print $3 }' >"$work/stray"
if [ -s "$work/stray" ]; then
    echo "without the prefix kst_:"
    cat "$work/stray"
    exit 1
fi
for library in kostka kostka_filters; do
    readelf -d "$build/lib$library.so" | grep -q "SONAME.*\[lib$library\.so\.[0-9]*\]" || exit 1
done

# The command line is linked with the static library, where nothing hides what is not public.
nm -g "$build/libkostka.a" "$build/libkostka_filters.a" | awk 'NF == 3 && $2 ~ /[A-Z]/ && $3 ~ /^kst_/ { print $3 }' | sort -u >"$work/all"
find "$build/tools" -path '*kostka_cli.dir*' -name '*.o' -exec nm -u {} + | awk '$2 ~ /^kst_/ { print $2 }' | sort -u |
    comm -12 - "$work/all" | comm -23 - "$work/declared" >"$work/private"
if [ -s "$work/private" ]; then
    echo "the command line uses functions that are not public:"
    cat "$work/private"
    exit 1
fi
