#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program that was built for an original finds the same binary interface: abidiff, which sees symbols and, where an original
# has debug information, types; and the structures, as the libraries themselves accept, fill and read them.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
PATH=$PATH:/sbin:/usr/sbin
for program in readelf ldconfig; do
    command -v $program >/dev/null || lacks $program
done

# compare NAME LIBRARY: with the library that programs have without ours.
compare() {
    soname=$(readelf -d "$2" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
    original=$(ldconfig -p | sed -n "s/^[[:space:]]*$soname .* => //p" | head -n 1)
    [ -e "$original" ] || fail "there is no $soname, of which $2 was made"
    "$CALLS" "$1" "$original" >theirs || fail "$original cannot be called: $(cat theirs)"
    [ "$(wc -l <theirs)" -gt 4 ] || fail "hardly anything is known of $original"
    "$CALLS" "$1" "$2" >ours || fail "$2 cannot be called: $(cat ours)"
    diff theirs ours || fail "$soname has other structures (<: the original's)"
    if command -v abidiff >/dev/null; then
        abidiff --no-added-syms "$original" "$2" >log 2>&1 || fail "abidiff: $(cat log)"
    else
        echo "skipped: abidiff of $soname: it is not installed (abigail-tools)"
    fi
}
compare libjpeg "$LIBJPEG"
compare turbojpeg "$TURBOJPEG"
compare openjp2 "$OPENJP2"

"$TURBOJPEG_THEIRS" >theirs
"$TURBOJPEG_OWN" >ours
diff theirs ours || fail 'the declarations of TurboJPEG differ (<: the original)'
finish
