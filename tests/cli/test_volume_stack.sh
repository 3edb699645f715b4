#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Stacks of TIFF whose pages differ, lie in a circle, or claim what is not there, and damaged ones.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# stack FILE PAGE…: write a TIFF file. A page is a list of tag=value for its entries, with `bytes` of samples behind
# them, whose values count up from the page's number, and `next`, the offset of the next directory, if it is not that of
# the next page. DATA is where the samples begin.
stack() {
    file=$1
    shift
    for page; do printf '%s\n' "$page"; done | LC_ALL=C awk '
        function put(value, bytes) {
            for (; bytes > 0; bytes--) {
                printf "%c", value % 256
                value = int(value / 256)
            }
        }
        { page[NR] = $0 }
        END {
            printf "II"
            put(42, 2); put(8, 4)
            at = 8
            for (n = 1; n <= NR; n++) {
                count = split(page[n], entry, " ")
                entries = bytes = 0
                next_at = -1
                for (i = 1; i <= count; i++) {
                    split(entry[i], part, "=")
                    if (part[1] == "bytes") bytes = part[2]
                    else if (part[1] == "next") next_at = part[2]
                    else entries++
                }
                data = at + 2 + 12 * entries + 4
                put(entries, 2)
                for (i = 1; i <= count; i++) {
                    split(entry[i], part, "=")
                    if (part[1] == "bytes" || part[1] == "next") continue
                    put(part[1], 2); put(4, 2); put(1, 4)
                    put(part[2] == "DATA" ? data : part[2], 4)
                }
                put(next_at >= 0 ? next_at : n < NR ? data + bytes : 0, 4)
                for (i = 0; i < bytes; i++) put(65 + (n + i) % 26, 1)
                at = data + bytes
            }
        }' >"$file"
}
plain='256=3 257=2 258=8 259=1 262=1 273=DATA 277=1 278=2 279=6 339=1 bytes=6'

stack in.tif "$plain" "$plain" "$plain"
expect 0 "$KOSTKA" volume encode in.tif in.j2c
expect 0 "$KOSTKA" volume info in.j2c
prints '3x2x3 samples .* 8 bits'
expect 0 "$KOSTKA" volume decode in.j2c out.raw
equals "$(cat out.raw)" BCDEFGCDEFGHDEFGHI 'samples of three pages'

# A page in tiles, of which the page takes a corner.
stack tiles.tif '256=3 257=2 258=8 259=1 262=1 277=1 322=16 323=16 324=DATA 325=256 339=1 bytes=256'
expect 0 "$KOSTKA" volume encode tiles.tif tiles.j2c
expect 0 "$KOSTKA" volume decode tiles.j2c out.raw
equals "$(cat out.raw)" BCDRST 'samples of a tile'

# refuse TEXT PAGE…: such a file is an error that says so.
refuse() {
    said=$1
    shift
    stack h.tif "$@"
    expect 1 "$KOSTKA" volume encode h.tif none.j2c
    says "$said"
}
refuse 'page 1 is of another size or type' "$plain" '256=2 257=2 258=8 259=1 262=1 273=DATA 277=1 278=2 279=4 339=1 bytes=4'
refuse 'page 2 is of another size or type' "$plain" "$plain" '256=3 257=2 258=8 259=1 262=1 273=DATA 277=1 278=2 279=6 339=2 bytes=6'
refuse 'page 1 has samples other than' "$plain" '256=3 257=2 258=12 259=1 262=1 273=DATA 277=1 278=2 279=9 339=1 bytes=9'
refuse 'page 0 is not grey' '256=3 257=2 258=8 259=1 262=0 273=DATA 277=1 278=2 279=6 339=1 bytes=6'
refuse 'page 0 is not grey' '256=3 257=2 258=8 259=1 262=2 273=DATA 277=3 278=2 279=18 339=1 bytes=18'
refuse 'TIFF' '256=0 257=2 258=8 259=1 262=1 273=DATA 277=1 278=2 279=6 339=1 bytes=6'
refuse 'exceed the limits' '256=2147483647 257=2147483647 258=8 259=1 262=1 273=DATA 277=1 278=2147483647 279=6 339=1 bytes=6'
refuse 'TIFF' '256=3 257=2 258=8 259=1 262=1 277=1 322=65536 323=65536 324=DATA 325=256 339=1 bytes=256'
refuse 'TIFF' '256=3 257=2 258=8 259=1 262=1 273=60000 277=1 278=2 279=6 339=1 bytes=6'
refuse 'TIFF' "$plain" '256=3 257=2 258=8 259=1 262=1 273=DATA 277=1 278=2 279=600000 339=1'
# Directories in a circle, and one behind the end of the file.
refuse 'page 2 is none, or one of those before' "$plain" "$plain next=8"
refuse 'page 1 is none, or one of those before' "$plain next=8"
refuse 'TIFF' "$plain next=90000"

# Any damage ends in an error or a volume, never in a signal.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
    cp in.tif h.tif
    LC_ALL=C awk -v seed=$seed 'BEGIN { srand(seed); for (i = 0; i < 3; i++) printf "%d %o\n", 4 + int(rand() * 260), int(rand() * 256) }' >damage.txt
    while read -r offset byte; do
        printf '%b' "\\0$byte" | dd of=h.tif bs=1 seek="$offset" conv=notrunc 2>/dev/null
    done <damage.txt
    "$KOSTKA" volume encode h.tif h.j2c >out 2>err
    [ $? -le 1 ] || fail "damage of seed $seed: $(cat damage.txt err)"
done
for file in none.*; do
    [ ! -e "$file" ] || fail "$file is made"
done
finish
