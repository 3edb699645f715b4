#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PNG, TIFF and BMP that are encoded row by row, to JPEG and on the CPU to JPEG 2000: the same bytes, warnings and metadata
# as from the whole picture, which is what 'convert' reads where it codes; pixels that 'convert' writes so; damage; memory.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# choose_ways: one thread for the file and three for the pipe, or the other way round, by turns; with sanitizers also the file or
# the pipe alone, of three turns each
choose_ways() {
    take_turn
    file_threads=$((1 + turn * 2))
    pipe_threads=$((4 - file_threads))
    ways=$(sampled 'file pipe' "$([ $((turns / 3 % 2)) = 0 ] && echo file || echo pipe)")
}

# said FORMAT: the warnings, whatever the output's name; of JPEG 2000, which threads code, in any order
said() {
    sed "s,$work/,,; s/out.$1/whole.$1/" err | if [ "$1" = jpg ]; then cat; else sort; fi
}

# encoded FORMAT FILE OPTION…: from the file and through a pipe to what "whole" is; with the warnings in "whole.err"
encoded() {
    format=$1
    file=$2
    shift 2
    case $ways in *file*)
        expect 0 "$KOSTKA" encode --threads "$file_threads" "$@" "$file" "out.$format"
        same "whole.$format" "out.$format"
        said "$format" | cmp -s - whole.err || fail "other warnings than for the whole of $file: $(cat err)"
        ;;
    esac
    case $ways in *pipe*)
        "$KOSTKA" encode --threads "$pipe_threads" --out-format "$format" "$@" - - <"$file" >"out.$format" 2>err ||
            fail "$file through pipes: $(cat err)"
        same "whole.$format" "out.$format"
        ;;
    esac
}

# check FILE OPTION…: JPEG of the whole, and of its rows
check() {
    file=$1
    shift
    choose_ways
    expect 0 "$KOSTKA" convert "$@" "$file" whole.jpg
    said jpg >whole.err
    encoded jpg "$file" "$@"
}

# check_j2k EXTENSION FILE OPTION…: the same with JPEG 2000
check_j2k() {
    extension=$1
    file=$2
    shift 2
    choose_ways
    expect 0 "$KOSTKA" convert "$@" "$file" "whole.$extension"
    said "$extension" >whole.err
    encoded "$extension" "$file" --device cpu "$@"
}

# across FILE EXTENSION…: 'convert' writes its rows while it reads them, and they are those of the whole, which 'compare'
# reads
across() {
    file=$1
    shift
    for extension in "$@"; do
        expect 0 "$KOSTKA" convert "$file" "across.$extension"
        identical "$file" "across.$extension"
    done
}

# fails FILE TEXT: as a whole and in rows, from the file and from a pipe; nothing is left
fails() {
    choose_ways
    expect 1 "$KOSTKA" convert "$1" none.jpg
    expect 1 "$KOSTKA" encode --threads $file_threads "$1" none.jpg
    says "$2"
    expect 1 "$KOSTKA" encode --threads $pipe_threads - none.jpg <"$1"
    says "$2"
    expect 1 "$KOSTKA" encode --device cpu --threads $pipe_threads "$1" none.jp2
    says "$2"
    [ ! -e none.jpg ] || fail "a file of a damaged picture: $1"
    [ ! -e none.jp2 ] || fail "a JPEG 2000 file of a damaged picture: $1"
}

make_png() {
    "$MAKE_PNG" "$@" >in.png || fail "make_png $*"
}

# Check everything that PNG may hold, with IDAT chunks of any length.
while read -r depth colours; do
    for colour in $colours; do
        for size in $(cases '1x1 53x1 251x173' 151x97); do # two rows of code-blocks at least
            # shellcheck disable=SC2086 # words
            make_png ${size%x*} ${size#*x} "$depth" "$colour" noise parts=1000
            check in.png
            check_j2k jp2 in.png --levels 2
            # shellcheck disable=SC2046 # words
            across in.png $(cases 'png tif pam' 'png tif')
        done
        # An interlaced picture has no rows before all of it has been read.
        make_png 40 300 "$depth" "$colour" noise interlaced tEXt:1:3
        expect 0 "$KOSTKA" convert in.png rows.png
        for how in $(cases 'png tif pam bmp pnm raw tif:6' "png tif:6"); do
            extension=${how%%:*}
            how=${how#"$extension"}
            # shellcheck disable=SC2086 # words
            "$KOSTKA" convert ${how:+--compression ${how#:}} in.png "whole.$extension" 2>whole.err
            code=$?
            # shellcheck disable=SC2086 # words
            expect $code "$KOSTKA" convert ${how:+--compression ${how#:}} rows.png "across.$extension"
            sed "s/rows.png/in.png/; s/across/whole/" err | cmp -s - whole.err || fail "other warnings for the rows of PNG: $(cat err)"
            [ $code != 0 ] || same "whole.$extension" "across.$extension"
            rm -f "whole.$extension" "across.$extension"
        done
        make_png 40 300 "$depth" "$colour" noise interlaced
        ! is_due || check in.png -q 90 --progressive
        ! is_due || check_j2k jp2 in.png
    done
done <<'END'
1 0 3
2 0 3
4 0 3
8 0 2 3 4 6
16 0 2 4 6
END
make_png 500 300 8 2 noise
check in.png --optimize
# Rows are read again for a rate, a PSNR and an opacity, and in turn for tiles.
for options in '--ratio 8' '--psnr 30' '--step 2' '--tiles 150x70' '--tiles 150x70 --ratio 9'; do
    # shellcheck disable=SC2086 # words
    check_j2k j2k in.png $options
done
make_png 300 500 8 6 noise
check_j2k jp2 in.png --codeblock 16x16

# Metadata are kept wherever they are in the file, in the same order.
make_png 99 70 8 2 noise parts=500 tEXt:1:3 +eXIf:1:20 +zTXt:1:40 +tEXt:2:50 +iTXt:1:6
check in.png
check_j2k jp2 in.png
check_j2k j2k in.png
"$KOSTKA" info out.jpg >info.out
for line in 'exif  *29 bytes' 'comment  *AAA$' 'comment  *AAAAAA$'; do
    grep -q "$line" info.out || fail "no '$line': $(cat info.out)"
done
equals "$(grep -c comment info.out)" 5 'comments from both sides of the pixels'
check in.png --comment 'instead of those' --optimize
make_png 99 70 8 0 noise eXIf:1:10 +eXIf:1:20
check in.png
"$KOSTKA" info out.jpg >info.out
grep -q 'exif  *19 bytes' info.out || fail "the first Exif is not the one that is kept: $(cat info.out)"
# Behind the end of the picture there is nothing that belongs to it.
"$MAKE_PNG" 9 7 8 0 >ended.png
{ cat ended.png; "$MAKE_PNG" 9 7 8 0 tEXt:1:5 | tail -c +34; } >in.png
check in.png
equals "$("$KOSTKA" info out.jpg | grep -c comment)" 0 'comments of what follows the picture'

# Files that end too early, anywhere; the chunk that ends the file is looked for, too.
make_png 251 173 8 2 noise parts=5000 +tEXt:1:100
size=$(wc -c <in.png)
for at in $(cases "20 40 60 5060 50000 $((size - 150)) $((size - 100)) $((size - 13)) $((size - 1))" "40 50000 $((size - 13))"); do
    head -c "$at" in.png >short.png
    fails short.png 'PNG: the file ends too early'
done
head -c 50000 in.png >short.png
fails short.png 'in row 6[0-9] of 173'
make_png 251 173 8 2 noise parts=5000 between
fails in.png 'PNG: Not enough image data'
# A byte that is changed.
make_png 251 173 8 2 noise parts=5000
{ head -c 70000 in.png; printf '\001\002\003'; tail -c +70004 in.png; } >damaged.png
fails damaged.png 'in row [0-9]* of 173'

make_tiff() {
    "$MAKE_TIFF" "$@" || fail "make_tiff $*"
}
while read -r bits channels words; do
    # shellcheck disable=SC2086 # words
    make_tiff in.tif 77 50 "$bits" "$channels" $words
    check in.tif
    ! is_due || check_j2k jp2 in.tif
    ! is_due || check_j2k j2k in.tif --levels 1
    across in.tif pam tif
done <<'END'
8 1
8 3 orientation=3
8 4 deflate
16 1 big
16 3 lzw strip=50
16 3 tiles
16 4 tiles big deflate
8 3 separate
8 3 separate tiles
8 1 white
8 1 white tiles
16 4 cmyk lzw
8 4 cmyk tiles
8 1 palette
8 1 palette tiles
8 1 palette orientation=4
8 3 packbits strip=1000
END
make_tiff in.tif 300 200 8 3 deflate
size=$(wc -c <in.tif)
{ head -c 90000 in.tif; head -c 2000 /dev/zero; tail -c +92001 in.tif; } >damaged.tif
fails damaged.tif 'TIFF: .*, in row [0-9]* of 200'
make_tiff in.tif 300 200 8 1 palette strip=20
{ head -c 4 in.tif; head -c 4 in.tif; tail -c +9 in.tif; } >damaged.tif
fails damaged.tif TIFF

# Netpbm's formats, in digits, too.
picture 70 50 1000 >in.ppm
across in.ppm pam
head -c 3000 in.ppm >short.ppm
expect 1 "$KOSTKA" convert short.ppm none.png
says 'in row [0-9]* of 50'
for max in $(cases '1 77 255 511 60000' '77 511'); do
    for type in 1,GRAYSCALE 2,GRAYSCALE_ALPHA 3,RGB 4,RGB_ALPHA 4,CMYK; do
        {
            printf 'P7\nWIDTH 61\nHEIGHT 40\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n' "${type%,*}" "$max" "${type#*,}"
            head -c $((61 * 40 * ${type%,*} * (max > 255 ? 2 : 1))) "$KOSTKA"
        } >in.pam
        across in.pam pam
        [ "$max" = 511 ] || across in.pam tif
        [ "$max" = 511 ] || [ "${type#*,}" = CMYK ] || across in.pam png
    done
done

# The limit is for what is in memory, and that is little.
# small FILE OUTPUT OPTION…: encoded in little memory to what is there already; each thread takes more
small() {
    file=$1
    output=$2
    shift 2
    expect 0 "$PEAK" peak.kb "$KOSTKA" encode --device cpu --threads 2 "$@" "$file" "out.${output##*.}"
    same "$output" "out.${output##*.}"
    # A sanitizer has memory of its own.
    grep -q __asan_init "$KOSTKA" || between "$(cat peak.kb)" 1 $most "kilobytes of $file $*"
    rm "out.${output##*.}"
}
# With sanitizers, under which the peak says nothing, the picture is a little larger than what --max-memory allows.
rows=$(sampled 4000 2000)
printf 'P5\n10400 %d\n255\n' "$rows" >large.pgm
truncate -s $((10400 * rows + $(wc -c <large.pgm))) large.pgm
expect 0 "$KOSTKA" encode --device cpu large.pgm large.jpg
expect 0 "$KOSTKA" encode --device cpu large.pgm large.jp2
most=32000 # 16 MB, 4 MB of pages of the mapped file, 4.5 MB of libraries; 24 MB are found
cases 'png --compression 1,tif --compression 0,tif --compression 1,bmp' 'png --compression 1,tif --compression 0,bmp' | tr , '\n' >hows
while read -r how; do
    extension=${how%% *}
    # shellcheck disable=SC2086 # words
    expect 0 "$KOSTKA" convert ${how#"$extension"} --device cpu large.pgm large.$extension
    small "large.$extension" large.jpg --max-memory 16M
    small "large.$extension" large.jp2 --max-memory 16M
    [ "$extension" != bmp ] || small "large.$extension" large.jp2 # as with the limit, in more memory
done <hows
# A PGM of up to 32 MB is mapped, and its pages are let go while others are encoded.
printf 'P5\n6000 5000\n255\n' >mapped.pgm
truncate -s $((6000 * 5000 + $(wc -c <mapped.pgm))) mapped.pgm
# shellcheck disable=SC2002 # a pipe
cat mapped.pgm | "$KOSTKA" encode --device cpu - mapped.jpg || fail 'a PGM through a pipe'
most=16000 # of which 4 MB are pages of the file; 9 MB are found
small mapped.pgm mapped.jpg
# Neither does 'convert' hold a picture.
# Every format is read for one target, and written from JPEG and from plain samples.
for file in large.jpg large.pgm large.bmp large.png large.tif; do
    targets=pgm
    case $file in *.jpg | *.pgm) targets=$(cases 'png tif pgm bmp' 'png pgm') ;; esac
    for target in $targets; do
        expect 0 "$PEAK" peak.kb "$KOSTKA" convert --device cpu --threads 2 --max-memory 16M "$file" "converted.$target"
        grep -q __asan_init "$KOSTKA" || between "$(cat peak.kb)" 1 40000 "kilobytes of $file as $target"
        [ "$target" != pgm ] || [ "$file" = large.jpg ] || same large.pgm converted.pgm
        rm "converted.$target"
    done
done
# Threads do not exceed the limit by what they keep of the rows below and by rows that wait for their turn.
{ printf 'P5 3000 2000 255\n'; head -c 6000000 /dev/urandom; } >deep.pgm
expect 0 "$KOSTKA" encode deep.pgm deep.jpg
expect 0 "$KOSTKA" decode deep.jpg deep.pgm
for threads in 1 2 3 8; do
    expect 0 "$KOSTKA" convert --device cpu --threads $threads --max-memory 6M --compression 1 deep.jpg deep.png
    identical deep.pgm deep.png
done
# Nor by rows that go out in any order, of which each thread has some that are not complete.
expect 0 "$KOSTKA" transcode --restart 1r deep.jpg often.jpg
for threads in 1 2 3 8; do
    for limit in 1M 2M; do
        expect 0 "$KOSTKA" decode --device cpu --threads $threads --max-memory $limit often.jpg often.pgm
        same often.pgm deep.pgm
    done
done
rm deep.* often.*
# JPEG 2000 of one tile is decoded in rows, as far as memory goes by no limit.
for target in $(cases 'pgm png tif' pgm); do
    expect 0 "$PEAK" peak.kb "$KOSTKA" decode --device cpu --threads 2 large.jp2 "decoded.$target"
    grep -q __asan_init "$KOSTKA" || between "$(cat peak.kb)" 1 40000 "kilobytes of large.jp2 as $target"
    [ "$target" != pgm ] || same large.pgm decoded.pgm
    rm "decoded.$target"
done
rm large.*
# Tiles are written as soon as they are coded.
{ printf 'P6 3000 %d 255\n' "$(sampled 1400 500)" && for _ in $(seq "$(sampled 32 12)"); do head -c 400000 "$KOSTKA"; done; } >tiles.ppm
expect 0 "$KOSTKA" encode --device cpu --threads 2 --tiles 500x250 --max-memory 12M tiles.ppm tiles.jp2
for extension in $(cases "png tif" tif); do
    expect 0 "$KOSTKA" convert --compression 1 tiles.ppm "tiles.$extension"
    most=22000 # 12 MB, 4 MB of pages of the mapped file, and 4.5 MB of libraries
    small "tiles.$extension" tiles.jp2 --tiles 500x250 --max-memory 12M
done
# The code-blocks of a large picture wait in a file without a name, and not in memory.
if [ -z "${KOSTKA_SANITIZED:-}" ]; then
    eight=$(for _ in $(seq 32); do printf ABCDEFGH; done)
    { printf 'P5\n8400 8000\n255\n' && head -c 67200000 /dev/urandom | tr '\000-\377' "$eight"; } >vast.pgm
    "$KOSTKA" encode --device cpu --out-format jp2 vast.pgm - >whole.jp2 || fail 'vast.pgm to a pipe'
    expect 0 "$PEAK" peak.kb "$KOSTKA" encode --device cpu --threads 2 vast.pgm vast.jp2
    between "$(cat peak.kb)" 1 24000 'kilobytes of vast.pgm to JPEG 2000'
    same vast.jp2 whole.jp2
    (
        trap '' XFSZ
        ulimit -f 10000
        "$KOSTKA" encode --device cpu vast.pgm none.jp2
    ) 2>&1 | cat >err
    says 'cannot use a temporary file beside .*: File too large'
    rm vast.* whole.jp2
fi
# Files are written 256 KB at a time and more, but for the last bytes and some of the head.
{ printf 'P6 1500 1000 255\n'; head -c 4500000 /dev/urandom; } >noise.ppm
"$KOSTKA" encode noise.ppm noise.jpg || fail 'cannot encode'
for name in png tif ppm pam; do
    expect 0 "$PEAK" peak.kb "$KOSTKA" decode noise.jpg "noise.$name"
    if [ -s peak.kb.writes ]; then
        between "$(cat peak.kb.writes)" 1 $(($(wc -c <"noise.$name") / 262144 + 8)) "calls that write noise.$name"
    else
        echo 'skipped: the system does not count calls that write'
    fi
done
{ printf 'P5 20 10 255\n'; head -c 200 /dev/zero; } >some.pgm
"$KOSTKA" convert some.pgm - --out-format png | cat >piped.png
"$KOSTKA" convert some.pgm some.png
same piped.png some.png

finish
