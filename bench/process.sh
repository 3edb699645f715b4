#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares whole processes of kostka with those of the tools that it replaces, and prints a table in Markdown for
# docs/performance/processes.md:
#
#     bench/process.sh [WORK…]
#
# WORK is decode, encode, progressive, transcode, png, start or huge; all of them without any. Pictures of about 2.5, 8 and
# 18 MPix are made of four photographs each and rotated; kostka and the peer take turns, with output to a new file on a RAM
# disk. Above 1 is faster than the peer. KOSTKA is the command line (that of build/, installed for the purpose, as programs in a build folder
# look for their libraries in many places), KOSTKA_PROCESS the timing program (build/bench/kostka-process), KOSTKA_PHOTOS the
# folder of photographs, KOSTKA_ROUNDS how often each of the two runs (21).
# KOSTKA_SIZES may leave sizes out: "2.5 8 18".
set -eu
here=$(dirname "$0")
process=${KOSTKA_PROCESS:-$here/../build/bench/kostka-process}
photos=${KOSTKA_PHOTOS:-/usr/share/backgrounds/mate/nature}
rounds=${KOSTKA_ROUNDS:-21}
sizes=${KOSTKA_SIZES:-2.5 8 18}
work=$(mktemp -d "$([ -d /dev/shm ] && echo /dev/shm || echo /tmp)/kostka-process-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
[ -n "${KOSTKA:-}" ] || cmake --install "$here/../build" --prefix "$work/installed" >/dev/null
kostka=${KOSTKA:-$work/installed/bin/kostka}

# make_picture PHOTO WIDTH HEIGHT NAME: repeats the photograph until it fills the size; NAME.ppm, and NAME.jpg at quality 90
make_picture() {
    djpeg "$photos/$1.jpg" >"$work/photo.ppm"
    python3 - "$work/photo.ppm" "$2" "$3" "$work/$4.ppm" <<'PYTHON'
import sys
data = open(sys.argv[1], "rb").read()
width, height = int(sys.argv[2]), int(sys.argv[3])
magic, size, maximum, pixels = data.split(b"\n", 3)
w, h = map(int, size.split())
row = [(pixels[3 * w * y:3 * w * (y + 1)] * (width // w + 1))[:3 * width] for y in range(h)]
with open(sys.argv[4], "wb") as out:
    out.write(b"P6\n%d %d\n255\n" % (width, height))
    out.writelines(row[y % h] for y in range(height))
PYTHON
    rm "$work/photo.ppm"
    cjpeg -quality 90 -sample 2x2 "$work/$4.ppm" >"$work/$4.jpg"
}

size_of() {
    case $1 in
    2.5) echo 1936 1296 ;;
    8) echo 3264 2448 ;;
    *) echo 5184 3456 ;;
    esac
}

# row LABEL PEER… -- PROGRAM… measures all pictures of the current size.
row() {
    label=$1
    shift
    # shellcheck disable=SC2086 # names without spaces, which are made here
    "$process" "$label" "$rounds" $pictures -- "$@"
}

heading() {
    printf '\n| %s | wall, ratio | processor, ratio | peer ms | kostka ms | peer MB | kostka MB |\n' "$1"
    echo '|---|---|---|---|---|---|---|'
}

pair() { # WORK THREADS
    label="$size MPix, $2 thread$([ "$2" = 1 ] || echo s)"
    case $1 in
    decode) row "$label" djpeg -outfile "new:$work/peer" "$work/{}.jpg" -- "$kostka" decode --threads "$2" "$work/{}.jpg" "new:$work/own.ppm" ;;
    encode) row "$label" cjpeg -outfile "new:$work/peer" "$work/{}.ppm" -- "$kostka" encode --threads "$2" "$work/{}.ppm" "new:$work/own.jpg" ;;
    progressive) row "$label" cjpeg -progressive -outfile "new:$work/peer" "$work/{}.ppm" -- \
        "$kostka" encode --progressive --threads "$2" "$work/{}.ppm" "new:$work/own.jpg" ;;
    transcode) row "$label" jpegtran -progressive -copy all -outfile "new:$work/peer" "$work/{}.jpg" -- \
        "$kostka" transcode --progressive --threads "$2" "$work/{}.jpg" "new:$work/own.jpg" ;;
    png) VIPS_CONCURRENCY=$2 row "$label" vips copy "$work/{}.jpg" "new:$work/peer.png" -- \
        "$kostka" convert --threads "$2" "$work/{}.jpg" "new:$work/own.png" ;;
    esac
}

# The bytes must be the same; for PNG only the pixels.
check() {
    for picture in $pictures; do
        case $1 in
        decode) djpeg "$work/$picture.jpg" >"$work/peer" && "$kostka" decode "$work/$picture.jpg" "$work/own.ppm" && cmp "$work/peer" "$work/own.ppm" ;;
        encode) cjpeg "$work/$picture.ppm" >"$work/peer" && "$kostka" encode "$work/$picture.ppm" "$work/own.jpg" && cmp "$work/peer" "$work/own.jpg" ;;
        progressive) cjpeg -progressive "$work/$picture.ppm" >"$work/peer" &&
            "$kostka" encode --progressive "$work/$picture.ppm" "$work/own.jpg" && cmp "$work/peer" "$work/own.jpg" ;;
        transcode) jpegtran -progressive -copy all "$work/$picture.jpg" >"$work/peer" &&
            "$kostka" transcode --progressive "$work/$picture.jpg" "$work/own.jpg" && cmp "$work/peer" "$work/own.jpg" ;;
        esac
    done
}

measure_sizes() { # WORK TITLE
    heading "$2"
    for size in $sizes; do
        # shellcheck disable=SC2046 # two numbers
        set -- "$1" "$2" $(size_of "$size")
        pictures=
        for photo in Garden LadyBird TwoWings YellowFlower; do
            [ -f "$work/$photo-$size.jpg" ] || make_picture "$photo" "$3" "$4" "$photo-$size"
            pictures="$pictures $photo-$size"
        done
        check "$1"
        pair "$1" 1
        pair "$1" 2
    done
}

measure_start() {
    heading "start-up"
    printf 'P6\n16 16\n255\n' >"$work/small.ppm"
    head -c 768 /dev/zero >>"$work/small.ppm"
    cjpeg "$work/small.ppm" >"$work/small.jpg"
    pictures=small
    row "version" djpeg -version -- "$kostka" --version 2>"$work/version"
    row "16x16 decoded" djpeg -outfile "new:$work/peer" "$work/{}.jpg" -- "$kostka" decode "$work/{}.jpg" "new:$work/own.ppm"
    row "16x16 encoded" cjpeg -outfile "new:$work/peer" "$work/{}.ppm" -- "$kostka" encode "$work/{}.ppm" "new:$work/own.jpg"
}

# Measure the memory for 600 MPix of grey, without the drivers that searching for a GPU would load.
measure_huge() {
    heading "30000x20000 grey"
    djpeg -grayscale "$photos/Garden.jpg" >"$work/photo.pgm"
    python3 - "$work/photo.pgm" "$work/huge.pgm" <<'PYTHON'
import sys
magic, size, maximum, pixels = open(sys.argv[1], "rb").read().split(b"\n", 3)
w, h = map(int, size.split())
row = [(pixels[w * y:w * (y + 1)] * (30000 // w + 1))[:30000] for y in range(h)]
with open(sys.argv[2], "wb") as out:
    out.write(b"P5\n30000 20000\n255\n")
    out.writelines(row[y % h] for y in range(20000))
PYTHON
    cjpeg -outfile "$work/huge.jpg" "$work/huge.pgm"
    all_rounds=$rounds rounds=3 pictures=huge
    for threads in 1 2; do
        row "encoded, $threads threads" cjpeg -outfile "new:$work/peer" "$work/{}.pgm" -- \
            "$kostka" encode --device cpu --max-pixels 1G --threads $threads "$work/{}.pgm" "$work/own.jpg"
        row "decoded, $threads threads" djpeg -outfile "new:$work/peer" "$work/{}.jpg" -- \
            "$kostka" decode --device cpu --max-pixels 1G --threads $threads "$work/{}.jpg" "$work/own.pgm"
        cmp "$work/peer" "$work/own.pgm"
    done
    rounds=$all_rounds
}

[ $# -gt 0 ] || set -- decode encode progressive transcode png start huge
for one in "$@"; do
    case $one in
    decode) measure_sizes decode "JPEG to PPM: djpeg" ;;
    encode) measure_sizes encode "PPM to JPEG: cjpeg" ;;
    progressive) measure_sizes progressive "PPM to progressive JPEG: cjpeg -progressive" ;;
    transcode) measure_sizes transcode "JPEG to progressive JPEG: jpegtran -progressive" ;;
    png) command -v vips >/dev/null && measure_sizes png "JPEG to PNG: vips copy" ;;
    start) measure_start ;;
    huge) measure_huge ;;
    *) echo "no such work: $one" >&2 && exit 2 ;;
    esac
done
