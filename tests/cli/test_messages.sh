#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A message about options names the option of the command line, never what the library calls it.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 40 24 >a.ppm
{ "$KOSTKA" encode a.ppm a.jpg && "$KOSTKA" encode a.ppm a.jp2 --tiles 24x24 --levels 2; } || fail 'cannot encode'
head -c 24 a.ppm >s.raw
"$KOSTKA" encode --raw 6x4:8s s.raw signed.jp2 || fail 'cannot encode samples with signs'
head -c 70000 /dev/zero | tr '\0' x >long.txt
while IFS='|' read -r code call option; do
    # shellcheck disable=SC2086 # words
    expect "$code" "$KOSTKA" $call
    says "$option"
    ! grep -q -e 'kst_' -e 'initialised' -e 'cannot be honoured' -e struct err || fail "the library's words: $(cat err)"
    { [ ! -e new.jp2 ] && [ ! -e new.jpg ] && [ ! -e new.ppm ]; } || fail "a file was made: $call"
done <<'T'
2|encode a.ppm new.jp2 --rate 2,1|--rate
2|encode a.ppm new.jp2 --ratio 5,10|--ratio
2|encode a.ppm new.jp2 --psnr 40,30|--psnr
2|encode a.ppm new.jp2 --step 1,2|--step
2|encode a.ppm new.jp2 --rate 1,2 --layers 3|--layers
2|encode a.ppm new.jp2 --component 1:levels=40|--component 1: levels
2|encode a.ppm new.jp2 --component 1:guard-bits=9|--component 1: guard-bits
2|encode a.ppm new.jp2 --rate 1 --component 1:step=1000|--component 1: step
2|encode a.ppm new.jp2 --component 0:irreversible|--component 0: irreversible
1|encode a.ppm new.jp2 --component 9:style=reset|--component
1|encode a.ppm new.jp2 --component 1@77:style=reset|--component
1|encode a.ppm new.jp2 --component 1:levels=3|--component without --keep-components
2|encode a.ppm new.jp2 --codeblock 5x5|--codeblock
2|encode a.ppm new.jp2 --codeblock 2x64|--codeblock
2|encode a.ppm new.jp2 --codeblock 2048x4|--codeblock
2|encode a.ppm new.jp2 --codeblock 128x64|--codeblock
2|encode a.ppm new.jp2 --component 1:codeblock=5x5|--component 1: codeblock
2|encode a.ppm new.jp2 --precincts 3x3|--precincts
2|encode a.ppm new.jp2 --precincts 64x64,65536x64|--precincts
2|encode a.ppm new.jp2 --tiles 0x0|--tiles
2|encode a.ppm new.jp2 --tiles 0x16|--tiles
1|encode a.ppm new.jp2 --interest 8x8+40+0|--interest
2|encode a.ppm new.jp2 --interest 0x8+1+1|--interest
2|decode a.jp2 new.ppm --region 8|--region
2|decode a.jp2 new.ppm --crop 8|--crop
2|transcode a.jpg new.jpg --crop here|--crop
2|encode a.ppm new.jpg --verbose=yes|--verbose=yes takes no value
2|encode a.ppm new.jpg --optimize=1|--optimize=1 takes no value
2|encode a.ppm new.jpg --verbose=yes -Y|--verbose=yes takes no value
2|encode a.ppm new.jpg -vY|-Y
2|video a.mjpeg b.mjpeg new.jp2|one input and one output
2|video . new.jp2|is a folder
2|encode -targa a.ppm new.jpg|-targa
2|encode a.ppm new.jpg --icc /dev/null|--icc /dev/null: it is empty
2|encode a.ppm new.jpg --exif /dev/null|--exif /dev/null: it is empty
2|encode a.ppm new.jpg --device foo|--device foo
1|decode signed.jp2 new.pgm|signed
1|decode signed.jp2 new.ppm|signed
1|decode signed.jp2 new.pam|signed
1|transcode a.jp2 new.jp2 --components 1|--components
1|transcode a.jp2 new.jp2 --components 0-5|--components
1|transcode a.jp2 new.jp2 --rate 0.01|--rate
1|transcode a.jp2 new.jp2 --reduce 9|--reduce
1|decode a.jp2 new.ppm --components 7|component 7
1|decode a.jp2 new.ppm --tile 99|tile 99
1|decode a.jp2 new.ppm --region 8x8+100+100|region
1|decode a.jpg new.ppm --reduce 5|--reduce
1|decode a.jp2 new.ppm --reduce 9|resolution
1|decode a.jpg new.ppm --format cmyk|--format
T
expect 1 "$KOSTKA" encode a.ppm new.jp2 --comment "$(cat long.txt)"
says '--comment'
expect 2 env KOSTKA_DEVICE=foo "$KOSTKA" decode a.jpg new.ppm
says 'KOSTKA_DEVICE: not a device name'
expect 2 "$KOSTKA" decode a.jpg new.ppm --device foo
says 'foo: not a device name'
{ printf 'P5\n300 300\n255\n' && head -c 90000 "$KOSTKA"; } >tiles.pgm
expect 1 "$KOSTKA" encode --tiles 1x1 tiles.pgm new.jp2
says 'more tiles.*--tiles'
expect 1 "$KOSTKA" convert --tiles 1x1 tiles.pgm new.jp2
says 'more tiles.*--tiles'
expect 2 "$KOSTKA" decode -t 0 a.jp2 new.ppm
says 'a tile, is --tile'
finish
