#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Devices share the threads that help them: for another GPU there are three more, which wait for its calls, whatever
# --threads says. The GPUs' driver does nothing.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
KOSTKA=$IDLE_CUDA/kostka
LD_LIBRARY_PATH=$IDLE_CUDA${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH IDLE_CUDA_DEVICES=4
command -v strace >/dev/null || lacks strace
strace -o calls true 2>/dev/null || lacks 'permission to trace processes'

mkdir in
picture 40 30 | "$KOSTKA" convert - in/p1.jpg --resize 400x300 --device cpu || fail 'cannot encode'
for i in $(seq 2 30); do cp in/p1.jpg "in/p$i.jpg"; done

# threads DEVICES: how many a call starts
threads() {
    strace -f -e trace=clone,clone3 -o calls \
        "$KOSTKA" convert in --out-format jpeg --out-dir out --threads 16 --device "$1" || echo 'it failed: '
    grep -c 'clone.* = [0-9]' calls
}
one=$(threads cuda:0)
four=$(threads cuda:0,cuda:1,cuda:2,cuda:3)
# 8 that read ahead, 29 workers, the flow's 4 readers and 2 writers, 3 for the device, and at most 15 that help
between "$one" 47 61 'threads with one device'
between "$four" 56 $((61 + 9)) 'threads with four devices'
finish
