#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program that calls functions of TurboJPEG 2 gets the same pixels, files, codes and messages with Kostka's
# libturbojpeg.so.0 as with the system's, for pictures of all kinds, whole and damaged.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

folder=$(dirname "$TURBOJPEG")

# Files of the corpus. Neither library's word on those few bytes that are too many at the end is followed by the other.
set --
number=0
for file in "$KOSTKA_CORPUS"/jpeg/*/*.jp*g; do
    number=$((number + 1))
    [ $((number % 11)) != 0 ] || [ "$(wc -c <"$file")" -gt 100000 ] || set -- "$@" "$file"
done
[ $# -gt 3 ] || lacks 'files of the corpus'

"$CALLS" "$@" >theirs || fail "the original: exit code $?"
LD_LIBRARY_PATH=$folder "$CALLS" "$@" >ours || fail "exit code $?"
grep -v 'extraneous bytes before marker 0xd9' theirs >expected
equals "$(diff expected ours | grep -c '^<')" 0
diff theirs ours | grep '^>' | grep -v ' 0 [0-9a-f]\{16\} [0-9]*$' >others && fail "other results: $(head -3 others)"
[ "$(wc -l <theirs)" -gt 1500 ] || fail 'hardly anything was called'
[ "$(grep -c 'transform 0' ours)" -gt 20 ] || fail 'hardly anything was transformed'

"$KOSTKA" run "$CALLS" "$1" >forwarded || fail "kostka run: exit code $?"
"$CALLS" "$1" >alone || fail "the original alone: exit code $?"
same forwarded alone
finish
