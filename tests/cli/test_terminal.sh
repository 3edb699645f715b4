#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a terminal gets to see: nothing that steers it, and progress that is true.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 20 16 >a.ppm
"$KOSTKA" encode a.ppm a.jpg || fail 'cannot encode'

# no_controls FILE: no control characters but line feeds, of 7 bits, of 8 bits, or in UTF-8
no_controls() {
    tr -d '\n -~\240-\377' <"$1" | grep -q . && fail "control characters in: $(od -c "$1" | head -n 20)"
    LC_ALL=C.UTF-8 grep -q -e "$(printf '\302[\200-\237]')" "$1" && fail "C1 characters in: $(od -c "$1" | head -n 20)"
    return 0
}

# Names: escape sequences, line feeds, tabulators, C1 in UTF-8 and as a byte, an override of the direction of writing.
red=$(printf 'red\033[31m')
lines=$(printf 'two\nlines\tand')
csi=$(printf 'csi\302\23331m\233x')
rtl=$(printf 'gpj\342\200\256.exe')
for name in "$red" "$lines" "$csi" "$rtl"; do
    cp a.jpg "$name.jpg"
    head -c 100 a.jpg >"$name-cut.jpg"
    echo text >"$name.txt"
    for call in info compare decode transcode convert encode; do
        for file in "$name.jpg" "$name-cut.jpg" "$name.txt" "$name-missing"; do
            case $call in
            info) "$KOSTKA" info -v "$file" >out 2>err ;;
            compare) "$KOSTKA" compare "$file" a.jpg >out 2>err ;;
            *) "$KOSTKA" $call -v "$file" "new $name.jpg" --out-format "$([ $call = decode ] && echo ppm || echo jpeg)" >out 2>err ;;
            esac
            no_controls out
            no_controls err
        done
    done
    "$KOSTKA" info --json "$name.jpg" >out 2>err
    no_controls out
    "$KOSTKA" decode a.jpg "$name.xyz" 2>err
    no_controls err
    "$KOSTKA" decode a.jpg "$name/x.ppm" 2>err
    no_controls err
    "$KOSTKA" "$name" 2>err
    no_controls err
    "$KOSTKA" decode a.jpg new.ppm "--$name" 2>err
    no_controls err
    "$KOSTKA" decode a.jpg new.ppm "--format=$name" 2>err
    no_controls err
    "$KOSTKA" bench decode "$name.jpg" --repeat 1 >out 2>err
    no_controls out
done
expect 0 "$KOSTKA" info "$red.jpg"
prints '^red\\x1B\[31m.jpg: JPEG, 20x16'
expect 0 "$KOSTKA" info "$lines.jpg"
prints '^two\\nlines\\tand.jpg: JPEG'
expect 0 "$KOSTKA" info "$csi.jpg"
prints '^csi\\x9B31m\\x9Bx.jpg: JPEG'
expect 0 "$KOSTKA" info "$rtl.jpg"
prints '^gpj\\u202E.exe.jpg: JPEG'
expect 0 "$KOSTKA" info --json "$lines.jpg"
equals "$(json 0 file <out)" "$lines.jpg" 'the name in JSON'
expect 0 "$KOSTKA" info --json "$rtl.jpg"
prints '"gpj\\u202E.exe.jpg"'
equals "$(json 0 file <out)" "$rtl.jpg" 'the name in JSON that turns the text'

# Text is not changed, in UTF-8 and in other encodings.
for name in 'žluťoučký kůň 写真 📷' "$(printf 'caf\351')" 'back\slash'; do
    cp a.jpg "$name.jpg"
    expect 0 "$KOSTKA" info "$name.jpg"
    grep -q -F -e "$name.jpg: JPEG" out || fail "'$name' became $(head -n 1 out)"
done

# Texts in files: comments of both formats, names of boxes.
text=$(printf 'x\033]0;title\007 \302\2331m\rover\177')
"$KOSTKA" encode a.ppm text.jpg --comment "$text" || fail 'cannot encode'
"$KOSTKA" encode a.ppm text.jp2 --comment "$text" || fail 'cannot encode'
for file in text.jpg text.jp2; do
    expect 0 "$KOSTKA" info $file
    prints 'title'
    no_controls out
done
{
    cat text.jp2
    printf '\000\000\000\012\033\007\233\177zz'
} >box.jp2
expect 0 "$KOSTKA" info box.jp2
no_controls out

# Progress: on a terminal, what takes more than a second shows how many files are written, which grows and is never all
# of them; of a single one it shows how much is done, which is never all while the file is not there.
# shown WORD…: what a terminal shows of a call, in the file log, by a clock by which twenty seconds pass in one; ASan wants to be
# the first library
quick="LD_PRELOAD='$QUICK_CLOCK' ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0"
shown() {
    script -qefc "$quick '$KOSTKA' $*" log >/dev/null 2>&1 </dev/null
}
if has_terminals; then
    awk 'BEGIN { print "P2 900 400 255"; s = 1; for (i = 0; i < 360; i++) { for (k = 0; k < 1000; k++) { s = (s * 1103 + 12345) % 65536; printf "%d ", s % 256 } print "" } }' >noise.pgm
    mkdir many
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ln noise.pgm "many/n$i.pgm"; done
    shown "encode many --out-dir many-out --out-format jp2 --threads 1"
    equals "$(find many-out -name 'n*.jp2' | wc -l)" 12
    tr '\r' '\n' <log | sed -n 's/.*\] \([0-9]*\) of 12, [0-9]* s left.*/\1/p' >counts
    [ -s counts ] || echo 'too fast for a bar'
    sort -n -c counts || fail "counts go back: $(tr '\n' ' ' <counts)"
    grep -q -x 12 counts && fail "all were counted before the last was written: $(tr '\n' ' ' <counts)"
    between "$(sort -u counts | wc -l)" 0 12 'different counts'
    # One output waits for a reader: the others are counted, and it is not.
    rm many-out/n9.jp2
    mkfifo many-out/n9.jp2
    rm log
    ( # which comes when the bar has, or in a minute
        tries=0
        until { [ -f log ] && tr '\r' '\n' <log | grep -q '\] [0-9]* of 12, [0-9]* s left'; } || [ $tries -ge 600 ]; do
            tries=$((tries + 1))
            sleep 0.1
        done
        cat many-out/n9.jp2 >n9.jp2
    ) &
    shown "encode many --out-dir many-out --out-format jp2 --threads 2"
    wait
    tr '\r' '\n' <log | sed -n 's/.*\] \([0-9]*\) of 12, [0-9]* s left.*/\1/p' >counts
    [ -s counts ] || fail 'no bar in a minute'
    tr '\r' '\n' <log | grep -q '\] [1-9][0-9]* of 12, [0-9]* s left, [0-9.]* a second' || fail 'the bar has no rate'
    # Of archives the number of groups is not known, and of those from a pipe nothing but how many are done.
    for i in 1 2 3 4 5 6; do
        "$KOSTKA" encode noise.pgm "group$i.jpg"
    done
    tar -c -f groups.tar group*.jpg
    # More than a second of the quick clock passes after the first is done, however late the program starts.
    cat >slow <<END
{
    half=\$((\$(wc -c <groups.tar) / 2))
    head -c \$half groups.tar
    until [ -e groups/group1.jpg ]; do sleep 0.05; done
    sleep 0.2
    tail -c +\$((half + 1)) groups.tar
} | $quick "$KOSTKA" transcode - --out-dir groups
END
    script -qec 'sh ./slow' log >/dev/null 2>&1 </dev/null
    tr '\r' '\n' <log | grep -q '^[1-6] done, [0-9.]* a second' || fail "no line for a pipe: $(tr '\r' '\n' <log)"
    shown "convert groups.tar groups.tar -o 'again-%d.tar' --out-format jp2 --threads 1"
    tr '\r' '\n' <log >lines
    grep -q '\] [0-9]* done' lines || echo 'too fast for a bar'
    grep '\] [0-9]* done' lines | grep -v '^\[[#.]*\] [0-9]* done, [0-9]* s left' >odd
    [ ! -s odd ] || fail "lines for archives: $(cat odd)"
    sort -n -c counts || fail "counts go back: $(tr '\n' ' ' <counts)"
    grep -q -x 12 counts && fail "all were counted before the last was written: $(tr '\n' ' ' <counts)"
    same n9.jp2 many-out/n8.jp2

    { printf 'P5 3000 240 255\n' && head -c 720000 /dev/urandom; } >big.pgm
    for call in 'encode big.pgm big.jp2' 'decode big.jp2 big.png --compression 9'; do
        shown "$call"
        tr '\r' '\n' <log | sed -n 's/.*\] \([0-9]*\) %.*/\1/p' >counts
        [ -s counts ] || echo "too fast for a bar: $call"
        sort -n -c counts || fail "parts go back: $(tr '\n' ' ' <counts)"
        grep -q -x 100 counts && fail "all was done before the file was written by $call: $(tr '\n' ' ' <counts)"
    done
    # Most of the time for a PNG is spent compressing, and the bar moves meanwhile.
    [ "$(wc -l <counts)" -lt 5 ] || [ "$(sort -u counts | wc -l)" -gt 2 ] || fail "a bar that does not move: $(tr '\n' ' ' <counts)"
    # JPEG takes as long where the picture is large: the bar moves while one is encoded, transcoded or written as TIFF.
    # What takes longer for each sample has fewer of them, and so has all with sanitizers, which take longer.
    { printf 'P5 9000 %d 255\n' "$(sampled 800 200)" && for _ in $(seq "$(sampled 18 5)"); do head -c 400000 "$KOSTKA"; done; } >huge.pgm
    { printf 'P5 9000 %d 255\n' "$(sampled 240 80)" && for _ in $(seq "$(sampled 6 2)"); do head -c 400000 "$KOSTKA"; done; } >large.pgm
    expect 0 "$KOSTKA" encode large.pgm large.jpg
    for call in 'encode huge.pgm huge.jpg --threads 1' 'encode huge.pgm optimised.jpg --optimize --threads 1' \
        'encode large.pgm progressive.jpg --progressive --threads 1' 'transcode huge.jpg turned.jpg --rotate 90 --threads 1' \
        'transcode progressive.jpg turned.jpg --optimize --threads 1' 'convert large.pgm large.tif --compression 9' \
        'decode large.jpg large.png --compression 9 --threads 1'; do
        shown "$call"
        tr '\r' '\n' <log | sed -n 's/.*\] \([0-9]*\) %.*/\1/p' >counts
        [ -s counts ] || echo "too fast for a bar: $call"
        sort -n -c counts || fail "parts go back: $(tr '\n' ' ' <counts)"
        grep -q -x 100 counts && fail "all was done before the file was written by $call: $(tr '\n' ' ' <counts)"
        [ "$(wc -l <counts)" -lt 5 ] || [ "$(sort -u counts | wc -l)" -gt 2 ] ||
            fail "a bar that does not move, of $call: $(tr '\n' ' ' <counts)"
    done
    rm -f huge.* large.* turned.jpg optimised.jpg progressive.jpg
    # Stores of volumes count bricks, which move the bar before they are finished; a single one shows how much is done.
    for _ in $(seq 20); do head -c 400000 "$KOSTKA"; done | head -c "$(sampled 4194304 1048576)" >volume.raw
    shape="--shape $(sampled 64 16)x256x256"
    bricks=$(sampled 128 64)
    for call in "encode $shape --type u8 --brick $(sampled 32 16)x32x32 volume.raw volume.zarr" \
        'decode volume.zarr out.raw' 'decode volume.zarr out.tif'; do
        shown "volume --device cpu --threads 1 $call"
        tr '\r' '\n' <log | sed -n 's/.*\] \([0-9]*\) of '"$bricks"', [0-9]* s left.*/\1/p' >counts
        tr '\r' '\n' <log | sed -n 's/^\[\(#*\)\.*\] .*/\1/p' | awk '{ print length($0) }' >bars
        [ -s counts ] || fail "no bar of $call"
        sort -n -c counts || fail "counts go back: $(tr '\n' ' ' <counts)"
        sort -n -c bars || fail "bars go back: $(tr '\n' ' ' <bars)"
        case $call in
        decode*) between "$(sort -u counts | wc -l)" 1 5 "different counts of $call, whose bricks are decoded together" ;;
        esac
        grep -q -x "$bricks" counts && fail "all were counted before the file was written by $call: $(tr '\n' ' ' <counts)"
        [ "$(wc -l <bars)" -lt 5 ] || [ "$(sort -u bars | wc -l)" -gt 2 ] || fail "a bar that does not move, of $call: $(tr '\n' ' ' <bars)"
    done
    rm -r volume.zarr
    for call in "encode $shape --type u8 --brick 64x256x256 volume.raw volume.zarr" 'decode volume.zarr out.raw' \
        'slice --axis y volume.zarr x.pgm' "encode $shape --type u8 volume.raw volume.j2c" \
        'decode volume.j2c out.raw'; do
        shown "volume --device cpu --threads 1 $call"
        tr '\r' '\n' <log | sed -n 's/.*\] \([0-9]*\) %.*/\1/p' >counts
        [ -s counts ] || fail "no bar of $call"
        sort -n -c counts || fail "parts go back: $(tr '\n' ' ' <counts)"
        [ "$(wc -l <counts)" -lt 5 ] || [ "$(sort -u counts | wc -l)" -gt 2 ] ||
            fail "a bar that does not move, of $call: $(tr '\n' ' ' <counts)"
    done
    rm -rf volume.* out.raw out.tif x.pgm
    "$KOSTKA" encode noise.pgm bar.jp2 2>err
    [ ! -s err ] || fail 'a bar where there is no terminal'
fi
finish
