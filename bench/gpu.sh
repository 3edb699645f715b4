#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes all measurements of GPUs that docs/performance/gpus.md reports, and writes them to a JSON file, which kostka-gpu-plot draws:
#
#     bench/gpu.sh RESULTS.json PICTURE...
#
# Eight pictures or more, which take turns in batches and from run to run, and all of whose results are checked. They are
# cut to 3840x2160 and 1920x1080, or continued by their mirror images, and encoded. KOSTKA is the command line (build/kostka), KOSTKA_MOST the
# milliseconds that one measurement may take (250), KOSTKA_SIZES the sides of squares. The CUDA device and NVIDIA's under OpenCL
# are measured, or those that KOSTKA_DEVICES names. With KOSTKA_SECONDS, no measurement begins later than that: the exit status
# is 3, RESULTS.json.parts keeps what was measured, and the same call goes on from there (remove it after another build).
set -u
[ $# -ge 9 ] || { sed -n '3,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
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

# bench KIND DEVICE CODING WORK PICTURES… -- OPTION…: with all pictures in turn
bench() {
    kind=$1 device=$2 coding=$3 verb=$4
    shift 4
    case $coding in
    'j2k lossless'*) set -- "$@" --lossless ;;
    'j2k 20:1'*) set -- "$@" --ratio 20 ;;
    *) set -- "$@" -q "${coding% *}" --subsampling "${coding#* }" ;;
    esac
    case $coding in
    j2k*32x32) set -- "$@" --codeblock 32x32 ;;
    j2k*alone) set -- "$@" --threads 1 ;; # no code-blocks for the CPU
    esac
    measure "$kind" "$device" "$coding" bench "$verb" --mix --repeat 500 --most-time "$most" "$@"
}

devices=${KOSTKA_DEVICES:-$("$kostka" devices | awk '$1 ~ /^cuda/ && !cuda++ || $1 ~ /^opencl/ && /NVIDIA/ && !opencl++ { print $1 }')}
[ -n "$devices" ] || { echo "no device to measure" >&2; exit 1; }
sizes=${KOSTKA_SIZES:-64,128,256,512,1024,2048,4096,8192}
both=3840x2160,1920x1080
"$kostka" convert "$1" "$parts/large.jpg" -q 90 || exit 1

first=1
for device in $devices; do
    peers=
    [ -z "$first" ] || peers=--peers
    first=
    for verb in decode encode; do
        recode=
        [ "$verb" = encode ] || recode=--recode
        # shellcheck disable=SC2086 # options, or nothing
        for coding in '90 420' '75 420' '90 444' '75 444'; do
            # Peers take long with many pictures, so they get them in one coding only.
            batches=1,4,16,64
            [ "$coding" = '90 420' ] || [ -z "$peers" ] || batches=1
            bench "$verb batch" "$device" "$coding" "$verb" "$@" --size $both --batch $batches $recode $peers
            [ $batches != 1 ] || bench "$verb batch" "$device" "$coding" "$verb" "$@" --size $both --batch 4,16,64 $recode
        done
        # shellcheck disable=SC2086
        for coding in 'j2k lossless' 'j2k 20:1' 'j2k lossless 32x32' 'j2k 20:1 32x32'; do
            bench "$verb batch" "$device" "$coding" "$verb" "$@" --size 3840x2160 --batch 1,32 $recode $peers
        done
        # shellcheck disable=SC2086
        [ "$verb" = encode ] ||
            bench "$verb batch" "$device" 'j2k 20:1 alone' "$verb" "$@" --size 3840x2160 --batch 1,32 $recode
        # shellcheck disable=SC2086
        bench "$verb size" "$device" '90 420' "$verb" "$1" --size "$sizes" $peers
        # shellcheck disable=SC2086
        bench "$verb host" "$device" '90 420' "$verb" "$@" --size $both --memory host $recode
    done
    bench 'decode restart' "$device" '90 420' decode "$@" --size 3840x2160 --recode --restart 8
    bench 'decode progressive' "$device" '90 420' decode "$@" --size 3840x2160 --recode --progressive
    bench 'encode optimized' "$device" '90 420' encode "$@" --size 3840x2160 --optimize
    # shellcheck disable=SC2086
    bench 'encode optimized 64' "$device" '90 420' encode "$@" --size 3840x2160 --optimize --batch 64 $peers
    for batch in 1 16; do
        measure "decode profile" "$device" "$batch at once" profile --batch "$batch" "$parts/large.jpg"
        measure "encode profile" "$device" "$batch at once" profile --batch "$batch" --encode -q 90 "$1"
    done
done
for threads in 1 all; do
    count=$(nproc)
    [ "$threads" = all ] || count=1
    bench "decode size $threads" cpu '90 420' decode "$1" --size "$sizes" --threads "$count"
    bench "encode size $threads" cpu '90 420' encode "$1" --size "$sizes" --threads "$count"
done
{
    printf '{"driver": "%s", "runs": [' \
        "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)"
    separator=
    for part in $(seq -f '%03.0f' "$number"); do
        printf '%s\n' "$separator"
        cat "$parts/$part.json"
        separator=,
    done
    printf ']}\n'
} >"$results"
printf '%4d s  done, %d failed\n' "$(elapsed)" "$failures" >&2
[ "$failures" -eq 0 ] || exit 1
rm -r "$parts"
