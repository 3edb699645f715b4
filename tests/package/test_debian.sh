#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# debian/ agrees with the sources: the version, the numbers of the binary interface, the symbols, and manual pages that
# whatis can read. The recipe for conda has the version, too.
set -eu
version=$1
soversion=$2
cd "$KOSTKA_SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

head -n 1 debian/changelog | grep -q "^kostka ($version-[0-9]*) " || fail "debian/changelog does not begin with version $version"
grep -qx "  version: \"$version\"" packaging/conda/recipe.yaml || fail "packaging/conda/recipe.yaml is not of version $version"

# symbols LIBRARY PACKAGE MAP: what the package's file lists is what the library exports.
symbols() {
    grep -q "^Package: $2\$" debian/control || fail "debian/control has no package $2"
    sh packaging/symbols.sh "$3" "$1.so.$soversion" "$2" "$version" "debian/$2.symbols" >"$work/symbols"
    diff "debian/$2.symbols" "$work/symbols" ||
        fail "the symbols above are in $3 (>) or debian/$2.symbols (<) only; this notes them:
  sh packaging/symbols.sh $3 $1.so.$soversion $2 $version debian/$2.symbols >new && mv new debian/$2.symbols"
    [ "$(grep -c '^ kst_' "$work/symbols")" -gt 10 ] || fail "$3 has hardly any symbols"
}
symbols libkostka "libkostka$soversion" src/kostka.map
symbols libkostka_filters "libkostka-filters$soversion" src/filters/filters.map

# An older version stays where a symbol has it, and new symbols get the new one.
sed 's/^ kst_decode@KOSTKA_0 .*/ kst_decode@KOSTKA_0 0.0.1/; /^ kst_encode@/d' "debian/libkostka$soversion.symbols" >"$work/older"
sh packaging/symbols.sh src/kostka.map "libkostka.so.$soversion" "libkostka$soversion" 9.9.9 "$work/older" >"$work/newer"
grep -q '^ kst_decode@KOSTKA_0 0.0.1$' "$work/newer" || fail 'the version of a known symbol is lost'
[ "$(grep -c '^ kst_.* 9\.9\.9$' "$work/newer")" = 1 ] || fail 'other symbols than the new one get the new version'
grep -q '^ (regex)"@KOSTKA_PRIVATE_" 9\.9\.9$' "$work/newer" || fail 'private symbols are not those of the release'

if command -v lexgrog >/dev/null; then
    for page in docs/man/*; do
        lexgrog "$page" >"$work/log" || fail "whatis cannot read $page"
    done
else
    echo 'skipped: manual pages: no lexgrog (man-db)'
fi
