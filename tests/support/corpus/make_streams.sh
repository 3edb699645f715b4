#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make_streams.sh MAKE_RAW FOLDER: streams of JPEG 2000 by OpenJPEG and Grok, where the conformance streams are not at hand, and
# what OpenJPEG decodes them to. Those with a conformance stream's name have its size, tiles, components, progression, layers,
# levels, styles and depth, and are no more like it: the names are those that tests ask for. FOLDER/references/table lists what
# to compare: stream, reference, component, reduction, peak error and mean squared error allowed.
set -eu
make_raw=$1
streams=$2/streams
references=$2/references
table=$references/table
if [ -n "$(find "$table" -newer "$0" -newer "$make_raw" 2>/dev/null)" ]; then
    echo 'made before'
    exit 0
fi
for program in opj_compress opj_decompress grk_compress; do
    command -v $program >/dev/null || {
        echo "skipped: $program is not installed"
        exit 77
    }
done
rm -rf "$streams" "$references"
mkdir -p "$streams" "$references"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
: >"$work/table"

# quiet COMMAND…: its output only where it fails
quiet() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        echo "failed: $*"
        exit 1
    }
}

# raw WIDTH HEIGHT DEPTH u|s DXxDY… makes the picture, and in "shape" OpenJPEG's option that describes it.
raw() {
    "$make_raw" "$work/in.raw" "$@"
    shape=$1,$2,$(($# - 4)),$3,$4
    shift 4
    shape=$shape@$(echo "$*" | tr ' ' :)
}

# encode STREAM OPTION…: of the picture; `grok`: by the encoder that allows more levels than a picture or tile can be halved
encode() {
    stream=$1
    shift
    quiet opj_compress -i "$work/in.raw" -F "$shape" -o "$streams/$stream" "$@"
}

grok() {
    stream=$1
    shift
    quiet grk_compress -H 1 -i "$work/in.raw" -F "$shape" -o "$streams/$stream" "$@"
}

# name STREAM COMPONENT REDUCE: of its reference, which for a conformance stream is that of T.803
name() {
    case $1,$3 in
    p[01]_*,0) echo "c1${1%.*}_$2.pgx" ;;
    *,0) echo "${1%.*}_$2.pgx" ;;
    *) echo "${1%.*}_r$3_$2.pgx" ;;
    esac
}

# refer STREAM EXACT|NEAR REDUCE…: references at these reductions. Floating-point numbers are added up in another order here
# and there, so that one which is close to a half is rounded to either side: "near" is 1 at most, in one sample of ten.
refer() {
    stream=$1
    case $2 in
    exact) allowed='0 0' ;;
    near) allowed='1 0.1' ;;
    esac
    shift 2
    for reduce in "$@"; do
        rm -f "$work"/plane*
        quiet opj_decompress -i "$streams/$stream" -o "$work/plane.pgx" -r "$reduce"
        component=0
        while [ -f "$work/plane_$component.pgx" ]; do
            reference=$(name "$stream" $component "$reduce")
            mv "$work/plane_$component.pgx" "$references/$reference"
            echo "$stream $reference $component $reduce $allowed" >>"$work/table"
            component=$((component + 1))
        done
        [ $component -gt 0 ]
    done
}

# picture STREAM EXTENSION NAME: a reference that is a file of all components
picture() {
    quiet opj_decompress -i "$streams/$1" -o "$work/picture.$2"
    mv "$work/picture.$2" "$references/$3"
}

# With the names of conformance streams.
raw 303 179 8 u 1x1
encode a1_mono.j2c
encode a3_mono.j2c -t 128,128
encode b1_mono.j2c -d 3097,41 -T 3090,40 -t 64,64
encode f1_mono.j2c -t 101,60 -r 20,10,5,1
raw 256 149 8 u 1x1 1x1 1x1
encode d1_colr.j2c -p PCRL -r 40,20,10,1
encode e1_colr.j2c -d 1,1 -T 1,1 -t 64,75 -r 40,20,10,1
encode g1_colr.j2c -t 128,149 -r 20,10,1
encode g2_colr.j2c -t 128,149 -r 20,10,1 -TP R
for stream in a1_mono a3_mono b1_mono d1_colr e1_colr f1_mono g1_colr g2_colr; do
    refer $stream.j2c exact 0 2
done
picture a1_mono.j2c pgm a1_mono.ppm
picture d1_colr.j2c ppm d1_colr.ppm

raw 768 512 8 u 1x1 1x1 1x1
encode file1.jp2
picture file1.jp2 tif file1.tif
raw 480 640 8 u 1x1 1x1 1x1
encode file2.jp2 -mct 0
picture file2.jp2 tif file2.tif
raw 768 512 8 u 1x1
encode file4.jp2
picture file4.jp2 tif file4.tif
raw 768 512 12 u 1x1
encode file6.jp2
quiet opj_decompress -i "$streams/file6.jp2" -o "$references/file6.tif" -p 8S

raw 128 128 8 u 1x1
encode p0_01.j2k -p RLCP -n 4
refer p0_01.j2k exact 0 1 3
raw 127 126 8 u 1x1
encode p0_02.j2k -n 4 -r 60,40,20,10,5,1 -M 52
refer p0_02.j2k exact 0 1 3
raw 256 256 4 s 1x1
encode p0_03.j2k -t 128,128 -p PCRL -n 2 -r 60,40,30,20,15,10,5,1
encode p0_15.j2k -t 128,128 -p PCRL -n 2 -r 60,40,30,20,15,10,5,1 -SOP
refer p0_03.j2k exact 0 1
refer p0_15.j2k exact 0 1
raw 640 480 8 u 1x1 1x1 1x1
encode p0_04.j2k -I -p RLCP -n 7 -M 4 -r 200,180,160,140,120,100,90,80,70,60,50,45,40,35,30,25,20,15,12,10
refer p0_04.j2k near 0 3
raw 513 129 12 u 1x1 2x1 1x2 2x2
encode p0_06.j2k -I -p RPCL -n 7 -mct 0 -r 40,20,10,5 -ROI c=0,U=11
refer p0_06.j2k near 0 3
raw 17 37 8 u 1x1
grok p0_09.j2k -I -n 6
refer p0_09.j2k near 0 2
raw 256 256 8 u 1x1 1x1 1x1
encode p0_10.j2k -t 128,128 -n 4 -r 20,1
refer p0_10.j2k exact 0 1
raw 3 5 8 u 1x1
grok p0_12.j2k -n 4 -M 4
refer p0_12.j2k exact 0
raw 49 49 8 u 1x1 1x1 1x1
encode p0_14.j2k
refer p0_14.j2k exact 0 2
raw 122 99 8 u 1x1
encode p1_01.j2k -d 5,128 -n 4 -r 60,40,20,10,1 -M 52 -SOP -EPH
refer p1_01.j2k exact 0 1
raw 1024 1024 8 u 1x1 1x1 1x1 1x1
encode p1_03.j2k -I -p PCRL -n 7 -mct 0 -M 5 -r 200,150,120,100,80,60,50,40,30,20
refer p1_03.j2k near 0 3
raw 512 512 8 u 1x1 1x1 1x1
encode p1_05.j2k -I -d 17,12 -T 8,2 -t 37,37 -p PCRL -n 6 -M 25 -r 50,2
refer p1_05.j2k near 0 4
raw 8 12 8 u 4x1 1x1
encode p1_07.j2k -d 4,0 -p RPCL -n 2 -mct 0
refer p1_07.j2k exact 0 1

# More than the conformance streams have here: each style, progression, depth and so on by itself.
raw 150 110 8 u 1x1
for style in 1 2 4 8 16 32 63; do
    encode style_$style.j2k -M $style -n 4
    encode style_${style}_lossy.j2k -M $style -I -r 20,10,5
    refer style_$style.j2k exact 0 1
    refer style_${style}_lossy.j2k near 0 1
done
for blocks in 4,4 32,16 1024,4 4,1024; do
    encode "blocks_$blocks.j2k" -b $blocks -n 3
    refer "blocks_$blocks.j2k" exact 0
done
encode interest.j2k -ROI c=0,U=9 -n 4
refer interest.j2k exact 0 1
encode levels_0.j2k -n 1
refer levels_0.j2k exact 0
raw 150 110 8 u 1x1 2x2 2x1 1x1 # four, since OpenJPEG takes three of these sizes for YCbCr, and converts them
for progression in LRCP RLCP RPCL PCRL CPRL; do
    encode order_$progression.j2k -p $progression -mct 0 -n 4 -r 40,10,1 -c '[64,64],[32,32],[16,16]' -SOP -EPH -t 80,60
    refer order_$progression.j2k exact 0 1
done
raw 150 110 8 u 1x1 1x1 1x1
encode changes.j2k -n 4 -r 40,10,1 -POC T1=0,0,2,4,3,RLCP/T1=0,0,3,4,3,LRCP
refer changes.j2k exact 0 1
for parts in R L C; do
    encode parts_$parts.j2k -TP $parts -n 4 -r 40,10,1 -t 100,110
    refer parts_$parts.j2k exact 0 1
done
for depth in 1 2 5 8 10 12 16; do
    for kind in u s; do
        raw 70 50 $depth $kind 1x1
        encode depth_$depth$kind.j2k
        refer depth_$depth$kind.j2k exact 0 1
    done
done

# Grok writes lengths of packets and of tile-parts, too.
raw 150 110 8 u 1x1 1x1 1x1
grok lengths.j2k -L -X -t 80,60 -n 4
grok lengths_lossy.j2k -X -I -r 20,10 -p RPCL -n 4
refer lengths.j2k exact 0 1
refer lengths_lossy.j2k near 0 1

cp "$work/table" "$table" # the last of all, by which they are known to be complete
