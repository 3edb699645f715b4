#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Inputs are read while a GPU's driver begins, and each is worked on once, as without that. The driver does nothing, and does
# not begin before it is told to.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
KOSTKA=$IDLE_CUDA/kostka
LD_LIBRARY_PATH=$IDLE_CUDA${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

mkdir in
picture 160 120 | "$KOSTKA" encode - in/p1.jpg -q 95 --device cpu || fail 'cannot encode'
for i in $(seq 2 60); do cp in/p1.jpg "in/p$i.jpg"; done
bytes=$(cat in/*.jpg | wc -c)
"$KOSTKA" convert in/p1.jpg first.jp2 --device cuda:0 || fail 'cannot convert'
[ -r /proc/self/io ] || lacks 'count of what a process reads (/proc/PID/io)'
echo text >in/bad.jpg
mkfifo gate pipe.jpg

# begin COMMAND…: in the background, with a driver that waits, until so many bytes were read, or too much time has passed
begin() {
    IDLE_CUDA_GATE=$work/gate "$@" 2>err &
    pid=$!
    tries=0
    while [ "$(sed -n 's/^rchar: //p' /proc/$pid/io 2>/dev/null)" -lt "$bytes" ] && [ $tries -lt 1000 ]; do
        tries=$((tries + 1))
        sleep 0.01
    done
    read_before=$(sed -n 's/^rchar: //p' /proc/$pid/io)
}

for verb in encode convert; do
    # A pipe is read once, by who works on it.
    begin "$KOSTKA" $verb in pipe.jpg gone.jpg --out-format jp2 --out-dir $verb --manifest $verb.m --device cuda:0
    [ "$read_before" -ge "$bytes" ] || fail "$verb: $read_before of $bytes bytes were read before the driver began"
    equals "$(find $verb -type f | wc -l)" 0 'outputs before the driver began'
    : >gate
    cat in/p1.jpg >pipe.jpg
    wait $pid
    equals $? 1 "exit status of $verb"
    equals "$(grep -c '"status":"ok"' $verb.m)" 61 "$verb: inputs that succeeded"
    equals "$(sed -n 's/.*"input":"\([^"]*\)".*/\1/p' $verb.m | sort | uniq -d)" '' "$verb: inputs done twice"
    says '^kostka: in/bad.jpg: '
    says '^kostka: gone.jpg: '
    for i in 1 2 60; do same first.jp2 "$verb/p$i.jp2"; done
    same first.jp2 $verb/pipe.jp2
done

# A device that is not there: nothing was made of what was read.
expect 3 "$KOSTKA" convert in --out-format jp2 --out-dir none --device cuda:7
equals "$(find none -type f 2>/dev/null)" ''
# The first failure ends the work, with what was read and not used.
expect 1 "$KOSTKA" convert in/bad.jpg in --out-format jp2 --out-dir fast --fail-fast --device cuda:0
finish
