#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Work on many inputs that ends before all are done: after failures, or because of a signal.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

mkdir in
for i in 1 2 3 4 5 6 7 8 9; do
    picture $((i * 9)) $((i * 5)) >"in/p$i.ppm"
done
for i in 3 5 6; do echo text >"in/p$i.ppm"; done

# So many may fail, and no further input is begun.
expect 1 "$KOSTKA" encode in --out-dir all --threads 1
equals "$(wc -l <err)" 3 'lines of complaint'
(cd all && only p1.jpg p2.jpg p4.jpg p7.jpg p8.jpg p9.jpg) || failures=$((failures + 1))
expect 1 "$KOSTKA" encode in --out-dir first --threads 1 --fail-fast
says 'in/p3.ppm: '
says '^kostka: stopped after 1 failure: 6 of 9 inputs are left'
(cd first && only p1.jpg p2.jpg) || failures=$((failures + 1))
expect 1 "$KOSTKA" encode in --out-dir second --threads 1 --max-failures 2
says '^kostka: stopped after 2 failures: 4 of 9 inputs are left'
(cd second && only p1.jpg p2.jpg p4.jpg) || failures=$((failures + 1))
expect 1 "$KOSTKA" encode in --out-dir third --threads 1 --max-failures 4
equals "$(wc -l <err)" 3 'lines of complaint'
same third/p9.jpg all/p9.jpg
expect 0 "$KOSTKA" encode in/p1.ppm in/p2.ppm --out-dir good --fail-fast
silent
equals "$(cat err)" ''
# By several threads at most those that were begun fail, too.
expect 1 "$KOSTKA" encode in --out-dir several --threads 3 --fail-fast
between "$(grep -c -v stopped err)" 1 3 'failures'
expect 2 "$KOSTKA" encode in/p1.ppm in/p2.ppm --out-dir wrong --fail-fast --max-failures 3
says '--max-failures does not go with --fail-fast'
expect 2 "$KOSTKA" encode in --out-dir wrong --max-failures 0
expect 2 "$KOSTKA" encode in/p1.ppm one.jpg --fail-fast
says '--fail-fast: it is for many inputs: add --out-dir'

# A signal: what has been begun is finished, here a picture that comes through a pipe, and nothing else is begun.
rm in/p3.ppm in/p5.ppm in/p6.ppm
mkfifo in/p3.ppm
picture 27 15 >p3.ppm
env --default-signal=INT,TERM true 2>/dev/null || lacks 'env --default-signal'

# start COMMAND…: in the background until it has opened the pipe, which is open for writing as descriptor 4 from then on
start() {
    rm -rf made
    env --default-signal=INT,TERM "$@" 2>err &
    pid=$!
    exec 4>in/p3.ppm
}
# feed: the picture that it waits for
feed() {
    cat p3.ppm >&4
    exec 4>&-
}
# taken SIGNAL: sent, and the process is no longer to get it: it has caught it, or it ends
taken() {
    kill -s "$1" $pid
    tries=0
    while grep -q '^S[hg].*Pnd:.*[1-9a-f]' /proc/$pid/status 2>/dev/null && [ $tries -lt 3000 ]; do
        tries=$((tries + 1))
        sleep 0.01
    done
}
# caught SIGNAL: whether the process is alive after it
caught() {
    taken "$1"
    sleep 0.1 # in which one that ends is gone, unless the machine is busy, where its exit status says so
    kill -0 $pid 2>/dev/null
}
for signal in TERM INT; do
    start "$KOSTKA" encode in/p1.ppm in/p2.ppm in/p3.ppm in/p4.ppm in/p7.ppm --out-dir made --threads 1
    caught $signal || fail "$signal has ended it at once"
    feed
    wait $pid
    equals $? 4 "exit status after $signal"
    says '^kostka: interrupted, can be resumed: 2 of 5 inputs are left'
    (cd made && only p1.jpg p2.jpg p3.jpg) || failures=$((failures + 1))
    same made/p2.jpg all/p2.jpg
    "$KOSTKA" encode p3.ppm p3.jpg
    same made/p3.jpg p3.jpg
done
# What is left is done by the same call that resumes.
start "$KOSTKA" encode in/p1.ppm in/p2.ppm in/p3.ppm in/p4.ppm in/p7.ppm --out-dir made --threads 1 --manifest m
caught TERM || fail 'it ended at once'
feed
wait $pid
equals $? 4 'exit status with a manifest'
equals "$(grep -c '"status":"ok"' m)" 3
expect 0 "$KOSTKA" encode in/p1.ppm in/p2.ppm in/p3.ppm in/p4.ppm in/p7.ppm --out-dir made --threads 1 --manifest m --resume
equals "$(grep -c '"status":"ok"' m)" 5
equals "$(sed 's/.*"input":"\([^"]*\)".*/\1/' m | sort -u | wc -l)" 5 'inputs in the manifest'
same made/p4.jpg all/p4.jpg
same made/p7.jpg all/p7.jpg
# If it is the last one, all is well.
start "$KOSTKA" encode in/p1.ppm in/p2.ppm in/p3.ppm --out-dir made --threads 1
caught TERM || fail 'it ended at once'
feed
wait $pid
equals $? 0 'exit status of work that is done'
equals "$(cat err)" ''
if grep -q -a __tsan_ "$KOSTKA"; then
    echo 'skipped: ThreadSanitizer delivers no signal to a thread that waits for a pipe, so only one that is remembered'
    finish
fi
# The second signal ends it at once, as the first does where there is one input.
start "$KOSTKA" encode in/p1.ppm in/p2.ppm in/p3.ppm in/p4.ppm --out-dir made --threads 1
caught TERM || fail 'it ended at once'
kill -s TERM $pid
wait $pid
equals $? 143 'exit status after two signals'
(cd made && only p1.jpg p2.jpg) || failures=$((failures + 1))
exec 4>&-
start "$KOSTKA" encode in/p3.ppm one.jpg
kill -s TERM $pid
exec 4>&- # an input that ends, if it goes on after a signal
wait $pid
equals $? 143 'exit status of one input'
# Before anything is begun, here while the list is read, there is nothing to wait for.
mkfifo list
env --default-signal=INT,TERM "$KOSTKA" encode --files-from list --out-dir out2 2>err &
pid=$!
exec 3>list
kill -s TERM $pid
wait $pid
equals $? 4 'exit status before anything is done'
exec 3>&-
says '^kostka: interrupted, can be resumed: nothing has been done yet'
finish
