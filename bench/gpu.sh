#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# All measurements of GPUs that docs/performance.md tells, into one JSON file, for kostka-gpu-plot to draw:
#
#     bench/gpu.sh RESULTS.json PICTURE_4K PICTURE_1080
#
# The pictures are coded anew, so they should be all but lossless. KOSTKA is the command line (build/kostka), KOSTKA_MOST the
# milliseconds that one measurement may take (250), KOSTKA_SIZES the sides of squares. The CUDA device and NVIDIA's under OpenCL
# are measured, or those that KOSTKA_DEVICES names.
set -u
[ $# -eq 3 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
results=$1 large=$2 small=$3
kostka=${KOSTKA:-$(dirname "$0")/../build/kostka}
most=${KOSTKA_MOST:-250}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
started=$(date +%s)
failures=0
separator=

# measure KIND DEVICE CODING COMMAND…: the command's JSON, with what it is of
measure() {
    kind=$1 device=$2 coding=$3
    shift 3
    printf '%4d s  %s, %s, %s\n' "$(($(date +%s) - started))" "$kind" "$device" "$coding" >&2
    if ! "$kostka" "$@" --device "$device" --json >"$work/out" 2>"$work/err"; then
        failures=$((failures + 1))
        sed 's/^/        /' "$work/err" >&2
    fi
    [ -s "$work/out" ] || echo null >"$work/out"
    {
        printf '%s\n{"kind": "%s", "device": "%s", "coding": "%s", "result":\n' "$separator" "$kind" "$device" "$coding"
        cat "$work/out"
        printf '}'
    } >>"$results"
    separator=,
}

# bench KIND DEVICE CODING WORK OPTION…
bench() {
    kind=$1 device=$2 coding=$3 verb=$4
    shift 4
    # shellcheck disable=SC2086 # "90 420": quality and subsampling
    set -- $coding "$@"
    quality=$1 subsampling=$2
    shift 2
    measure "$kind" "$device" "$coding" bench "$verb" --repeat 500 --most-time "$most" -q "$quality" \
        --subsampling "$subsampling" "$@"
}

devices=${KOSTKA_DEVICES:-$("$kostka" devices | awk '$1 ~ /^cuda/ && !cuda++ || $1 ~ /^opencl/ && /NVIDIA/ && !opencl++ { print $1 }')}
[ -n "$devices" ] || { echo "no device to measure" >&2; exit 1; }
sizes=${KOSTKA_SIZES:-64,128,256,512,1024,2048,4096,8192}
"$kostka" convert "$large" "$work/large.jpg" -q 90 || exit 1

printf '{"driver": "%s", "runs": [' \
    "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)" >"$results"
first=1
for device in $devices; do
    peers=
    [ -z "$first" ] || peers=--peers
    first=
    for verb in decode encode; do
        recode=
        [ "$verb" = encode ] || recode=--recode
        # Peers take their time with many pictures, so they get them in one coding alone.
        # shellcheck disable=SC2086 # options, or nothing
        bench "$verb batch" "$device" '90 420' "$verb" --batch 1,4,16,64 $recode $peers "$large" "$small"
        for coding in '75 420' '90 444' '75 444'; do
            # shellcheck disable=SC2086
            bench "$verb batch" "$device" "$coding" "$verb" $recode $peers "$large" "$small"
            # shellcheck disable=SC2086
            bench "$verb batch" "$device" "$coding" "$verb" --batch 4,16,64 $recode "$large" "$small"
        done
        # shellcheck disable=SC2086
        bench "$verb size" "$device" '90 420' "$verb" --size "$sizes" $peers "$large"
        # shellcheck disable=SC2086
        bench "$verb host" "$device" '90 420' "$verb" --memory host $recode "$large" "$small"
    done
    bench 'decode restart' "$device" '90 420' decode --recode --restart 8 "$large"
    bench 'decode progressive' "$device" '90 420' decode --recode --progressive "$large"
    bench 'encode optimized' "$device" '90 420' encode --optimize "$large"
    for batch in 1 16; do
        measure "decode profile" "$device" "$batch at once" profile --batch "$batch" "$work/large.jpg"
        measure "encode profile" "$device" "$batch at once" profile --batch "$batch" --encode -q 90 "$large"
    done
done
for threads in 1 all; do
    count=$(nproc)
    [ "$threads" = all ] || count=1
    bench "decode size $threads" cpu '90 420' decode --size "$sizes" --threads "$count" "$large"
    bench "encode size $threads" cpu '90 420' encode --size "$sizes" --threads "$count" "$large"
done
printf ']}\n' >>"$results"
printf '%4d s  done, %d failed\n' "$(($(date +%s) - started))" "$failures" >&2
[ "$failures" -eq 0 ]
