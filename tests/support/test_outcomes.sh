#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The summary of ./dev test tells of each test that CTest skipped, and why, and what those printed that have failed.
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
    # shellcheck disable=SC2046 # numbers
    entry long 1 1 2 'FAILED: <3> differs' $(seq 4 40)
    echo 'add_test(lost "./there is no such program")'
} >"$work/CTestTestfile.cmake"
cat >"$work/wanted" <<'END'
skipped: whole: no GPU & <no> "CPU"
skipped: last: oclgrind is not installed
skipped: silent: no reason is given
skipped in part: part: no corpus, 2 times
skipped in part: failed: nothing
failed: failed, after  s
  | skipped: nothing
failed: long, after  s
  | FAILED: <3> differs
END
seq 11 40 | sed 's/^/  | /' >>"$work/wanted"
cat >>"$work/wanted" <<'END'
failed: lost, after  s
  | Unable to find executable: ./there is no such program
END
# Only those that have failed are told of where a number of lines is given.
cat >"$work/wanted.short" <<'END'
failed: failed, after  s
  | skipped: nothing
failed: long, after  s
  | FAILED: <3> differs
  | 39
  | 40
failed: lost, after  s
  | Unable to find executable: ./there is no such program
END
if ctest --test-dir "$work" --output-junit tests.xml >"$work/log" 2>&1; then
    echo 'a test that fails was not found' >&2
    exit 1
fi
# tell WANTED OPTION…: what is printed, without times
tell() {
    wanted=$1
    shift
    awk "$@" -f "$KOSTKA_SOURCE/tests/support/outcomes.awk" "$work/tests.xml" | sed 's/after [0-9.e-]* s$/after  s/' >"$work/found"
    diff "$wanted" "$work/found"
}
tell "$work/wanted"
tell "$work/wanted.short" -v lines=2
