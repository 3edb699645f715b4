#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A child process uses the three libraries that its parent has used, with one thread and with several. After a device it has the
# CPU: drivers do not survive fork(), and PoCL's waits forever for its threads.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
picture 700 500 >a.ppm
expect 0 "$KOSTKA" encode a.ppm a.jpg
expect 0 "$CALLS" a.jpg alone # the originals'
for threads in '' 2; do
    for busy in alone threads; do
        LD_LIBRARY_PATH=$COMPAT KOSTKA_THREADS=$threads expect 0 "$CALLS" a.jpg $busy
    done
done
LD_LIBRARY_PATH=$COMPAT OPJ_NUM_THREADS=2 expect 0 "$CALLS" a.jpg threads
"$KOSTKA" devices | grep -q '^opencl:0 ' || {
    echo 'skipped: a child of a process that has used a device: there is none'
    finish
}
LD_LIBRARY_PATH=$COMPAT KOSTKA_DEVICE=opencl:0 expect 0 "$CALLS" a.jpg alone
finish
