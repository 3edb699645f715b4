#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes all measurements of GPUs that docs/performance/gpus.md reports, and writes them to a JSON file, which kostka-gpu-plot draws
# and bench/gpu_tables.py writes into the tables of the documentation:
#
#     bench/gpu.sh RESULTS.json PICTURE...
#
# Eight pictures or more, which take turns in batches and from run to run, and all of whose results are checked. They are
# cut to 3840x2160 and 1920x1080, or continued by their mirror images, and encoded. KOSTKA is the command line (build/kostka), KOSTKA_MOST the
# milliseconds that one measurement may take (250), KOSTKA_SIZES the sides of squares, KOSTKA_BOTH two other sizes. The CUDA device,
# with its peers, the CPU, and NVIDIA's device under OpenCL are measured, or the devices that KOSTKA_DEVICES names. With KOSTKA_SECONDS, no
# measurement begins later than that: the exit status is 3, RESULTS.json has what was measured until then, and the same call goes on
# from RESULTS.json.parts (remove it after another build).
set -u
[ $# -ge 9 ] || { sed -n '3,15s/^# \{0,1\}//p' "$0" >&2; exit 2; }
results=$1
shift
kostka=${KOSTKA:-$(dirname "$0")/../build/kostka}
most=${KOSTKA_MOST:-250}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
parts=$results.parts
mkdir -p "$parts" || exit 1
started=$(date +%s)
failures=0
number=0

elapsed() {
    echo $(($(date +%s) - started))
}

# write COUNT: all parts until then, as one JSON file
write() {
    {
        printf '{"date": "%s", "driver": "%s", "runs": [' "$(date -u +%Y-%m-%d)" \
            "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)"
        separator=
        for part in $(seq -f '%03.0f' "$1"); do
            printf '%s\n' "$separator"
            cat "$parts/$part.json"
            separator=,
        done
        printf ']}\n'
    } >"$work/results"
    mv "$work/results" "$results"
}

# measure KIND DEVICE CODING COMMAND…: the command's JSON, with what it is of, as the next part of the results. A part that
# an earlier call made by the same command is kept.
measure() {
    kind=$1 device=$2 coding=$3
    shift 3
    number=$((number + 1))
    part=$parts/$(printf '%03d' "$number")
    set -- "$@" --device "$device" --json
    if [ "$(cat "$part.command" 2>"$work/none")" = "$*" ]; then return; fi
    if [ -n "${KOSTKA_SECONDS:-}" ] && [ "$(elapsed)" -ge "$KOSTKA_SECONDS" ]; then
        write $((number - 1))
        printf '%4d s  stopped with %d measurements: the same call goes on from here\n' "$(elapsed)" $((number - 1)) >&2
        exit 3
    fi
    printf '%4d s  %s, %s, %s\n' "$(elapsed)" "$kind" "$device" "$coding" >&2
    if "$kostka" "$@" >"$work/out" 2>"$work/err"; then
        echo "$*" >"$work/command"
    else
        failures=$((failures + 1))
        rm -f "$work/command"
        sed 's/^/        /' "$work/err" >&2
    fi
    [ -s "$work/out" ] || echo null >"$work/out"
    {
        printf '{"kind": "%s", "device": "%s", "coding": "%s", "result":\n' "$kind" "$device" "$coding"
        cat "$work/out"
        printf '}'
    } >"$part.json"
    [ ! -e "$work/command" ] || mv "$work/command" "$part.command"
}

# bench KIND DEVICE CODING VERB PICTURES… -- OPTION…: with all pictures in turn
bench() {
    kind=$1 device=$2 coding=$3 verb=$4
    shift 4
    case $coding in
    'ht '*) set -- "$@" --ht ;;
    esac
    case $coding in
    *lossless*) set -- "$@" --lossless ;;
    *20:1*) set -- "$@" --ratio 20 ;;
    *step*) set -- "$@" --step 2 ;;
    *) set -- "$@" -q "${coding% *}" --subsampling "${coding#* }" ;;
    esac
    case $coding in
    *32x32) set -- "$@" --codeblock 32x32 ;;
    *alone) set -- "$@" --threads 1 ;; # no work for the CPU's threads
    esac
    measure "$kind" "$device" "$coding" bench "$verb" --mix --repeat 500 --most-time "$most" "$@"
}

# direction DEVICE VERB PEERS RECODE PICTURES…: everything in one direction; the third and the fourth are options, or nothing
direction() {
    device=$1 verb=$2 peers=$3 recode=$4
    shift 4
    # shellcheck disable=SC2086 # options, or nothing
    {
        bench "$verb batch" "$device" '90 420' "$verb" "$@" --size "$both" --batch 1,4,16,64 $recode $peers
        for coding in '75 420' '90 444' '75 444'; do
            bench "$verb batch" "$device" "$coding" "$verb" "$@" --size "$large" $recode $peers
        done
        for coding in 'j2k lossless' 'j2k 20:1' 'j2k lossless 32x32' 'j2k 20:1 32x32' 'ht lossless' 'ht 20:1'; do
            bench "$verb batch" "$device" "$coding" "$verb" "$@" --size "$large" --batch 1,32 $recode $peers
        done
        for coding in 'j2k lossless alone' 'j2k 20:1 alone'; do
            bench "$verb batch" "$device" "$coding" "$verb" "$@" --size "$large" --batch 1,32 $recode
        done
        bench "$verb size" "$device" '90 420' "$verb" "$1" --size "$sizes" $recode $peers
        bench "$verb host" "$device" '90 420' "$verb" "$@" --size "$both" --memory host $recode
    }
}

# on DEVICE PEERS PICTURES…
on() {
    device=$1 peers=$2
    shift 2
    direction "$device" decode "$peers" --recode "$@"
    direction "$device" encode "$peers" '' "$@"
    # shellcheck disable=SC2086 # options, or nothing
    {
        bench 'encode batch' "$device" 'ht step' encode "$@" --size "$large" --batch 1,32 $peers
        bench 'encode optimized 64' "$device" '90 420' encode "$@" --size "$large" --optimize --batch 64 $peers
        bench 'encode optimized' "$device" '90 420' encode "$@" --size "$large" --optimize $peers
    }
    bench 'decode restart' "$device" '90 420' decode "$@" --size "$large" --recode --restart 8
    bench 'decode progressive' "$device" '90 420' decode "$@" --size "$large" --recode --progressive
    for coding in 'j2k lossless' 'j2k 20:1' 'ht lossless'; do
        bench 'transcode' "$device" "$coding" transcode "$@" --size "$large" --batch 1,32 --recode
    done
    [ "$device" != cpu ] || return 0 # it records no steps
    for batch in 1 16; do
        measure "decode profile" "$device" "$batch at once" profile --batch "$batch" "$parts/large.jpg"
        measure "encode profile" "$device" "$batch at once" profile --batch "$batch" --encode -q 90 "$1"
    done
}

devices=${KOSTKA_DEVICES:-$("$kostka" devices | awk '$1 ~ /^cuda/ && !cuda++ || $1 ~ /^opencl/ && /NVIDIA/ && !opencl++ { print $1 }')}
[ -n "$devices" ] || { echo "no device to measure" >&2; exit 1; }
sizes=${KOSTKA_SIZES:-64,128,256,512,1024,2048,4096,8192}
both=${KOSTKA_BOTH:-3840x2160,1920x1080}
large=${both%,*}
[ -e "$parts/large.jpg" ] || "$kostka" convert "$1" "$parts/large.jpg" -q 90 || exit 1

peers=--peers
for device in $devices; do
    on "$device" "$peers" "$@"
    [ -n "$peers" ] || continue
    peers=
    for threads in 1 all; do
        count=$(nproc)
        [ "$threads" = all ] || count=1
        bench "decode size $threads" cpu '90 420' decode "$1" --size "$sizes" --threads "$count"
        bench "encode size $threads" cpu '90 420' encode "$1" --size "$sizes" --threads "$count"
    done
done
write "$number"
printf '%4d s  done, %d failed\n' "$(elapsed)" "$failures" >&2
[ "$failures" -eq 0 ] || exit 1
rm -r "$parts"
