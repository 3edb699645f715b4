#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the symbols file of a Debian package, of the map that says what its library exports:
#
#   symbols.sh MAP SONAME PACKAGE VERSION [SYMBOLS]
#
# Symbols that the file SYMBOLS has keep the version in which they came; those that are new get VERSION, as private ones
# always do, and those that are gone are left out. docs/abi.md says when symbols may go.
set -eu
map=$1
soname=$2
package=$3
version=$4
known=${5:-/dev/null}
printf '%s %s #MINVER#\n* Build-Depends-Package: libkostka-dev\n' "$soname" "$package"
# Symbols that only the project's own libraries use have a version that names the release, which alone has them.
! grep -q '^KOSTKA_PRIVATE_' "$map" || printf ' (regex)"@KOSTKA_PRIVATE_" %s\n' "$version"
awk '
    / {$/ { node = $1; if (node !~ /^KOSTKA_PRIVATE_/) print node "@" node }
    /^ *[a-z_0-9]+;$/ && node !~ /^KOSTKA_PRIVATE_/ { sub(/;/, "", $1); print $1 "@" node }
' "$map" | LC_ALL=C sort | while read -r symbol; do
    since=$(awk -v symbol="$symbol" '$1 == symbol { print $2 }' "$known")
    printf ' %s %s\n' "$symbol" "${since:-$version}"
done
