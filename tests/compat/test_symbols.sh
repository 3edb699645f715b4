#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each library in place of another has the other's name for the dynamic linker, and all of its symbols with their versions, so
# that whatever the original satisfies is satisfied.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
for program in nm readelf ldconfig; do
    PATH=$PATH:/sbin:/usr/sbin command -v $program >/dev/null || lacks $program
done
PATH=$PATH:/sbin:/usr/sbin

symbols() {
    nm -D --defined-only "$1" | awk '$2 != "A" { sub("@@", "@", $3); print $3 }' | sort
}

soname() {
    readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p'
}

compared=0
for own in "$LIBJPEG" "$OPENJP2" "$TURBOJPEG"; do
    [ -n "$own" ] || continue
    name=$(soname "$own")
    original=$(ldconfig -p | sed -n "s/^[[:space:]]*$name .* => //p" | head -n 1)
    [ -e "$original" ] || continue
    equals "$(soname "$original")" "$name"
    symbols "$own" >ours
    symbols "$original" >theirs
    missing=$(comm -23 theirs ours)
    [ -z "$missing" ] || fail "$name lacks $missing"
    [ "$(wc -l <theirs)" -gt 40 ] || fail "$original has hardly any symbols"
    compared=$((compared + 1))
done
[ $compared -gt 0 ] || lacks 'an original'

# Those whose contexts have threads until the process ends are not unloaded with a module that needs them.
for own in "$LIBJPEG" "$TURBOJPEG"; do
    [ -z "$own" ] || readelf -d "$own" | grep -q NODELETE || fail "$own can be unloaded"
done

# What version 3 of TurboJPEG adds.
if [ -n "$TURBOJPEG" ]; then
    equals "$(symbols "$TURBOJPEG" | grep -c '^tj3.*@TURBOJPEG_3')" 42
    equals "$(symbols "$TURBOJPEG" | grep -v -c '^Java_')" 81
fi
finish
