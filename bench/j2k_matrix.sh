#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Finds out which decoders decode which encoders' streams to the same pixels: bench/j2k_matrix.sh KOSTKA PICTURE.ppm.
# Prints a table in Markdown with a line for each stream. "same" means the source's pixels or, for lossy streams, those
# of the encoder's own decoder; otherwise the greatest difference from these is shown, or "fails".
set -eu
kostka=$1
photo=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# decoded DECODER: stream to pixels
decoded() {
    rm -f "$work/$1.ppm"
    case $1 in
    kostka) "$kostka" decode "$work/stream.$extension" "$work/kostka.ppm" ;;
    opj) opj_decompress -i "$work/stream.$extension" -o "$work/opj.ppm" ;;
    grk) grk_decompress -i "$work/stream.$extension" -o "$work/grk.ppm" ;;
    esac >/dev/null 2>&1 || true
}

# judge REFERENCE FOUND
judge() {
    [ -s "$2" ] || { echo fails; return; }
    case $("$kostka" compare "$1" "$2" 2>/dev/null) in
    identical*) echo same ;;
    *) "$kostka" compare "$1" "$2" 2>/dev/null | sed -n 's/.*max[a-z]* \(error \)*\([0-9]*\).*/differs by \2/p' ;;
    esac
}

# row ENCODER LOSSLESS|LOSSY COMMAND…: the command writes "$work/stream.$extension"
row() {
    encoder=$1
    kind=$2
    shift 2
    rm -f "$work"/stream.*
    name=$*
    case $encoder in
    kostka) "$kostka" encode "$@" "$photo" "$work/stream.$extension" ;;
    opj) opj_compress -i "$photo" -o "$work/stream.$extension" "$@" ;;
    grk) grk_compress -i "$photo" -o "$work/stream.$extension" "$@" ;;
    esac >/dev/null 2>&1 || { printf '| %s | %s | encoding fails | | |\n' "$encoder" "$name"; return; }
    for decoder in kostka opj grk; do
        decoded "$decoder"
    done
    reference=$photo
    [ "$kind" = lossless ] || reference=$work/$encoder.ppm
    line="| $encoder | \`${name:-(defaults)}\` |"
    for decoder in kostka opj grk; do
        word=$(judge "$reference" "$work/$decoder.ppm")
        case $word in
        same | 'differs by 1') ;;
        *) failures=$((failures + 1)) ;;
        esac
        line="$line $word |"
    done
    printf '%s\n' "$line"
}

echo '| encoder | options | Kostka | OpenJPEG | Grok |'
echo '|---|---|---|---|---|'
extension=jp2
row kostka lossless
for progression in LRCP RLCP RPCL PCRL CPRL; do
    row kostka lossless --progression $progression --layers 3 --precincts 64x64,32x32
done
row kostka lossless --tiles 100x70
row kostka lossless --tiles 64x64 --tile-parts resolution,layer --layers 2 --tlm --plt
row kostka lossless --sop --eph
row kostka lossless --levels 0
row kostka lossless --levels 8 --codeblock 4x256
row kostka lossless --keep-components
for style in bypass reset termall causal predictable symbols bypass,reset,termall,causal,predictable,symbols; do
    row kostka lossless --style $style
done
row kostka lossless --guard-bits 6
row kostka lossless --keep-components --component 1:levels=2,codeblock=16x64,style=termall+bypass --component 2:levels=0
row kostka lossless --component 1:style=causal+symbols --component 2:guard-bits=5
row kostka lossless --tiles 100x100 --keep-components --component 1@1:levels=2,codeblock=32x32 --component 2:style=termall
row kostka lossless --interest 40x30+20+20
row kostka lossy --ratio 10
row kostka lossy --ratio 40,20,10 --layers 3
row kostka lossy --psnr 38
row kostka lossy --step 2 --tiles 90x90
row kostka lossy --ratio 10 --reversible
row kostka lossy --ratio 10 --style bypass,termall --precincts 128x128
extension=j2k
row kostka lossless --plt --tlm --tile-parts component --tiles 128x128
row opj lossless
for progression in LRCP RLCP RPCL PCRL CPRL; do
    row opj lossless -p $progression -r 20,5,1 -c '[64,64],[32,32]'
done
row opj lossless -t 100,70
row opj lossless -t 64,64 -TP R -PLT -TLM
row opj lossless -SOP -EPH
row opj lossless -b 4,256 -n 3
row opj lossless -mct 0
for mode in 1 2 4 8 16 32 63; do
    row opj lossless -M $mode
done
row opj lossless -d 13,7 -t 70,60 -T 3,2
row opj lossless -ROI c=0,U=12
row opj lossless -POC T1=0,0,1,3,3,LRCP/T1=3,0,1,6,3,CPRL
row opj lossy -I -r 10
row opj lossy -I -r 40,20,10
row opj lossy -r 10
row opj lossy -I -q 30,38 -t 90,90
row grk lossless
for progression in LRCP RLCP RPCL PCRL CPRL; do
    row grk lossless -p $progression -c '[64,64],[32,32]'
done
row grk lossless -t 100,70
row grk lossless -SOP -EPH
for mode in 1 2 4 8 16 32; do
    row grk lossless -M $mode
done
row grk lossy -I -r 10
row grk lossy -I -r 40,20,10 -t 90,90
[ "$failures" -eq 0 ] || echo "$failures of the decodings fail or differ by more than rounding." >&2
