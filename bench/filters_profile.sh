#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures filters by 'kostka profile' and prints one table: the device's time, the bytes that the kernels move at least,
# their share of the rate of copies on the device, and the occupancy, weighed by time. Filters compute with integers, so
# that there is nothing to count as floating-point operations.
#
#     filters_profile.sh BUILD-FOLDER DEVICE FILE [CHAIN…]
set -eu
build=$1
device=$2
file=$3
shift 3
[ $# -gt 0 ] || set -- rotate=90 grey invert levels=20:200 equalise normalise \
    matrix=0.393:0.769:0.189:0.349:0.686:0.168:0.272:0.534:0.131 warp=0.9:0.1:5:-0.1:0.9:40 \
    warp=0.9:0.1:5:-0.1:0.9:40:weights=bicubic warp=1:0.1:0:0:1:0:0.0001:0.0001 gaussian=1.5 median=1 median=3 \
    bilateral=30:3:4 sharpen sobel canny=50:150 grey,canny=50:150
printf '| chain | kernels | ms | MB | share of copies | occupancy |\n|---|---:|---:|---:|---:|---:|\n'
for chain; do
    "$build/kostka" profile --device "$device" --filters "$chain" --repeat "${REPEAT:-21}" "$file" |
        awk -v chain="$chain" '
            /^copies:/ { rate = $2 * 1e9 }
            $NF ~ /^filter_/ {
                kernels++; seconds += $1 / 1e3; bytes += $2 * 1e6
                if ($(NF - 1) ~ /%$/) { known += $1; occupied += $1 * $(NF - 1) }
            }
            END {
                share = seconds > 0 && rate > 0 ? sprintf("%.0f%%", 100 * bytes / seconds / rate) : "-"
                occupancy = known > 0 ? sprintf("%.0f%%", occupied / known) : "-"
                printf "| `%s` | %d | %.3f | %.1f | %s | %s |\n", chain, kernels, 1e3 * seconds, bytes / 1e6, share, occupancy
            }'
done
