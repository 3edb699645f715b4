#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# 'kostka bench' drives nvJPEG and nvJPEG2000 in every way it knows, with pictures that differ, and checks all results.
# Where there is no GPU, libraries stand in for them that do the work with Kostka.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
export LD_LIBRARY_PATH="$KOSTKA_RIVALS"

for i in 1 2 3; do
    picture $((40 + 8 * i)) $((50 - 8 * i)) >p$i.ppm
    expect 0 "$KOSTKA" encode p$i.ppm p$i.jpg
    expect 0 "$KOSTKA" encode p$i.ppm p$i.jp2
done

# row ENGINE: its row of the JSON in "out", as its number
row() {
    at=0
    while engine=$("$JSON_VALUE" files $at engine <out); do
        if [ "$engine" = "$1" ]; then
            echo $at
            return
        fi
        at=$((at + 1))
    done
    fail "no row of $1"
}

# measured ENGINE PICTURES: it did the work in every way, and all its results are right
measured() {
    [ ! -s err ] || fail "complaints: $(cat err)"
    at=$(row "$1")
    equals "$("$JSON_VALUE" files "$at" identical <out)" true "$1"
    equals "$("$JSON_VALUE" files "$at" pictures <out)" "$2" "$1"
}

for batch in 1 2 3 7 40; do
    expect 0 "$KOSTKA" bench decode p1.jpg p2.jpg p3.jpg --device cpu --mix --peers --repeat 3 --batch $batch --json
    measured kostka 3
    measured 'nvJPEG hardware' 3
    measured nvJPEG 3
    [ $batch = 1 ] || [ "$("$JSON_VALUE" files "$at" callers <out)" -le "$batch" ] || fail 'more threads than pictures'
    if grep -q gpu_hybrid out; then
        fail 'gpu_hybrid is measured where the hardware engines are'
    fi
    expect 0 "$KOSTKA" bench encode p1.ppm p2.ppm p3.ppm --device cpu --mix --peers --repeat 3 --batch $batch --json
    measured kostka 3
    measured nvJPEG 3
    [ $batch = 1 ] || [ "$("$JSON_VALUE" files "$at" callers <out)" -le "$batch" ] || fail 'more threads than pictures'
    expect 0 "$KOSTKA" bench decode p1.jp2 p2.jp2 p3.jp2 --device cpu --mix --peers --repeat 3 --batch $batch --json
    measured nvJPEG2000 3
    expect 0 "$KOSTKA" bench encode p1.ppm p2.ppm p3.ppm --device cpu --mix --peers --repeat 3 --batch $batch --json \
        --lossless --codeblock 32x32 --levels 3
    measured nvJPEG2000 3
    expect 0 "$KOSTKA" bench encode p1.ppm p2.ppm p3.ppm --device cpu --mix --peers --repeat 3 --batch $batch --json \
        --ht --lossless
    measured nvJPEG2000 3
done
expect 0 env KOSTKA_NO_HARDWARE=1 "$KOSTKA" bench decode p1.jpg --device cpu --peers --repeat 2 --batch 4 --json
measured 'nvJPEG gpu_hybrid' 1

# A rate: all pictures together are as long as ours.
expect 0 "$KOSTKA" bench encode p1.ppm p2.ppm p3.ppm --device cpu --mix --peers --repeat 2 --batch 6 --json --rate 3
ours=$("$JSON_VALUE" files "$(row kostka)" bytes <out)
theirs=$("$JSON_VALUE" files "$(row nvJPEG2000)" bytes <out)
between "$theirs" $((ours / 2)) "$ours" 'bytes of nvJPEG2000'

# T.814's coder is asked for where ours is: by one step for all pictures their files have our lengths.
expect 0 "$KOSTKA" bench encode p1.ppm p2.ppm p3.ppm --device cpu --mix --peers --repeat 2 --batch 6 --json --ht --step 2
ours=$("$JSON_VALUE" files "$(row kostka)" bytes <out)
theirs=$("$JSON_VALUE" files "$(row nvJPEG2000)" bytes <out)
between "$theirs" $((ours * 9 / 10)) "$ours" 'bytes of nvJPEG2000 with T.814'
finish
