#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Near the limit of memory several threads may fail for the lack of it or not, as it happens, and in no other way: what
# they make is what one thread makes, whose calls all do the same.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 400 300 >a.ppm
failed=0
made=0
for extension in jph jp2; do
    "$KOSTKA" encode a.ppm "wanted.$extension" || fail 'cannot encode'
    for limit in 1M 1500K 1900K 2100K 2300K 2437K 2500K 2700K 3M 3300K 3375K 3500K 5M; do
        first=
        for _ in 1 2 3; do
            rm -f "x.$extension"
            "$KOSTKA" encode a.ppm "x.$extension" --threads 1 --max-memory $limit 2>err
            code=$?
            equals "${first:=$code}" "$code" "one thread, $limit"
            "$KOSTKA" encode a.ppm "y.$extension" --threads 3 --max-memory $limit 2>err
            code=$?
            if [ $code = 0 ]; then
                same "y.$extension" "wanted.$extension"
                made=$((made + 1))
            else
                equals $code 1 "three threads, $limit"
                says 'needs more memory than the limit allows; raise the limit with --max-memory'
                [ ! -e "y.$extension" ] || fail "a file of a call that failed, $limit"
                failed=$((failed + 1))
            fi
            rm -f "y.$extension"
        done
        [ "$first" != 0 ] || same "x.$extension" "wanted.$extension"
    done
done
# Limits from what is never enough to what always is:
[ $failed -gt 0 ] || fail 'no limit was too low'
[ $made -gt 0 ] || fail 'no limit was high enough'
finish
