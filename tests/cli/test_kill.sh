#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processes that are killed at any moment: with --resume all inputs are done in the end, each once, as by one call. With
# IDLE_CUDA they work through a flow, on a device whose driver does nothing.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
KILLS=$(cases "$KILLS" $(((KILLS + 2) / 3)))
options='--out-format jp2 --psnr 40 --threads 2'
if [ -n "${IDLE_CUDA:-}" ]; then
    KOSTKA=$IDLE_CUDA/kostka
    export LD_LIBRARY_PATH="$IDLE_CUDA${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    options='--out-format jpeg -q 80 --device cuda:0'
fi

mkdir -p in/a/b in/c
for i in $(seq 40); do
    case $((i % 3)) in 0) folder=in/a ;; 1) folder=in/a/b ;; *) folder=in/c ;; esac
    picture $((40 + i)) $((90 - i)) >"$folder/p$i.ppm"
done

# run OUTPUTS MANIFEST WORD…: one call, in place of the shell
run() {
    outputs=$1
    record=$2
    shift 2
    # shellcheck disable=SC2086 # a list of words
    exec "$KOSTKA" encode --recursive in --out-dir "$outputs" $options --manifest "$record" "$@"
}
(run whole whole.manifest) || fail 'cannot encode'
(cd whole && find . -type f -exec cksum {} + | sort) >wanted
equals "$(wc -l <wanted)" 40

# check: the outputs are those of the undisturbed call, and each input has exactly one line, which is ok
check() {
    (cd made && find . -type f -exec cksum {} + | sort) >found
    same found wanted
    equals "$(wc -l <m)" 40 'lines of the manifest'
    { echo '[' && paste -s -d , m && echo ']'; } | json 39 status >/dev/null || fail "not JSON: $(cat m)"
    equals "$(grep -c '^{.*}$' m)" 40 'objects in the manifest'
    equals "$(grep -o '"status":"[a-z]*"' m | sort | uniq -c | tr -d ' \n')" '40"status":"ok"'
    sed 's/.*"input":"\([^"]*\)".*/\1/' m | sort -u | wc -l >count
    equals "$(cat count)" 40 'inputs in the manifest'
    grep -o '"crc32":"[0-9a-f]*"' m | sort >sums
    grep -o '"crc32":"[0-9a-f]*"' whole.manifest | sort >wanted.sums
    same sums wanted.sums
}

# The time of a call sets the scale; each one is killed at another moment, and what is complete is checked and begun anew.
# The scale follows what happens, as other work may make calls faster or slower than the first one: it grows with each call
# that was killed and shrinks with each that ended by itself, which settles where two of three are killed. A first call that
# was much faster than the others has all of them killed before anything is done, until the scale has grown.
different=$((KILLS < 20 ? 2 : 10))
start=$(date +%s%N)
(run timed timed.manifest)
duration=$((($(date +%s%N) - start) / 1000000))
echo "a call takes $duration ms"
killed=0
rounds=0
seed=7
: >progress
while { [ "$killed" -lt "$KILLS" ] || [ "$(sort -u progress | wc -l)" -lt $different ]; } &&
    [ "$rounds" -lt 200 ] && [ "$killed" -lt 1000 ]; do
    seed=$(((seed * 1103 + 12345) % 65536))
    run made m --resume 2>err &
    pid=$!
    sleep "$(awk -v d=$duration -v s=$seed 'BEGIN { printf "%.3f", d * 0.6 * s / 65536 / 1000 }')"
    kill -s KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    if [ $code = 137 ]; then
        killed=$((killed + 1))
        duration=$((duration * 21 / 20 + 1))
        [ ! -e m ] || grep -c '^{.*}$' m >>progress
    else
        equals $code 0 'exit status of a call that was not killed'
        check
        rounds=$((rounds + 1))
        duration=$((duration * 9 / 10 + 1))
        rm -rf made m
    fi
done
[ "$killed" -ge "$KILLS" ] || fail "only $killed calls were killed"
(run made m --resume) || fail 'the last call failed'
check
echo "$killed calls were killed, $rounds rounds were completed meanwhile"
between "$(sort -u progress | wc -l)" $different 41 'different numbers of inputs that were done by then'
finish
