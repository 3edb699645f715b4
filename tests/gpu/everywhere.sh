#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Everything that must hold on a machine with a GPU, on all of its devices, one line a step:
#
#     tests/gpu/everywhere.sh BUILD
#
# BUILD holds the built command line, tests/ and fuzz/. Filters also get images of 9000 x 5000 pixels. KOSTKA_CORPUS is the
# corpus, without which some programs have less to do; KOSTKA_COUNT how many damaged files go through each device (100000);
# KOSTKA_JOBS how many steps run at a time (1); KOSTKA_LOGS where output is kept. Exits 1 unless every step passed. A program
# that says it was skipped counts as not passed.
set -u
[ $# -eq 1 ] || { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$1
logs=${KOSTKA_LOGS:-$(mktemp -d)}
count=${KOSTKA_COUNT:-100000}
jobs=${KOSTKA_JOBS:-1}
running=0
mkdir -p "$logs"
: >"$logs/failed"

# run NAME COMMAND…: its time and what it said last.
run() {
    local name=$1 start=$SECONDS result
    shift
    "$@" >"$logs/$name.log" 2>&1
    result=$?
    case $result in
    0) result=ok ;;
    77) result=SKIPPED ;;
    *) result="FAILED ($result)" ;;
    esac
    [ "$result" = ok ] || echo "$name" >>"$logs/failed"
    printf '%-12s %4d s  %-28s %s\n' "$result" $((SECONDS - start)) "$name" "$(grep -v '^ *$' "$logs/$name.log" | tail -n 1)"
}

# step NAME COMMAND…: run beside others as soon as fewer than `jobs` do.
step() {
    while [ "$running" -ge "$jobs" ]; do
        wait -n
        running=$((running - 1))
    done
    run "$@" &
    running=$((running + 1))
}

"$build/kostka" devices
mapfile -t devices < <("$build/kostka" devices | awk '$1 ~ /^(cuda|opencl):/ { print $1 }')

# The exactness matrix, against libjpeg-turbo and the CPU, and the tests of devices; each program takes all devices.
for program in "$build"/tests/test_jpeg_decode_{whole,regions,formats,agreement} "$build"/tests/test_jpeg_{encode,smoothing} \
    "$build"/tests/test_gpu_* "$build"/tests/test_gl_*; do
    name=${program##*/}
    step "${name#test_}" "$program"
done
step filter-large env KOSTKA_LARGE=1 "$build/tests/test_gpu_filter_sizes"
for device in "${devices[@]}"; do
    step "conformance-$device" "$build/tests/test_j2k_conformance" "$device"
    step "batches-$device" "$build/fuzz/batches" "$device" "$count" "${KOSTKA_SEED:-41}"
done
wait
running=0

# Each kernel by itself, filters, and batches of files under NVIDIA's checkers, whose runs are shorter as they are slow.
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        for program in "$build"/tests/test_gpu_stage_* "$build"/tests/test_gpu_filter{s,_planes} \
            "$build"/tests/test_gpu_{lines_long,stereo,sweep}; do
            step "$tool-${program##*/test_gpu_}" env KOSTKA_TEST_DEVICES=cuda:0 KOSTKA_TEST_SIMULATED=1 \
                compute-sanitizer --tool "$tool" --error-exitcode 1 "$program"
        done
        step "$tool-batches" compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/fuzz/batches" cuda:0 300 7
    done
else
    echo "no compute-sanitizer: kernels were not checked by it"
fi
wait
echo "$(wc -l <"$logs/failed") steps did not pass; logs: $logs"
[ ! -s "$logs/failed" ]
