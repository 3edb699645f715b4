#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Takes photographs through the command line: decode, encode at several qualities, add restart markers without loss,
# compare. Prints a table and leaves the files and a contact sheet.
#
#     demo.sh BUILD-FOLDER OUTPUT-FOLDER FILE|FOLDER…
set -eu
build=$1
out=$2
shift 2
kostka=$build/kostka
repeat=3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$out"

# value KEY: the first value of a key in the JSON on standard input, which has a line a key.
value() {
    sed -n 's/^ *"'"$1"'": *"\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' | head -n 1
}

kib() {
    echo $((($(wc -c <"$1") + 512) / 1024))
}

row() {
    printf '  %-24s %9s %9s %9s   %s\n' "$@"
}

# bench_row LABEL FILE-WHOSE-SIZE-IS-SHOWN REMARK WORK FILE OPTION…
bench_row() {
    label=$1
    size=$(kib "$2")
    remark=$3
    shift 3
    "$kostka" bench "$@" --repeat "$repeat" --json >"$work/bench.json"
    row "$label" "$size" "$(value median_seconds <"$work/bench.json" | awk '{ printf "%.1f", $1 * 1000 }')" \
        "$(value megapixels_per_second <"$work/bench.json" | awk '{ printf "%.1f", $1 }')" "$remark"
}

# verdict A B: "identical" or the PSNR
verdict() {
    "$kostka" compare "$1" "$2" --json >"$work/compare.json" || [ $? = 1 ]
    if [ "$(value identical <"$work/compare.json")" = true ]; then
        echo identical
    else
        value psnr <"$work/compare.json" | awk '{ printf "%.2f dB\n", $1 }'
    fi
}

milliseconds() {
    start=$(date +%s%N)
    "$@"
    echo $((($(date +%s%N) - start) / 100000)) | awk '{ printf "%.1f", $1 / 10 }'
}

# encode_rows PICTURE: the photograph as pixels
encode_rows() {
    for quality in 50 75 90; do
        result=$out/$name-q$quality.jpg
        "$kostka" encode "$1" "$result" -q $quality
        bench_row "encode -q $quality" "$result" "$(verdict "$photograph" "$result")" encode "$1" -q $quality
    done
}

transcode_row() {
    label=$1
    result=$2
    shift 2
    time=$(milliseconds "$kostka" transcode "$photograph" "$result" "$@")
    row "$label" "$(kib "$result")" "$time" "" "$(verdict "$photograph" "$result")"
}

show() {
    photograph=$1
    name=$(printf '%02d-%s' "$number" "$(basename "${photograph%.*}" | tr -c 'A-Za-z0-9._\n-' _)")
    if "$kostka" info "$photograph" --json >"$work/info.json" 2>/dev/null; then
        printf '\n%s: %sx%s, %s, %s\n' "$photograph" "$(value width <"$work/info.json")" \
            "$(value height <"$work/info.json")" "$(value process <"$work/info.json")" "$(value sampling <"$work/info.json")"
        row '' KiB ms MPix/s 'compared with the photograph'
        "$kostka" decode "$photograph" "$work/decoded.ppm"
        bench_row decode "$photograph" "$(verdict "$photograph" "$work/decoded.ppm")" decode "$photograph"
        encode_rows "$work/decoded.ppm"
        transcode_row 'transcode --restart auto' "$out/$name-restart.jpg" --restart auto
        bench_row 'decode with restarts' "$out/$name-restart.jpg" "" decode "$out/$name-restart.jpg"
        transcode_row 'transcode --progressive' "$out/$name-progressive.jpg" --progressive
    else
        printf '\n%s\n' "$photograph"
        row '' KiB ms MPix/s 'compared with the photograph'
        encode_rows "$photograph"
    fi
    sheet="$sheet$out/$name-q90.jpg
"
}

find "$@" -type f \( -iname '*.jpg' -o -iname '*.jpeg' -o -iname '*.png' -o -iname '*.tif' -o -iname '*.tiff' -o -iname '*.p[gpna]m' \) |
    sort >"$work/list"
[ -s "$work/list" ] || {
    echo "no photographs in: $*" >&2
    exit 1
}

{
    "$kostka" devices
    echo "Times are medians of $repeat runs from memory to memory, but of transcode, which is the whole command."
    number=0
    sheet=
    while IFS= read -r file; do
        number=$((number + 1))
        show "$file"
    done <"$work/list"
    printf '%s' "$sheet" >"$work/sheet" # only if all went well
} | tee "$out/table.txt"
[ -e "$work/sheet" ] || exit 1

tr '\n' '\0' <"$work/sheet" | xargs -0 "$build/examples/contact_sheet" "$out/contact-sheet.jpg"
printf '\nresults: %s\ncontact sheet: %s\n' "$out" "$out/contact-sheet.jpg"
