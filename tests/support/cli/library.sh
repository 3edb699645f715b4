# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# Read by every test of the command line: a folder of its own, expectations, and pictures to work on.
set -u
unset KOSTKA_THREADS KOSTKA_CPU KOSTKA_DEVICE
LC_ALL=C
export LC_ALL
failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
    return 1 # for a caller in a subshell, whose count is lost
}

# lacks WHAT: the end of a test that cannot be
lacks() {
    echo "skipped: there is no $*"
    exit 77
}

# has_terminals: whether script(1) can give a command a terminal, which also takes /dev/pts; without one it is said what is left out
has_terminals() {
    told=$(script -qec true /dev/null 2>&1 </dev/null) && return 0
    echo "skipped: no terminal can be made: $told"
    return 1
}

# sampled ALL SOME: the cases to try; with sanitizers, which take ten times as long and find what code does, some that reach
# all of it
sampled() {
    if [ -z "${KOSTKA_SANITIZED:-}" ]; then echo "$1"; else echo "$2"; fi
}

# cases ALL SOME: the same, and some of them also where KOSTKA_TESTS is "some"
cases() {
    if [ "${KOSTKA_TESTS:-all}" = some ]; then echo "$2"; else sampled "$1" "$2"; fi
}

# is_due: whether to try a case that differs little from others; where some cases are tried every second one is due
is_due() {
    take_turn
    [ "$(cases 0 $turn)" = 0 ]
}

# take_turn: $turn is 0 or 1, as often, in the order of Thue and Morse: whatever loops it is called in, each of their values
# meets both
turns=0
take_turn() {
    turns=$((turns + 1))
    turn=0
    rest=$turns
    while [ $rest -gt 0 ]; do
        turn=$(((turn + rest) % 2))
        rest=$((rest / 2))
    done
}

# within SECONDS COMMAND…: of processor time, whatever else the machine is busy with; killed behind them
within() {
    seconds=$1
    shift
    prlimit --cpu="$seconds" "$@"
}

# expect CODE COMMAND…: the exit status; standard output and error stay in the files "out" and "err"
expect() {
    expected=$1
    shift
    "$@" >out 2>err
    got=$?
    if [ "$got" != "$expected" ]; then
        fail "exit status $got, not $expected: $*"
        sed 's/^/    /' err
    fi
}

# unsearched COMMAND…: AddressSanitizer does not look for leaks, which takes half of the time of a short process; for calls that
# differ from others in what is refused alone
unsearched() {
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$@"
}

# says PATTERN: the last command's standard error has such a line
says() {
    grep -q -e "$1" err || fail "standard error has no '$1': $(cat err)"
}

prints() {
    grep -q -e "$1" out || fail "standard output has no '$1': $(head -n 5 out)"
}

silent() {
    [ ! -s out ] || fail "standard output is not empty: $(head -c 200 out)"
}

# same A B: the same bytes
same() {
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

# identical A B: the same pixels
identical() {
    "$KOSTKA" compare "$1" "$2" >out 2>err || fail "$1 and $2 have different pixels: $(cat out err)"
}

equals() {
    [ "$1" = "$2" ] || fail "'$1' is not '$2'${3:+ ($3)}"
}

# between NUMBER LOW HIGH WHAT
between() {
    { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; } || fail "$4: $1 is not from $2 to $3"
}

# only FILE…: there is nothing else in the current folder, hidden files included
only() {
    found=$(find . -mindepth 1 -maxdepth 1 | sed 's,^\./,,' | sort | tr '\n' ' ')
    wanted=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
    equals "$found" "$wanted" "files"
}

json() {
    "$JSON_VALUE" "$@"
}

# picture WIDTH HEIGHT [MAXIMUM]: a plain PPM of slopes with some noise, the same each time
picture() {
    awk -v w="$1" -v h="$2" -v max="${3:-255}" 'BEGIN {
        seed = 1
        print "P3"; print "# made for a test"; print w, h; print max
        for (y = 0; y < h; y++) for (x = 0; x < w; x++) {
            seed = (seed * 1103 + 12345) % 65536
            n = seed % 24
            printf "%d %d %d\n", (x * 231 / w + n) * max / 255, (y * 231 / h + n) * max / 255, \
                ((x + y) * 231 / (w + h) + n) * max / 255
        }
    }'
}

# gives_pixels FORMAT MAKER COLOUR SIZE WORD…: the file that the program makes of these words has the pixels that it was
# made of, and this size and colour
gives_pixels() {
    format=$1 maker=$2 colour=$3 size=$4
    shift 4
    "$maker" "a.$format" "$@" || fail "$maker $*"
    expect 0 "$KOSTKA" convert "a.$format" a.raw --interleave
    same "a.$format.raw" a.raw
    expect 0 "$KOSTKA" info "a.$format"
    prints "a.$format: $format, $size, $colour, 8 bits, "
}

# survives_damage MAXIMUM FOLDER: one process goes through all of the files in the folder and makes a picture of each or an
# error that names it; it takes at most so much memory for each
survives_damage() {
    mkdir of_damage || fail 'there is a folder of pictures'
    "$KOSTKA" convert --max-memory "$1" --out-format pam --out-dir of_damage "$2"/* >out 2>err
    code=$?
    [ $code -le 1 ] || fail "$2: status $code: $(cat err)"
    pictures=0 errors=0
    for file in "$2"/*; do
        made=of_damage/${file##*/}
        if [ -e "${made%.*}.pam" ]; then
            pictures=$((pictures + 1))
            rm "${made%.*}.pam"
        else
            errors=$((errors + 1))
            says "^kostka: $file: "
        fi
    done
    [ $pictures -gt 0 ] || fail "$2: nothing was made of any file"
    [ $errors -gt 0 ] || fail "$2: no file is an error"
    rmdir of_damage || fail "other files than pictures: $(ls of_damage)"
}

finish() {
    [ "$failures" = 0 ] || {
        echo "$failures failed"
        exit 1
    }
    exit 0
}
