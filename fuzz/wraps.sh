#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wraps.sh FOLDER SEEDS...: replays the seeds with all fuzz targets of a build by the preset "integer", and fails if a
# sum or a conversion wraps that is not meant to. CONTRIBUTING.md says which ones are meant to, and why; lengths,
# offsets and counts never are.
set -u
folder=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Counters that run down to 0 end as 0 − 1, wherever they are.
loops=': 0 - 1 cannot be represented'
meant='^fuzz/
^src/core/memory\.c
^src/device/cache\.c
^src/j2k/cpu/(blocks|dwt)/
^src/j2k/cpu/(multi_arrays|z)\.c
^src/j2k/gpu/decode\.c.* 4294967295 \+ 1 cannot
^src/j2k/packets/packet_recovery\.c
^src/jpeg/cpu/dsp/
^src/jpeg/cpu/entropy/(bits\.h|bit_string\.c|entropy_mcu\.c|lookup\.h|progressive_run\.c|run_avx2\.c)'

# One process for each target replays the files, and reports each place only once.
targets=$(sed -n 's/^kostka_fuzz_target(\([a-z0-9]*\).*/\1/p' "$(dirname "$0")/CMakeLists.txt")
for target in $targets; do
    "$folder/$target" "$@" >>"$log" 2>&1 || {
        tail -n 20 "$log"
        echo "FAILED: $target"
        exit 1
    }
done
count=$(grep -c ': runtime error: ' "$log")
[ "$count" -gt 0 ] || {
    echo 'FAILED: nothing wraps, which some sums are meant to: is this a build by the preset "integer"?'
    exit 1
}
found=$(sed -n 's/: runtime error: /: /p' "$log" | sed -E 's#^.*/(src|fuzz)/#\1/#' | sort -u |
    grep -v -e "$loops" | grep -v -E -e "$meant")
[ -z "$found" ] || {
    printf 'FAILED: wraps:\n%s\n' "$found"
    exit 1
}
echo "$count reports, all of sums that are meant to wrap"
