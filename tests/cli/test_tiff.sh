#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Pyramids in TIFF: levels and tiles are those that libtiff decodes, parts are parts, and damage is told with its place.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

gpu=$("$KOSTKA" devices | sed -n 's/^\(opencl:[0-9]*\|cuda:[0-9]*\) .*/\1/p' | head -n 1)

# part IN OUT X Y W H: a part of a PPM picture
part() {
    "$MAKE_SLIDE" -c "$1" "$3" "$4" "$5" "$6" "$2" || fail "cannot cut $1"
}

# level FILE LEVEL DIRECTORY: this level is what libtiff decodes of the directory
level() {
    "$MAKE_SLIDE" -r "$1" "$3" wanted.pnm || fail "libtiff does not decode $1"
    expect 0 "$KOSTKA" tiff decode --level "$2" "$1" got.pnm
    silent
    same wanted.pnm got.pnm
}

"$MAKE_SLIDE" ycbcr.tif 700 500 levels=3 || fail 'no slide'
"$MAKE_SLIDE" rgb.tif 700 500 rgb levels=2 big || fail 'no slide'
"$MAKE_SLIDE" grey.tif 300 200 grey || fail 'no slide'
"$MAKE_SLIDE" strips.tif 300 203 strips=16 || fail 'no slide'
"$MAKE_SLIDE" ome.tif 600 400 ome subifd levels=3 big || fail 'no slide'
"$MAKE_SLIDE" aperio.svs 700 500 aperio rgb levels=3 || fail 'no slide'
for n in 0 1 2; do
    level ycbcr.tif "$n" "$n"
done
level rgb.tif 0 0
level rgb.tif 1 1
level grey.tif 0 0
level strips.tif 0 0
level ome.tif 0 0
level aperio.svs 1 2 # behind the thumbnail
level aperio.svs 0 0
cp wanted.pnm whole.ppm

# What is said of a slide
expect 0 "$KOSTKA" tiff info aperio.svs
prints 'TIFF, aperio, 3 levels, 0.499 x 0.499 microns per pixel, 20x'
prints 'level 1 (1/2): 350x250, RGB, 3 x 8 bits, 3x2 tiles of 128x128, JPEG'
prints 'thumbnail: 96x64'
prints 'label: 40x50.*LZW'
prints 'macro: 120x56'
expect 0 "$KOSTKA" tiff info ome.tif
prints 'BigTIFF, ome, 3 levels, 0.25 x 0.5 microns'
expect 0 "$KOSTKA" tiff info --json ycbcr.tif
"$JSON_VALUE" levels 2 width <out >value && equals "$(cat value)" 175 'width of level 2'
"$JSON_VALUE" mpp_y <out >value && equals "$(cat value)" 1.0 'microns of a pixel'

# Parts, on the borders of tiles, within one, at the edges
for region in 0,0,128,128 127,127,2,2 130,5,20,30 100,90,400,300 690,490,10,10 0,0,700,500; do
    # shellcheck disable=SC2046 # four numbers
    part whole.ppm wanted.ppm $(echo "$region" | tr , ' ')
    expect 0 "$KOSTKA" tiff decode --device cpu --region "$region" aperio.svs got.ppm
    same wanted.ppm got.ppm
done
if [ -n "$gpu" ]; then
    part whole.ppm wanted.ppm 100 90 400 300
    expect 0 "$KOSTKA" tiff decode --device "$gpu" --region 100,90,400,300 aperio.svs got.ppm
    same wanted.ppm got.ppm
fi
expect 0 "$KOSTKA" tiff decode --region 100,90,400x300 aperio.svs got.ppm
part whole.ppm wanted.ppm 100 90 400 300
same wanted.ppm got.ppm
expect 0 "$KOSTKA" tiff decode --region 400x300+100+90 aperio.svs - >piped.ppm
same wanted.ppm out
expect 1 "$KOSTKA" tiff decode --region 600,90,400x300 aperio.svs got.ppm
says 'not within the 700x500 pixels'

# Other channels
expect 0 "$KOSTKA" tiff tiles --out-dir one --region 0,0,1x1 ycbcr.tif
expect 0 "$KOSTKA" decode one/0_0.jpg wanted.pgm
expect 0 "$KOSTKA" tiff decode --region 0,0,128x128 ycbcr.tif got.pgm
same wanted.pgm got.pgm
expect 0 "$KOSTKA" decode --format rgba one/0_0.jpg wanted.pam
expect 0 "$KOSTKA" tiff decode --format rgba --region 0,0,128x128 ycbcr.tif got.pam
same wanted.pam got.pam
expect 2 "$KOSTKA" tiff decode --format planar ycbcr.tif got.raw
says 'format takes auto, grey'

# A size: the smallest level that suffices
"$MAKE_SLIDE" -r aperio.svs 2 half.ppm
part half.ppm wanted.ppm 50 50 100 50
expect 0 "$KOSTKA" tiff decode --region 100,100,200x100 --size 100x50 aperio.svs got.ppm
same wanted.ppm got.ppm
part whole.ppm part.ppm 100 100 200 100
expect 0 "$KOSTKA" convert --resize 101x50 part.ppm wanted.ppm
expect 0 "$KOSTKA" tiff decode --region 100,100,200x100 --size 101x50 aperio.svs got.ppm
same wanted.ppm got.ppm

# Associated pictures
"$MAKE_SLIDE" -r aperio.svs 1 wanted.ppm
expect 0 "$KOSTKA" tiff decode --image thumbnail aperio.svs got.ppm
same wanted.ppm got.ppm
"$MAKE_SLIDE" -r aperio.svs 5 wanted.ppm
expect 0 "$KOSTKA" tiff decode --image macro aperio.svs got.ppm
same wanted.ppm got.ppm
"$MAKE_SLIDE" -r aperio.svs 4 wanted.ppm
expect 0 "$KOSTKA" tiff decode --image label aperio.svs got.ppm
same wanted.ppm got.ppm
expect 1 "$KOSTKA" tiff decode --image label --region 0,0,8x8 aperio.svs got.ppm
says 'region: the label is read as a whole'
expect 1 "$KOSTKA" tiff tiles --out-dir labels --image label aperio.svs
says 'label: its compression is 5 (LZW)'
"$MAKE_SLIDE" wide.svs 200 100 aperio rgb big || fail 'no slide'
expect 0 "$KOSTKA" tiff decode --image label wide.svs got.ppm
same wanted.ppm got.ppm
expect 1 "$KOSTKA" tiff decode --image macro ycbcr.tif got.ppm
says 'there is no macro'

# Tiles as they are coded are JPEG files with the colours of the directory; or they are decoded.
for file in aperio.svs ycbcr.tif; do
    rm -rf tiles
    expect 0 "$KOSTKA" tiff tiles --out-dir tiles --region 120,120,20x20 "$file"
    equals "$(echo tiles/*)" 'tiles/0_0.jpg tiles/0_1.jpg tiles/1_0.jpg tiles/1_1.jpg' 'tiles of a region'
    "$MAKE_SLIDE" -r "$file" 0 all.ppm
    part all.ppm wanted.ppm 128 0 128 128
    expect 0 "$KOSTKA" decode tiles/1_0.jpg got.ppm
    silent
    same wanted.ppm got.ppm
    djpeg tiles/1_0.jpg >got.ppm || fail 'djpeg does not read a tile'
    same wanted.ppm got.ppm
done
expect 0 "$KOSTKA" tiff tiles --out-dir tiles --out-format ppm --level 0 aperio.svs
part whole.ppm wanted.ppm 640 384 60 116
same wanted.ppm tiles/5_3.ppm
equals "$(find tiles -name '*.ppm' | wc -l | tr -d ' ')" 24 'decoded tiles'

# A tile that is not there is white.
"$MAKE_SLIDE" missing.svs 700 500 aperio rgb missing=2 || fail 'no slide'
expect 0 "$KOSTKA" tiff decode --region 200,100,240x60 missing.svs got.ppm
says '1 tile is not in the file, and white here'
part got.ppm gap.ppm 56 0 128 28
equals "$(tail -c +16 gap.ppm | tr -d '\377' | wc -c | tr -d ' ')" 0 'samples that are not white'
part got.ppm got_part.ppm 0 0 56 60
part whole.ppm wanted.ppm 200 100 56 60
same wanted.ppm got_part.ppm
expect 0 "$KOSTKA" tiff tiles --out-dir few missing.svs
equals "$(find few -name '*.jpg' | wc -l | tr -d ' ')" 23 'tiles of a file that lacks one'

# JPEG 2000: bare codestreams in RGB, and YCbCr with half the chrominance across, which OpenJPEG makes of raw samples
mkdir raw
for y in 0 1; do
    for x in 0 1 2; do
        part whole.ppm tile.ppm $((128 * x)) $((128 * y)) 128 128
        expect 0 "$KOSTKA" encode --lossless tile.ppm tile.j2k
        mv tile.j2k "raw/rgb-0-${x}_$y"
        head -c 32768 tile.ppm >tile.raw
        expect 0 opj_compress -i tile.raw -o tile.j2k -F 128,128,3,8,u@1x1:2x1:2x1
        mv tile.j2k "raw/ycc-0-${x}_$y"
    done
done
for compression in 33005 34712; do
    "$MAKE_SLIDE" j2k.svs 360 250 aperio rgb raw=$compression,raw/rgb || fail 'no slide'
    expect 0 "$KOSTKA" tiff decode j2k.svs got.ppm
    silent
    part whole.ppm wanted.ppm 0 0 360 250
    same wanted.ppm got.ppm
done
expect 0 "$KOSTKA" tiff tiles --out-dir j2k --region 0,0,1x1 j2k.svs
same raw/rgb-0-0_0 j2k/0_0.j2k
# A tile is read up to ten times its samples and 4096 bytes more, but not beyond its end.
part whole.ppm tile.ppm 0 0 16 16
expect 0 "$KOSTKA" encode --lossless tile.ppm tile.j2k
{ cat tile.j2k; head -c 7700 /dev/zero; } | head -c 7700 >raw/long-0-0_0
"$MAKE_SLIDE" long.tif 16 16 rgb tile=16 raw=33005,raw/long || fail 'no slide'
expect 0 "$KOSTKA" tiff tiles --out-dir long long.tif
same raw/long-0-0_0 long/0_0.j2k
"$MAKE_SLIDE" ycc.svs 360 250 aperio rgb raw=33003,raw/ycc || fail 'no slide'
expect 0 "$KOSTKA" tiff decode ycc.svs got.ppm
silent
expect 0 "$KOSTKA" tiff tiles --out-dir ycc --region 130,0,1x1 ycc.svs
cp raw/ycc-0-1_0 bare.j2k
expect 0 "$KOSTKA" decode bare.j2k wanted.ppm # subsampled chrominance makes it look like sYCC
expect 0 "$KOSTKA" decode ycc/1_0.jp2 got_tile.ppm
same wanted.ppm got_tile.ppm
part got.ppm got_part.ppm 128 0 128 128
same wanted.ppm got_part.ppm

# NDPI: restart intervals are tiles, and with chrominance of full height each has the pixels that it has in the whole stream,
# also if that cannot say how large it is.
part whole.ppm ndpi.ppm 0 0 640 480
part whole.ppm half.ppm 0 0 320 240
expect 0 "$KOSTKA" encode ndpi.ppm one.jpg --subsampling 444 --restart 20
expect 0 "$KOSTKA" encode half.ppm half.jpg --subsampling 422 --restart 20
expect 0 "$KOSTKA" encode half.ppm macro.jpg
"$MAKE_NDPI" slide.ndpi one.jpg 20 half.jpg 10 macro.jpg -1 || fail 'no NDPI file'
"$MAKE_NDPI" sides.ndpi -z one.jpg 20 half.jpg 10 || fail 'no NDPI file'
expect 0 "$KOSTKA" tiff info slide.ndpi
prints 'TIFF, hamamatsu, 2 levels, 0.25 x 0.25 microns per pixel, 20x'
prints 'level 0 .*640x480, YCbCr, 3 x 8 bits, 4x60 tiles of 160x8, JPEG'
prints 'macro: 320x240'
for name in one half; do
    expect 0 "$KOSTKA" decode "$name.jpg" wanted.ppm
    level=0
    [ $name = one ] || level=1
    for file in slide.ndpi sides.ndpi; do
        expect 0 "$KOSTKA" tiff decode --level $level $file got.ppm
        silent
        [ "$name" = half ] || same wanted.ppm got.ppm
    done
    part got.ppm got_part.ppm 0 0 100 8 # far from the next interval, whose samples half the chrominance would take in
    part wanted.ppm wanted_part.ppm 0 0 100 8
    same wanted_part.ppm got_part.ppm
done
expect 0 "$KOSTKA" decode macro.jpg wanted.ppm
expect 0 "$KOSTKA" tiff decode --image macro slide.ndpi got.ppm
same wanted.ppm got.ppm
expect 0 "$KOSTKA" tiff tiles --out-dir intervals --region 200,100,1x1 sides.ndpi
expect 0 "$KOSTKA" decode intervals/1_12.jpg got.ppm
part ndpi.ppm near.ppm 160 96 160 8
expect 1 "$KOSTKA" compare near.ppm got.ppm
prints 'maximum error [0-9]*, .* PSNR [34]'

# Damage: a tile is white and counted, and its place is told; --strict refuses it.
cp aperio.svs damaged.svs
printf 'xx' | dd of=damaged.svs bs=1 seek=8 conv=notrunc 2>/dev/null # the first tile is right behind the header
expect 0 "$KOSTKA" tiff decode damaged.svs got.ppm
says 'warning: tile 0,0 at offset 8: it is no JPEG stream'
part got.ppm got_part.ppm 0 0 128 128
equals "$(tail -c +16 got_part.ppm | tr -d '\377' | wc -c | tr -d ' ')" 0 'samples that are not white'
part got.ppm got_part.ppm 128 0 572 500
part whole.ppm wanted.ppm 128 0 572 500
same wanted.ppm got_part.ppm
expect 1 "$KOSTKA" tiff decode --strict damaged.svs got.ppm
says 'tile 0,0 at offset 8'
expect 0 "$KOSTKA" tiff tiles --out-dir some damaged.svs
says 'tile 0,0 at offset 8'
head -c 60000 aperio.svs >short.svs
expect 1 "$KOSTKA" tiff decode short.svs got.ppm
says 'it has no directory'
expect 1 "$KOSTKA" tiff info whole.ppm
says 'not a TIFF file'
# A directory of one entry, a width of 16 with an unknown type, that is followed by itself
printf 'II*\0\010\0\0\0\001\0\0\001\377\0\001\0\0\0\020\0\0\0\010\0\0\0' >circle.tif
expect 0 "$KOSTKA" tiff info circle.tif
says 'no directory can be read at offset 8; what would follow is left out'
prints 'is not decoded: it has no valid size'
expect 1 "$KOSTKA" tiff info --strict circle.tif
expect 1 "$KOSTKA" tiff decode circle.tif got.ppm
says 'level 0 (directory at offset 8): it has no valid size'
# A macro of one strip whose length is missing, and behind it an entry that is not in the file
printf 'II*\0\010\0\0\0\001\0\0\001\377\0\001\0\0\0\020\0\0\0\032\0\0\0\005\0' >lengths.tif
printf '\376\0\004\0\001\0\0\0\011\0\0\0\0\001\003\0\001\0\0\0\002\0\0\0\001\001\003\0\001\0\0\0\002\0\0\0' >>lengths.tif
printf '\021\001\004\0\001\0\0\0\010\0\0\0\350\375\004\0\002\0\0\0\377\377\377\177\0\0\0\0' >>lengths.tif
expect 1 "$KOSTKA" tiff decode --image macro lengths.tif got.ppm
says "its strips' offsets are missing"

# A profile of colours is kept, whatever the size
"$MAKE_SLIDE" icc.tif 300 200 icc || fail 'no slide'
for size in '' --size=30x20; do
    # shellcheck disable=SC2086 # nothing for the empty one
    expect 0 "$KOSTKA" tiff decode $size icc.tif got.ppm
    says 'dropped ICC profile, for PNM'
done

expect 0 "$KOSTKA" tiff tiles --out-dir profiled --out-format tiff icc.tif
expect 0 "$KOSTKA" tiff decode icc.tif wanted.tif
for file in wanted.tif profiled/0_0.tif profiled/2_1.tif; do
    expect 0 "$KOSTKA" convert $file kept.jpg
    expect 0 "$KOSTKA" info kept.jpg
    prints 'icc  *9 bytes'
done

# A few bytes that claim 1024 tiles, all of the same JPEG stream, are not made many times as many
picture 256 256 >tile.ppm
expect 0 "$KOSTKA" encode tile.ppm tile.jpg -q 20
awk -v stream="$(wc -c <tile.jpg)" '
    function two(n) { printf "%c%c", n % 256, int(n / 256) % 256 }
    function four(n) { two(n % 65536); two(int(n / 65536)) }
    function entry(tag, type, count, value) { two(tag); two(type); four(count); four(value) }
    BEGIN {
        data = 8 + 2 + 10 * 12 + 4; tiles = 1024
        printf "II*"; printf "%c", 0; four(8); two(10)
        entry(256, 4, 1, 8192); entry(257, 4, 1, 8192); entry(258, 3, 1, 8); entry(259, 3, 1, 7); entry(262, 3, 1, 6)
        entry(277, 3, 1, 3); entry(322, 3, 1, 256); entry(323, 3, 1, 256)
        entry(324, 4, tiles, data); entry(325, 4, tiles, data + 4 * tiles); four(0)
        for (i = 0; i < tiles; i++) four(data + 8 * tiles)
        for (i = 0; i < tiles; i++) four(stream)
    }' >claims.tif
cat tile.jpg >>claims.tif
expect 1 "$KOSTKA" tiff tiles --max-memory 1M --out-dir claimed claims.tif
says 'its tiles have more than 16 times the bytes of the file: choose a part by --region, or raise --max-memory'
[ "$(cat claimed/* | wc -c)" -le $((16 * $(wc -c <claims.tif) + 1048576)) ] || fail 'more was written'
expect 1 "$KOSTKA" tiff tiles --max-pixels 1000000 --out-format png --out-dir claimed-png claims.tif
says 'its tiles have 67 million pixels, too many for a file of [0-9]* bytes: choose a part by --region'
[ ! -e claimed-png ] || fail 'a refused call made a folder'
expect 0 "$KOSTKA" tiff tiles --max-memory 1M --region 256,256,512x256 --out-dir part claims.tif
(cd part && only 1_1.jpg 2_1.jpg) || failures=$((failures + 1))
expect 0 "$KOSTKA" tiff tiles --max-pixels 1000000 --region 256,256,512x256 --out-format ppm --out-dir part-ppm claims.tif
expect 0 "$KOSTKA" compare part-ppm/1_1.ppm part-ppm/2_1.ppm

# Limits and options
expect 1 "$KOSTKA" tiff decode --max-pixels 1000 aperio.svs got.ppm
says 'max-pixels'
expect 1 "$KOSTKA" tiff decode --max-memory 100000 aperio.svs got.ppm
says 'max-memory'
expect 1 "$KOSTKA" tiff decode --level 3 aperio.svs got.ppm
says 'there are 3 levels'
expect 2 "$KOSTKA" tiff decode --level 1 --image macro aperio.svs got.ppm
expect 2 "$KOSTKA" tiff decode --filter box aperio.svs got.ppm
says 'for --size, which is missing'
expect 2 "$KOSTKA" tiff tiles aperio.svs
says 'out-dir'
expect 2 "$KOSTKA" tiff decode --json aperio.svs got.ppm
says 'not an option of .tiff decode'
expect 2 "$KOSTKA" tiff decode aperio.svs got.jpg
expect 2 "$KOSTKA" tiff aperio.svs
says 'info, decode or tiles'

finish
