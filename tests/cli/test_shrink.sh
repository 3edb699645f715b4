#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Inputs that become shorter while they are read. Large files are mapped, and touching a page that is gone would end the
# process by SIGBUS: instead the input fails, nothing is made of it, and the work on others goes on.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# shrinking FILE COMMAND…: the file, a copy of the whole one, is cut off as soon as it is mapped. ASan wants to be the first
# library.
shrinking() {
    file=$1
    shift
    cp "whole.${file##*.}" "$file"
    env LD_PRELOAD="$SHRINK_LIBRARY" SHRINK="$file" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$@"
}

# fails FILE OUTPUT COMMAND…: such a call fails with a word, and leaves nothing
fails() {
    name=$1 output=$2
    shift 2
    expect 1 shrinking "$name" "$@"
    says "^kostka: $name: cannot read: the file has become shorter"
    equals "$(find . -name "*${output##*/}*")" '' "what is left of $output"
}

mkdir in
head -c 1680000 /dev/urandom >noise
(printf 'P6\n800 700\n255\n' && cat noise) >whole.ppm
head -c 21000000 /dev/urandom >samples
"$KOSTKA" encode --raw 3500x2000x3:8 -q 100 --subsampling 444 --restart 4r samples whole.jpg || fail 'cannot encode'
[ "$(wc -c <whole.jpg)" -gt 16777216 ] || fail 'the JPEG is too short to be mapped'
rm samples

for threads in 1 2; do
    fails p.ppm folder/p.jpg "$KOSTKA" encode p.ppm --out-dir folder --device cpu --threads $threads
    fails p.ppm p.jpg "$KOSTKA" encode p.ppm p.jpg --device cpu --threads $threads
    fails b.jpg b.pnm "$KOSTKA" decode b.jpg b.pnm --device cpu --threads $threads
    fails b.jpg b.jph "$KOSTKA" convert b.jpg b.jph --device cpu --threads $threads --reduce 3
    fails b.jpg t.jpg "$KOSTKA" transcode b.jpg t.jpg --progressive --threads $threads
done

# What goes to a pipe cannot be taken back, but the exit status tells.
shrinking p.ppm "$KOSTKA" encode p.ppm - --device cpu 2>err >piped
equals $? 1 'exit status with a pipe'
says '^kostka: p.ppm: cannot read: '

# Others of a batch are what they are without it.
for i in 1 2 3 4; do cp whole.ppm "in/p$i.ppm"; done
expect 1 shrinking in/p2.ppm "$KOSTKA" encode in --out-dir many --manifest m --device cpu
says '^kostka: in/p2.ppm: cannot read: '
expect 0 "$KOSTKA" encode whole.ppm whole-again.jpg --device cpu
(cd many && only p1.jpg p3.jpg p4.jpg) || failures=$((failures + 1))
for i in 1 3 4; do same "many/p$i.jpg" whole-again.jpg; done
equals "$(grep -c '"status":"ok"' m)" 3 'inputs that succeeded'
equals "$(grep -c '"status":"failed"' m)" 1 'inputs that failed'

# Verbs without an output end, too.
for verb in info 'compare whole.jpg'; do
    # shellcheck disable=SC2086 # a list of words
    shrinking b.jpg "$KOSTKA" $verb b.jpg >out 2>err
    code=$?
    [ $code -le 1 ] || fail "$verb: exit status $code"
done
finish
