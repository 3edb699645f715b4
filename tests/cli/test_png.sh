#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PNG that is written: all shapes, depths, colours and levels come back through libpng, with the same bytes for any
# number of threads.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

LC_ALL=C awk 'BEGIN { for (i = 0; i < 1400000; i++) { seed = (seed * 1103 + 12345) % 65536; printf "%c", 1 + seed % 120 } }' >all
# noise BYTES SKIPPED: the same each time
noise() {
    tail -c +"$2" all | head -c "$1"
}

check_png() {
    if command -v pngcheck >/dev/null; then
        pngcheck -q "$1" >out 2>&1 || fail "pngcheck: $(cat out)"
    fi
}

# written FILE WHAT [OPTION…]: to PNG with 1, 2 and 5 threads
written() {
    file=$1 what=$2
    shift 2
    for threads in ${many:-1 2}; do
        expect 0 "$KOSTKA" convert "$@" --threads "$threads" "$file" "made$threads.png"
    done
    same made1.png made2.png
    [ -z "$many" ] || same made1.png made5.png
    check_png made1.png
    "$KOSTKA" compare "$file" made1.png >out 2>err || fail "$what: $(cat out err)"
}

many=
for size in '1 1' '1 700' '700 1' '3 5' '17 33' '641 243'; do
    width=${size% *} height=${size#* }
    area=$((width * height))
    { printf 'P5 %s 255\n' "$size"; noise $area 5; } >grey.pgm
    { printf 'P6 %s 255\n' "$size"; noise $((3 * area)) 6; } >colour.ppm
    { printf 'P5 %s 65535\n' "$size"; noise $((2 * area)) 7; } >grey16.pgm
    { printf 'P6 %s 65535\n' "$size"; noise $((6 * area)) 8; } >colour16.ppm
    { printf 'P7\nWIDTH %s\nHEIGHT %s\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' "$width" "$height"
        noise $((4 * area)) 9; } >alpha.pam
    { printf 'P7\nWIDTH %s\nHEIGHT %s\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n' "$width" "$height"
        noise $((8 * area)) 10; } >alpha16.pam
    for file in grey.pgm colour.ppm grey16.pgm colour16.ppm alpha.pam alpha16.pam; do
        written $file "$file of $width x $height"
    done
done

# Many bands, noise and drawings at once; every level.
{ printf 'P6 1500 900 255\n'; noise 1350000 11; head -c 1350000 /dev/zero; noise 30 3 >tile
    cat tile tile tile tile tile tile tile tile tile tile >tiles
    for _ in 1 2 3 4 5; do cat tiles tiles tiles tiles tiles tiles tiles tiles >more.tiles; cp more.tiles tiles; done
    head -c 1350000 tiles; } >large.ppm
many='1 2 5'
written large.ppm 'many bands'
for level in 0 1 6 9; do
    many=
    written large.ppm "level $level" --compression $level
done
{ printf 'P5 1200000 3 255\n'; head -c 3600000 tiles; } >wide.pgm
written wide.pgm 'rows that are longer than a band'
{ printf 'P5 1 1500000 255\n'; head -c 1500000 tiles; } >high.pgm
written high.pgm 'a single column'

# Filters and long matches are used where they gain, and not elsewhere.
awk 'BEGIN { print "P3 400 300 255"; for (y = 0; y < 300; y++) for (x = 0; x < 400; x++) {
    s = (s * 1103 + 12345) % 65536; n = s % 4; print int(x / 2) % 200 + n, int(y / 2) + n, int((x + y) / 4) + n } }' >slope.ppm
"$KOSTKA" convert slope.ppm slope.png 2>err || fail "$(cat err)"
between "$(wc -c <slope.png)" 1 100000 'bytes of a slope, 200 kB without filters'
{ printf 'P6 640 480 255\n'; for _ in 1 2 3; do cat tiles tiles tiles tiles >more.tiles; cp more.tiles tiles; done; head -c 921600 tiles; } >pattern.ppm
"$KOSTKA" convert pattern.ppm pattern.png 2>err || fail "$(cat err)"
between "$(wc -c <pattern.png)" 1 9000 'bytes of a pattern, 20 kB with filters'

# A full disk, and a reader that goes away, are errors.
[ ! -e /dev/full ] || {
    expect 1 "$KOSTKA" convert large.ppm /dev/full --out-format png --threads 3
    says 'cannot write'
}
"$KOSTKA" convert large.ppm - --out-format png --compression 0 --threads 4 2>err | head -c 100 >/dev/null
finish
