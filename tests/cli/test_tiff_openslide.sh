#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Levels of slides have the pixels that OpenSlide gives, and the properties that it finds.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
command -v openslide-write-png >/dev/null || lacks 'openslide-write-png'

# compare FILE LEVEL X Y W H: X and Y are in pixels of level 0, as OpenSlide counts them
compare() {
    scale=$((1 << $2))
    openslide-write-png "$1" "$3" "$4" "$2" "$5" "$6" wanted.png || fail "OpenSlide does not read $1"
    expect 0 "$KOSTKA" convert wanted.png wanted.ppm # drops alpha, which is opaque
    expect 0 "$KOSTKA" tiff decode --level "$2" --region "$(($3 / scale)),$(($4 / scale)),$5x$6" "$1" got.ppm
    silent
    expect "${7:-0}" "$KOSTKA" compare wanted.ppm got.ppm
}

"$MAKE_SLIDE" rgb.svs 700 500 aperio rgb levels=3 || fail 'no slide'
"$MAKE_SLIDE" ycbcr.svs 700 500 aperio levels=2 || fail 'no slide'
"$MAKE_SLIDE" generic.tif 700 500 levels=3 big || fail 'no slide'
for file in rgb.svs ycbcr.svs generic.tif; do
    compare $file 0 0 0 700 500
    compare $file 0 33 44 170 120
    compare $file 1 200 100 150 200
done
compare rgb.svs 2 0 0 175 125
openslide-show-properties rgb.svs >properties
expect 0 "$KOSTKA" tiff info rgb.svs
grep -q "openslide.mpp-x: '0.499'" properties || fail 'OpenSlide finds another size of a pixel'
prints '3 levels, 0.499 x 0.499'

# NDPI: rows of MCUs are whole numbers of restart intervals, and the height one of MCUs, as OpenSlide wants it
expect 0 "$KOSTKA" tiff decode --region 0,0,640x480 rgb.svs picture.ppm
for kind in 444:20 422:20 422:40; do
    expect 0 "$KOSTKA" encode picture.ppm stream.jpg --subsampling "${kind%:*}" --restart "${kind#*:}"
    "$MAKE_NDPI" slide.ndpi stream.jpg 20 || fail 'no NDPI file'
    compare slide.ndpi 0 0 0 640 480
    compare slide.ndpi 0 100 101 300 200
done

# JPEG 2000: without loss in RGB, and as YCbCr, which OpenSlide rounds in its own way
"$MAKE_SLIDE" -c got.ppm 0 0 128 125 top.ppm
expect 0 "$KOSTKA" tiff tiles --out-dir tiles --out-format ppm --region 0,0,256x128 rgb.svs
for x in 0 1; do
    expect 0 opj_compress -i tiles/${x}_0.ppm -o tile.j2k
    cp tile.j2k "raw-0-${x}_0"
    head -c 32768 tiles/${x}_0.ppm >tile.raw
    expect 0 opj_compress -i tile.raw -o tile.j2k -F 128,128,3,8,u@1x1:2x1:2x1
    cp tile.j2k "ycc-0-${x}_0"
done
"$MAKE_SLIDE" j2k.svs 250 120 aperio rgb raw=33005,raw || fail 'no slide'
compare j2k.svs 0 0 0 250 120
"$MAKE_SLIDE" ycc.svs 250 120 aperio rgb raw=33003,ycc || fail 'no slide'
openslide-write-png ycc.svs 0 0 0 250 120 wanted.png || fail 'OpenSlide does not read YCbCr'
expect 0 "$KOSTKA" convert wanted.png wanted.ppm
expect 0 "$KOSTKA" tiff decode ycc.svs got.ppm
silent
"$KOSTKA" compare --json wanted.ppm got.ppm >comparison
[ "$("$JSON_VALUE" max_error <comparison)" -le 1 ] || fail "YCbCr differs: $(cat comparison)"
finish
