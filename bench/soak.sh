#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Works at full load for a time, and checks that memory stays flat and that nothing is lost:
#
#     bench/soak.sh [MINUTES [BUILD]]
#
# For half of the time flows of all works run in one process (kostka-soak). For the other half the command line converts a
# folder of many names, with archives in it, again and again; each time the manifest has a line for each of them, all
# copies of one picture become the same bytes, the same ones fail, and the memory of the process is sampled. Some of the
# files are damaged. MINUTES is 20, BUILD the folder of any build (build). KOSTKA_SOAK_DEVICES are the devices (cpu), and
# where nvidia-smi is there it tells how busy they were and what memory they used. KOSTKA_SOAK_PICTURES are paths of
# pictures that come to the small ones that are made here, KOSTKA_SOAK_ITEMS the items of a flow (48), KOSTKA_SOAK_WORKS what
# flows do (all of decode,jp2,jph,jpeg,transcode), KOSTKA_SOAK_NAMES the names of the folder (2000), KOSTKA_SOAK_FORMAT what
# they become (png). So a GPU is busy:
#
#     KOSTKA_SOAK_DEVICES=cuda:0 KOSTKA_SOAK_PICTURES="$(echo 4k/*.jpg)" KOSTKA_SOAK_ITEMS=40000 KOSTKA_SOAK_WORKS=jp2,jph,jpeg \
#         KOSTKA_SOAK_NAMES=12000 KOSTKA_SOAK_FORMAT=jp2 bench/soak.sh
#
# Exits with 0 if all held.
set -eu
here=$(dirname "$0")
minutes=${1:-20}
build=${2:-$here/../build}
devices=${KOSTKA_SOAK_DEVICES:-cpu}
names=${KOSTKA_SOAK_NAMES:-2000}
items=${KOSTKA_SOAK_ITEMS:-48}
format=${KOSTKA_SOAK_FORMAT:-png}
kostka=$build/kostka
work=$(mktemp -d "$([ -d /dev/shm ] && echo /dev/shm || echo /tmp)/kostka-soak-XXXXXX")
watching=
trap '[ -z "$watching" ] || kill $watching; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export KOSTKA_DEVICE=cpu # until the pictures are made
# Memory that AddressSanitizer holds back after its release would look like growth.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16"

fail() {
    echo "soak.sh: $*" >&2
    exit 1
}

# picture NUMBER WIDTH HEIGHT: a PPM with stripes and noise
picture() {
    awk -v seed="$1" -v w="$2" -v h="$3" 'BEGIN {
        srand(seed)
        printf "P3\n%d %d\n255\n", w, h
        for (y = 0; y < h; y++)
            for (x = 0; x < w; x++)
                printf "%d %d %d\n", (x * seed + y) % 200 + rand() * 50, (x + y * seed) % 230, rand() * 80 + seed * 9
    }'
}

mkdir "$work/files"
for i in 1 2 3 4 5 6 7 8; do
    picture $i $((i * 70 + 13)) $((i * 50 + 7)) >"$work/p.ppm"
    case $i in
    1 | 5) "$kostka" encode -q 85 "$work/p.ppm" "$work/files/$i.jpg" ;;
    2) "$kostka" encode --progressive "$work/p.ppm" "$work/files/$i.jpg" ;;
    3) "$kostka" encode --restart 5 --subsampling 444 "$work/p.ppm" "$work/files/$i.jpg" ;;
    4) "$kostka" encode --lossless "$work/p.ppm" "$work/files/$i.jp2" ;;
    6) "$kostka" encode --ratio 10 "$work/p.ppm" "$work/files/$i.j2k" ;;
    *) "$kostka" encode --optimize "$work/p.ppm" "$work/files/$i.jpg" ;;
    esac
done
head -c 1500 "$work/files/3.jpg" >"$work/files/cut.jpg" # decodes with warnings
head -c 90 "$work/files/4.jp2" >"$work/files/stub.jp2"  # fails
echo 'no picture' >"$work/files/text.jpg"               # fails

for file in ${KOSTKA_SOAK_PICTURES:-}; do
    cp "$file" "$work/files/"
done

# Print how busy each GPU was, and the most memory that was used in each third of the time.
gpus() {
    awk -F ', *' '{ n[$1]++; line[$1, n[$1]] = $3; busy[$1] += $2 }
        END {
            for (gpu in n) {
                for (i = 1; i <= n[gpu]; i++) {
                    part = int((i - 1) * 3 / n[gpu])
                    if (line[gpu, i] + 0 > most[gpu, part] + 0) most[gpu, part] = line[gpu, i]
                }
                printf "GPU %s: busy %.0f %% of the time, memory, MiB: %d, %d, %d in its thirds\n", gpu,
                    busy[gpu] / n[gpu], most[gpu, 0], most[gpu, 1], most[gpu, 2]
            }
        }' "$1"
}

# watch FILE, and unwatch: in between the GPUs are looked at twice a second
watch() {
    command -v nvidia-smi >/dev/null || return 0
    nvidia-smi --query-gpu=index,utilization.gpu,memory.used --format=csv,noheader,nounits -lms 500 >"$1" &
    watching=$!
}
unwatch() {
    [ -n "$watching" ] || return 0
    kill "$watching"
    watching=
    gpus "$1"
}

export KOSTKA_DEVICE="$devices"
echo "flows, $devices:"
writers=$([ "$items" -gt 48 ] && echo 16 || echo 2)
watch "$work/gpus"
"$build/bench/kostka-soak" -d "$devices" -n "$items" -w "$writers" \
    ${KOSTKA_SOAK_WORKS:+-W "$KOSTKA_SOAK_WORKS"} -s "$(echo "$minutes" | awk '{ print $1 * 30 }')" \
    "$work"/files/* || fail 'flows'
unwatch "$work/gpus"

# The folder: each name is another link to one of the files.
set -- "$work"/files/*
i=0
while [ $i -lt "$names" ]; do
    mkdir -p "$work/in/$((i / 100))" "$work/in/$((i / 100 + 1))"
    for file in "$@"; do
        ln "$file" "$work/in/$((i / 100))/$i-${file##*/}"
        i=$((i + 1))
    done
done
for file in "$@"; do
    ln "$file" "$work/in/0/$i-tar-${file##*/}"
    i=$((i + 1))
done
(cd "$work/files" && tar -c -f "$work/in/inner.tar" -- *)
inputs=$((i + $#))
bad=$((2 * (inputs / $#)))

# most_resident PID: the most kilobytes that the process had until it ended
most_resident() {
    most=0
    while now=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status" 2>/dev/null) && [ -n "$now" ]; do
        [ "$now" -le "$most" ] || most=$now
        sleep 0.2
    done
    echo "$most"
}

# check_outputs: all that came from one file is the same.
check_outputs() {
    for file in "$@"; do
        base=${file##*/}
        kinds=$(find "$work/out" -name "*-${base%.*}.$format" -print0 | xargs -0 -P 8 -n 100 cksum | cut -d ' ' -f 1,2 | sort -u | wc -l)
        [ "$kinds" -le 1 ] || fail "$base has become $kinds different files"
    done
}

echo "the command line, $inputs inputs a round:"
watch "$work/gpus"
case $format in
png) level='--compression 1' ;;
jp2 | jph | j2k) level='--ratio 20' ;;
*) level= ;;
esac
end=$(($(date +%s) + minutes * 30))
rounds=0 first=0 last=0
while [ $rounds -lt 2 ] || [ "$(date +%s)" -lt "$end" ]; do
    rm -rf "$work/out" "$work/manifest"
    # shellcheck disable=SC2086 # a list of words
    "$kostka" convert --recursive "$work/in" --out-dir "$work/out" --out-format "$format" $level \
        --manifest "$work/manifest" 2>"$work/err" &
    pid=$!
    last=$(most_resident $pid)
    code=0
    wait $pid || code=$?
    [ $code = 1 ] || {
        tail -n 5 "$work/err" >&2
        fail "exit status $code, not 1, since some files are damaged"
    }
    [ "$(wc -l <"$work/manifest")" = "$inputs" ] || fail "$(wc -l <"$work/manifest") lines in the manifest, not $inputs"
    failed=$(grep -c '"status": *"failed"' "$work/manifest" || true)
    [ "$failed" = "$bad" ] || fail "$failed failures, not $bad"
    [ "$(find "$work/out" -type f | wc -l)" = $((inputs - bad)) ] || fail 'outputs are missing'
    check_outputs "$@"
    [ $rounds != 0 ] || first=$last
    rounds=$((rounds + 1))
done
unwatch "$work/gpus"
echo "$rounds rounds, $((rounds * inputs)) inputs, $bad of each round failed; resident, MB: $((first / 1000)) in the first round, $((last / 1000)) in the last"
[ "$last" -le $((first + first / 10 + 8000)) ] || fail 'a later round takes more memory than the first'
