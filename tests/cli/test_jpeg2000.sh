#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks JPEG 2000 files: they are decoded to the formats that hold them, described, and refused if nothing can be done.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

corpus=${KOSTKA_CORPUS:-$KOSTKA_SOURCE/../shared/corpus}/jpeg2000
case $corpus in
/*) ;;
*) corpus=$KOSTKA_SOURCE/$corpus ;;
esac
[ -d "$corpus" ] || lacks corpus
streams=$corpus/streams

# The references, as other formats hold them. A JP2 file of 12 bits becomes 16 in PNG and stays 12 in PGM.
expect 0 "$KOSTKA" decode "$streams/file1.jp2" colour.png
identical "$corpus/references/file1.tif" colour.png
expect 0 "$KOSTKA" decode "$streams/d1_colr.j2c" colour.ppm
identical "$corpus/references/d1_colr.ppm" colour.ppm
expect 0 "$KOSTKA" decode "$streams/a1_mono.j2c" grey.pgm
identical "$corpus/references/a1_mono.ppm" grey.pgm
expect 0 "$KOSTKA" decode "$streams/file6.jp2" twelve.pgm
equals "$("$KOSTKA" info --json twelve.pgm | json 0 depth)" 12
expect 0 "$KOSTKA" decode "$streams/file6.jp2" sixteen.png
equals "$("$KOSTKA" info --json sixteen.png | json 0 depth)" 16

# PGX: samples behind one line, one file a component; signed ones too. References differ in how their line is written.
pgx() {
    expect 0 "$KOSTKA" decode "$streams/$1" "$2"
    tail -n +2 "$3" >found.raw
    tail -n +2 "$corpus/references/$4" >wanted.raw
    same found.raw wanted.raw
}
pgx p0_01.j2k one.pgx one.pgx c1p0_01_0.pgx
equals "$(head -n 1 one.pgx)" 'PG ML +8 128 128'
pgx p0_03.j2k signed.pgx signed.pgx c1p0_03_0.pgx
equals "$(head -n 1 signed.pgx)" 'PG ML -4 256 256'
if [ -e "$corpus/references/table" ]; then # streams that are made: this one has floating-point numbers
    pgx order_RPCL.j2k four.pgx four-1.pgx order_RPCL_1.pgx
    expect 0 "$KOSTKA" decode "$streams/p0_06.j2k" four.pgx
else
    pgx p0_06.j2k four.pgx four-3.pgx c1p0_06_3.pgx
fi
equals "$(head -n 1 four-3.pgx)" 'PG ML +12 257 65'
expect 1 "$KOSTKA" decode --format raw "$streams/p0_03.j2k" signed.pgm
says 'signed'

# Less of it.
expect 0 "$KOSTKA" decode --scale 1/4 "$streams/file1.jp2" quarter.ppm
equals "$("$KOSTKA" info --json quarter.ppm | json 0 width)" 192
expect 0 "$KOSTKA" decode --reduce 5 "$streams/file1.jp2" least.ppm
equals "$("$KOSTKA" info --json least.ppm | json 0 width)" 24
expect 1 "$KOSTKA" decode --reduce 6 "$streams/file1.jp2" none.ppm
says 'resolutions'
expect 0 "$KOSTKA" decode --layers 1 "$streams/f1_mono.j2c" layer.pgm
expect 0 "$KOSTKA" decode "$streams/f1_mono.j2c" layers.pgm
expect 1 "$KOSTKA" compare layer.pgm layers.pgm
expect 2 "$KOSTKA" decode --layers 0 "$streams/f1_mono.j2c" layer.pgm

# Every box and marker segment.
expect 0 "$KOSTKA" info "$streams/file1.jp2"
prints ' ftyp  *[0-9]*  brand "jp2 "$'
prints '   ihdr  *22  768x512, 3 components, 8 bits'
prints '   colr  *[0-9]*  enumerated 16 (sRGB)'
prints '  *SIZ  *49  Rsiz 0x000[01], image 0,0 to 768,512, tiles of 768x512 from 0,0, components: 3, 8 bits by 1x1, 8 bits by'
prints '  *EOC  *2  $'
expect 0 "$KOSTKA" info "$streams/p1_01.j2k"
prints ' COD .* LRCP, 5 layers, SOP, EPH, 3 levels, blocks of 64x64, termall, predictable, symbols, [95]/[73]$'
expect 0 "$KOSTKA" info "$streams/p0_06.j2k"
prints ' RGN .* component 0, style 0, shift 11'
for stream in p0_10.j2k p1_05.j2k file6.jp2; do
    # one after the other they are the whole codestream
    "$KOSTKA" info --json "$streams/$stream" >elements.json
    last=$(sed '1,/"elements"/d' elements.json | grep -c '"name"')
    equals "$(json 0 elements $((last - 1)) name <elements.json)" EOC "$stream"
done

# Check what is known without decoding.
expect 0 "$KOSTKA" info "$streams/file2.jp2"
prints 'JPEG 2000 (JP2), 480x640, YCbCr, 3 components'
prints '5/3, 5 levels, 1 layer, LRCP, 1 tile of 480x640'
expect 0 "$KOSTKA" info --json "$streams/p0_06.j2k"
equals "$(json 0 format <out)" jpeg2000
equals "$(json 0 components 1 dx <out)" 2
equals "$(json 0 progression <out)" RPCL

# Damage is a warning, or with --strict an error; other verbs say that they cannot.
head -c $(($(wc -c <"$streams/file4.jp2") / 2)) "$streams/file4.jp2" >cut.jp2
expect 0 "$KOSTKA" decode cut.jp2 cut.pgm
says 'ends early'
expect 1 "$KOSTKA" decode --strict cut.jp2 strict.pgm
head -c 60 "$streams/p0_01.j2k" >short.j2k
expect 1 "$KOSTKA" decode short.j2k short.pgm
expect 0 "$KOSTKA" convert "$streams/file1.jp2" photo.jpg
equals "$("$KOSTKA" info --json photo.jpg | json 0 format)" jpeg
expect 0 "$KOSTKA" convert photo.jpg photo.jp2
equals "$("$KOSTKA" info --json photo.jp2 | json 0 format)" jpeg2000
identical photo.jpg photo.jp2
expect 2 "$KOSTKA" decode photo.jpg photo.jp2
finish
