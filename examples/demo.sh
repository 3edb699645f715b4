#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Takes photographs through the command line: decode, encode at several qualities, add restart markers without loss,
# compare; the first few as JPEG 2000 too. Prints a table and leaves the files, a contact sheet, the first few's curves of
# rate and distortion, and the first one as each filter changes it.
#
#     demo.sh BUILD-FOLDER OUTPUT-FOLDER FILE|FOLDER…
set -eu
build=$1
out=$2
shift 2
kostka=$build/kostka
here=$(cd "$(dirname "$0")" && pwd)
repeat=3
few=3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$out"
made=$out/.made-by-the-demo

# without_notes COMMAND… runs it without what it notes of its output, such as that a PPM has no place for Exif.
without_notes() {
    failed=0
    "$@" 2>"$work/said" || failed=$?
    grep -v ': note: ' "$work/said" >&2 || true
    return $failed
}

# filters PHOTOGRAPH makes pictures of all filters in a folder of their own, and a contact sheet of them.
filters() {
    without_notes "$kostka" convert "$1" "$work/smaller.ppm" --resize 640x480 --fit inside
    sh "$here/filters.sh" "$kostka" "$out/filters" "$work/smaller.ppm"
    "$build/examples/contact_sheet" "$out/filters.jpg" "$out"/filters/*.jpg
}

# clean removes what an older run has made, which that run has listed in a file. Still older runs made files of these
# names without a list.
clean() {
    if [ -f "$made" ]; then
        grep -v / "$made" | while IFS= read -r file; do
            rm -f "$out/$file"
        done
        rm -f "$made"
    elif [ -f "$out/table.txt" ]; then
        find "$out" -maxdepth 1 -type f -regextype posix-extended \( \
            -regex '.*/[0-9]{2,}-[A-Za-z0-9._-]*-(q50|q75|q90|restart|progressive)\.jpg' -o \
            -regex '.*/[0-9]{2,}-[A-Za-z0-9._-]*-(lossless|ratio20|rpcl|layers3)\.jp2' -o \
            -name table.txt -o -name contact-sheet.jpg -o -name curves.svg \) -exec rm -f {} +
    fi
}

# makes FILE notes that a file of the output folder will be made.
makes() {
    basename "$1" >>"$made"
}

# value KEY prints the first value of a key in the JSON on standard input, which has a line for each key.
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

# verdict A B prints "identical" or the PSNR.
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

# encode_rows PICTURE prints the rows of encoding a photograph's pixels.
encode_rows() {
    for quality in 50 75 90; do
        result=$out/$name-q$quality.jpg
        makes "$result"
        "$kostka" encode "$1" "$result" -q $quality
        bench_row "encode -q $quality" "$result" "$(verdict "$photograph" "$result")" encode "$1" -q $quality
    done
}

# whole_row LABEL SOURCE RESULT VERB OPTION…
whole_row() {
    label=$1
    source=$2
    result=$3
    verb=$4
    shift 4
    makes "$result"
    time=$(milliseconds "$kostka" "$verb" "$source" "$result" "$@")
    row "$label" "$(kib "$result")" "$time" "" "$(verdict "$source" "$result")"
}

# jpeg2000_rows PICTURE prints the rows of JPEG 2000 for a photograph's pixels.
jpeg2000_rows() {
    whole_row 'JPEG 2000 --lossless' "$1" "$out/$name-lossless.jp2" encode --lossless
    bench_row 'decode that' "$out/$name-lossless.jp2" "" decode "$out/$name-lossless.jp2"
    whole_row 'JPEG 2000 --ratio 20' "$1" "$out/$name-ratio20.jp2" encode --ratio 20 --layers 5
    bench_row 'decode that' "$out/$name-ratio20.jp2" "" decode "$out/$name-ratio20.jp2"
    whole_row 'transcode to RPCL, PLT' "$out/$name-ratio20.jp2" "$out/$name-rpcl.jp2" transcode \
        --progression RPCL --plt
    whole_row 'transcode --layers 3' "$out/$name-ratio20.jp2" "$out/$name-layers3.jp2" transcode --layers 3
}

# point CODEC FILE prints a point of the curve of $small.
point() {
    "$kostka" compare "$small" "$2" --json >"$work/compare.json" || [ $? = 1 ]
    printf '%s\t%s\t%s\t%s\n' "$name" "$1" "$(echo "$(wc -c <"$2") $pixels" | awk '{ print 8 * $1 / $2 }')" \
        "$(value psnr <"$work/compare.json")" >>"$work/points"
}

# curves PICTURE prints the points of a picture at half its size, which removes most traces of its own coding.
curves() {
    small=$work/small.ppm
    "$kostka" convert --scale 1/2 "$1" "$small" 2>/dev/null || cp "$1" "$small"
    "$kostka" info "$small" --json >"$work/info.json"
    pixels=$(($(value width <"$work/info.json") * $(value height <"$work/info.json")))
    for subsampling in 420 444; do
        for quality in 5 10 20 40 60 80 90; do
            "$kostka" encode "$small" "$work/point.jpg" --optimize --subsampling $subsampling -q $quality
            point "JPEG $subsampling" "$work/point.jpg"
        done
    done
    for rate in 0.125 0.25 0.5 1 1.5 2 3; do
        "$kostka" encode "$small" "$work/point.jp2" --rate $rate
        point 'JPEG 2000' "$work/point.jp2"
    done
}

show() {
    photograph=$1
    name=$(printf '%02d-%s' "$number" "$(basename "${photograph%.*}" | tr -c 'A-Za-z0-9._\n-' _)")
    if "$kostka" info "$photograph" --json >"$work/info.json" 2>/dev/null; then
        printf '\n%s: %sx%s, %s, %s\n' "$photograph" "$(value width <"$work/info.json")" \
            "$(value height <"$work/info.json")" "$(value process <"$work/info.json")" "$(value sampling <"$work/info.json")"
        row '' KiB ms MPix/s 'compared with the photograph'
        without_notes "$kostka" decode "$photograph" "$work/decoded.ppm"
        bench_row decode "$photograph" "$(verdict "$photograph" "$work/decoded.ppm")" decode "$photograph"
        encode_rows "$work/decoded.ppm"
        whole_row 'transcode --restart auto' "$photograph" "$out/$name-restart.jpg" transcode --restart auto
        bench_row 'decode with restarts' "$out/$name-restart.jpg" "" decode "$out/$name-restart.jpg"
        whole_row 'transcode --progressive' "$photograph" "$out/$name-progressive.jpg" transcode --progressive
        pixels_file=$work/decoded.ppm
    else
        printf '\n%s\n' "$photograph"
        row '' KiB ms MPix/s 'compared with the photograph'
        encode_rows "$photograph"
        pixels_file=$photograph
    fi
    if [ "$number" -le "$few" ]; then
        jpeg2000_rows "$pixels_file"
        curves "$photograph"
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

clean
for file in table.txt contact-sheet.jpg curves.svg filters.jpg; do
    makes "$out/$file"
done
{
    "$kostka" devices
    echo "Times are medians of $repeat runs from memory to memory, but of transcode and encoding to JPEG 2000, which are the whole command."
    number=0
    sheet=
    while IFS= read -r file; do
        number=$((number + 1))
        show "$file"
    done <"$work/list"
    printf '%s' "$sheet" >"$work/sheet" # only if everything succeeded
} | tee "$out/table.txt"
[ -e "$work/sheet" ] || exit 1

tr '\n' '\0' <"$work/sheet" | xargs -0 "$build/examples/contact_sheet" "$out/contact-sheet.jpg"
"$build/bench/kostka-curves" 'Rate and distortion of JPEG and JPEG 2000' "$out/curves.svg" <"$work/points"
filters "$(head -n 1 "$work/list")"
printf '\nresults: %s\ncontact sheet: %s\ncurves: %s\nfilters: %s, with their names in %s\n' "$out" "$out/contact-sheet.jpg" \
    "$out/curves.svg" "$out/filters.jpg" "$out/filters/index.html"
