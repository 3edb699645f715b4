#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The summary of ./dev test tells of each test that CTest skipped, and why.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# entry NAME STATUS OUTPUT…: a test that prints this, a line each, and ends with that status
entry() {
    name=$1 status=$2
    shift 2
    printf '%s\n' "$@" >"$work/$name.out"
    printf 'add_test(%s sh -c "cat %s.out; exit %s")\n' "$name" "$name" "$status"
    printf 'set_tests_properties(%s PROPERTIES SKIP_RETURN_CODE 77)\n' "$name"
}

{
    entry whole 77 'more' 'skipped: no GPU & <no> "CPU"' 'less'
    entry last 77 'first' 'oclgrind is not installed'
    entry silent 77 ''
    entry part 0 'skipped: no corpus' 'skipped: no corpus' '-----'
    entry fine 0 'all is well'
    entry failed 1 'skipped: nothing'
} >"$work/CTestTestfile.cmake"
cat >"$work/wanted" <<'END'
skipped: whole: no GPU & <no> "CPU"
skipped: last: oclgrind is not installed
skipped: silent: no reason is given
skipped in part: part: no corpus, 2 times
skipped in part: failed: nothing
END
if ctest --test-dir "$work" --output-junit tests.xml >"$work/log" 2>&1; then
    echo 'a test that fails was not found' >&2
    exit 1
fi
awk -f "$KOSTKA_SOURCE/tests/support/skips.awk" "$work/tests.xml" >"$work/found"
diff "$work/wanted" "$work/found"
