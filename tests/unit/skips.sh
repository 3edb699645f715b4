#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The summary of ./dev test tells of each test that was skipped, and why.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rule=----------------------------------------------------------

# entry NAME END OUTPUT…: as CTest writes it to LastTest.log
entry() {
    printf '3/9 Testing: %s\n3/9 Test: %s\nCommand: "a"\nDirectory: /\n"%s" start time: Nov 23\nOutput:\n%s\n' \
        "$1" "$1" "$1" $rule
    name=$1 end=$2
    shift 2
    printf '%s\n' "$@"
    printf '<end of output>\nTest time =   0.00 sec\n%s\n%s\n"%s" end time: Nov 23\n\n' $rule "$end" "$name"
}

{
    entry whole 'Test Skipped.' 'more' 'skipped: no GPU' 'less'
    entry last 'Test Skipped.' 'first' 'oclgrind is not installed'
    entry silent 'Test Skipped.' ''
    entry part 'Test Passed.' 'skipped: no corpus' 'skipped: no corpus' '-----'
    entry fine 'Test Passed.' 'all is well'
} >"$work/log"
cat >"$work/wanted" <<'END'
skipped: whole: no GPU
skipped: last: oclgrind is not installed
skipped: silent: no reason is given
skipped in part: part: no corpus, 2 times
END
awk -f "$KOSTKA_SOURCE/tests/skips.awk" "$work/log" >"$work/found"
diff "$work/wanted" "$work/found"
