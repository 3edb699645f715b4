#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Planes become RGB by the matrix that containers or --matrix say, RGB becomes X'Y'Z' for digital cinema.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# The planes of colours that each matrix makes of red, green, blue and a grey, by its definition, in 8 bits of a range.
# planes KR KB RANGE: Y4M of four pixels
planes() {
    printf 'YUV4MPEG2 W4 H1 F25:1 C444 XCOLORRANGE=%s\nFRAME\n' "$3"
    awk -v kr="$1" -v kb="$2" -v full="$([ "$3" = FULL ] && echo 1 || echo 0)" '
        function put(value) { printf "\\%03o", int(value + 0.5) }
        BEGIN {
            split("1 0 0 0.5", r); split("0 1 0 0.5", g); split("0 0 1 0.5", b)
            for (c = 0; c < 3; c++)
                for (i = 1; i <= 4; i++) {
                    y = kr * r[i] + (1 - kr - kb) * g[i] + kb * b[i]
                    v = c == 0 ? y : c == 1 ? (b[i] - y) / 2 / (1 - kb) : (r[i] - y) / 2 / (1 - kr)
                    if (c == 0) put(full ? 255 * v : 16 + 219 * v)
                    else { v = 128 + (full ? 255 : 224) * v; put(v > 255 ? 255 : v) }
                }
        }' | xargs -0 printf
}
# shows FILE: its pixels are red, green, blue and grey, but for roundings
shows() {
    tail -c 12 "$1" | od -An -tu1 | awk '
        { split("255 0 0 0 255 0 0 0 255 128 128 128", w)
          for (i = 1; i <= 12; i++) if ($i - w[i] > 3 || w[i] - $i > 3) { print; exit 1 } }' >odd ||
        fail "$1 has other colours: $(cat odd)"
}
for range in FULL LIMITED; do
    planes 0.299 0.114 $range >bt601.y4m
    planes 0.2126 0.0722 $range >bt709.y4m
    planes 0.2627 0.0593 $range >bt2020.y4m
    expect 0 "$KOSTKA" video bt601.y4m 'a%d.ppm'
    shows a1.ppm
    for matrix in bt601 bt709 bt2020; do
        expect 0 "$KOSTKA" video $matrix.y4m "$matrix%d.ppm" --matrix $matrix
        shows ${matrix}1.ppm
        # Filters see the right colours, and what becomes planes again has the same matrix.
        expect 0 "$KOSTKA" video $matrix.y4m a.y4m --matrix ${matrix#bt} --filters flip,flip
        expect 0 "$KOSTKA" video a.y4m 'b%d.ppm' --matrix $matrix
        shows b1.ppm
        # Frames that are coded without loss, too
        expect 0 "$KOSTKA" video $matrix.y4m a.avi --codec jpeg2000 --lossless
        expect 0 "$KOSTKA" video a.avi 'c%d.ppm' --matrix $matrix --filters rgb
        [ $range = FULL ] || shows c1.ppm
    done
done
# Without a word BT.709 would be taken for BT.601.
expect 0 "$KOSTKA" video bt709.y4m 'a%d.ppm'
! cmp -s a1.ppm bt7091.ppm || fail '--matrix changes nothing'
# JPEG of the limited range is stretched; its matrix is that of BT.601.
{ sed -n '1s/W4 H1/W8 H8/p' bt601.y4m && echo FRAME && for v in 16 128 128; do head -c 64 /dev/zero | tr '\0' "\\$(printf %o $v)"; done; } >black.y4m
expect 0 "$KOSTKA" video black.y4m black.mjpeg -q 100
expect 0 "$KOSTKA" video black.mjpeg 'black%d.ppm'
equals "$(tail -c 192 black1.ppm | od -An -v -tu1 | tr -s ' ' '\n' | sort -u | tr -d '\n')" 0 'black of the limited range'
# An option that nothing would come of is an error.
expect 2 "$KOSTKA" video bt709.y4m a.mjpeg --matrix bt709
says '--matrix: nothing converts the colours of these frames'
expect 2 "$KOSTKA" video bt709.y4m 'a%d.ppm' --matrix 240
says "--matrix is bt601, bt709 or bt2020, not '240'"

# X', Y' and Z' of white are those of SMPTE RP 431-2, and the frames are a sequence for digital cinema.
awk 'BEGIN { print "P3 64 32 255"; for (i = 0; i < 64 * 32; i++) print "255 255 255" }' >white1.ppm
picture 64 32 200 >white2.ppm
expect 0 "$KOSTKA" filter crop=2x1,xyz=dci white1.ppm white.raw --out-format ppm
equals "$(tail -c 12 white.raw | od -An -tx1 | tr -d ' ')" 0ed20f780f320ed20f780f32 "X'Y'Z' of white"
expect 0 "$KOSTKA" video 'white%d.ppm' 'dcp%06d.j2c' --filters xyz --profile cinema2k --fps 24
for i in 1 2; do
    expect 0 "$KOSTKA" info dcp00000$i.j2c
    prints 'profile .*, kept'
done
expect 0 "$KOSTKA" video 'white%d.ppm' master.y4m --matrix bt709
expect 0 "$KOSTKA" video master.y4m 'again%06d.j2c' --matrix bt709 --filters xyz --profile cinema2k --fps 24
same again000001.j2c dcp000001.j2c
expect 0 "$KOSTKA" info again000002.j2c
prints 'profile .*, kept'
expect 2 "$KOSTKA" video 'white%d.ppm' a.y4m --filters depth=4
says 'filters makes frames of 4 bits'
finish
