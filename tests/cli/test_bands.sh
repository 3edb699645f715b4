#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# JPEG encoded while its input is read: the same bytes as from a picture that was read as a whole, which is what 'convert' does.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# samples COUNT: as many bytes that look like noise
samples() {
    head -c 400000 "$KOSTKA" | tail -c "$1"
}

# check FILE OPTION…: from the file, with one thread or three by turns, and with the other number through pipes on both
# sides or, every third time, on one
check() {
    file=$1
    shift
    take_turn
    file_threads=$((1 + turn * 2))
    pipe_threads=$((4 - file_threads))
    expect 0 "$KOSTKA" convert "$@" "$file" whole.jpg
    cp err whole.err
    expect 0 "$KOSTKA" encode --threads $file_threads "$@" "$file" out.jpg
    same whole.jpg out.jpg
    sed "s/out.jpg/whole.jpg/" err | cmp -s - whole.err || fail "other warnings than for the whole of $file: $(cat err)"
    if [ $((turns % 3)) != 0 ]; then
        "$KOSTKA" encode --threads $pipe_threads "$@" - - <"$file" >out.jpg 2>err || fail "$file through pipes: $(cat err)"
    else
        # shellcheck disable=SC2002 # a pipe, not a file
        cat "$file" | "$KOSTKA" encode --threads $pipe_threads "$@" /dev/stdin out.jpg 2>err || fail "$file through a pipe: $(cat err)"
    fi
    same whole.jpg out.jpg
}

for size in $(cases '1x1 1x47 53x1 17x33 251x173' '1x47 53x33'); do
    width=${size%x*} height=${size#*x} pixels=$((${size%x*} * ${size#*x}))
    for max in $(cases '1 100 255 256 1000 1023 65535' '100 255 1000'); do
        bytes=$((max > 255 ? 2 : 1))
        { printf 'P5\n# a comment\n%d %d\n%d\n' "$width" "$height" "$max" && samples $((pixels * bytes)); } >in.pgm
        check in.pgm
        { printf 'P6 %d %d %d\n' "$width" "$height" "$max" && samples $((3 * pixels * bytes)); } >in.ppm
        check in.ppm -q 90
    done
    { printf 'P4 %d %d\n' "$width" "$height" && samples $((height * ((width + 7) / 8))); } >in.pbm
    check in.pbm
    for type in 1,GRAYSCALE 2,GRAYSCALE_ALPHA 3,RGB 4,RGB_ALPHA 4,CMYK; do
        channels=${type%,*}
        for max in $(cases '255 999 65535' '255 999'); do
            {
                printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n' \
                    "$width" "$height" "$channels" "$max" "${type#*,}"
                samples $((pixels * channels * (max > 255 ? 2 : 1)))
            } >in.pam
            check in.pam
        done
    done
    for depth in $(cases '1 8 10 16' '1 10'); do
        { printf 'PG ML +%d %d %d\n' "$depth" "$width" "$height" && samples $((pixels * (depth > 8 ? 2 : 1))); } >in.pgx
        check in.pgx --progressive
        for count in 1 3; do
            samples $((pixels * count * (depth > 8 ? 2 : 1))) >in.raw
            for how in "" "--raw-layout planes" "--endian big"; do
                # shellcheck disable=SC2086 # words
                check in.raw --raw "${size}x$count:$depth" $how --optimize
            done
        done
    done
done

# Opaque alpha is dropped without a word.
{ printf 'P7\nWIDTH 64\nHEIGHT 64\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' && head -c 16384 /dev/zero | tr '\0' '\377'; } >in.pam
check in.pam
[ ! -s err ] || fail "a warning of alpha that is opaque: $(cat err)"

# Rows are written while they are decoded, to files and in order to pipes, by 'convert', too; 'compare' decodes the
# whole picture.
{ printf 'P6 251 173 255\n' && samples $((3 * 251 * 173)); } >in.ppm
"$KOSTKA" encode in.ppm colour.jpg
"$KOSTKA" encode --grey --restart 2r in.ppm grey.jpg
"$KOSTKA" encode --progressive --subsampling 444 in.ppm progressive.jpg
for picture in colour grey progressive; do
    for how in ppm pgm pnm pam raw "raw --raw-layout planes" pgx png tif "png --format rgba" "pam --format rgba" "pnm --scale 1/4" "pnm --crop 7,9,100,50" "pnm --format grey"; do
        extension=${how%% *} options=${how#"${how%% *}"}
        rm -f whole*.* out*.*
        # shellcheck disable=SC2086 # words
        "$KOSTKA" convert $options "$picture.jpg" "whole.$extension" 2>err.whole
        code=$?
        for threads in $(cases '1 3' 3); do
            # shellcheck disable=SC2086 # words
            expect $code "$KOSTKA" decode --threads "$threads" $options "$picture.jpg" "out.$extension"
            for file in whole*.*; do
                [ ! -e "$file" ] || same "$file" "out${file#whole}"
            done
            case $how in
            png | tif | pnm | pam) identical "$picture.jpg" "out.$extension" ;;
            esac
            [ "$extension" = pgx ] || [ $code != 0 ] || {
                # shellcheck disable=SC2086 # words
                "$KOSTKA" decode --threads "$threads" --out-format $extension $options "$picture.jpg" - 2>err | cmp -s - "whole.$extension" ||
                    fail "$picture as $how through a pipe: $(cat err)"
            }
        done
    done
done

# Metadata come from the options alone.
printf 'II*\0\010\0\0\0\0\0\0\0\0\0' >in.exif
check in.ppm --exif in.exif --comment 'in bands' --grey --restart 1r

# Inputs that end too early are refused, in a file and in a pipe; raw samples must end where the picture does.
{ printf 'P5 100 100 255\n' && samples 5050; } >short.pgm
expect 1 "$KOSTKA" encode short.pgm none.jpg
says 'row 51 of 100'
# shellcheck disable=SC2016 # expanded by that shell
expect 1 sh -c 'cat short.pgm | "$KOSTKA" encode - none.jpg'
says 'row 51 of 100'
samples 10001 >long.raw
# shellcheck disable=SC2016 # expanded by that shell
expect 1 sh -c 'cat long.raw | "$KOSTKA" encode --raw 100x100:8 - none.jpg'
says 'more bytes'
expect 1 "$KOSTKA" encode --raw 100x100:8 long.raw none.jpg
says 'are not 1 samples'
[ ! -e none.jpg ] || fail "a file of a damaged picture"

# The encoder takes pixels from a mapped file, with samples and rows at any offset.
{ printf 'P6 1001 999 255\n' && head -c 2999997 "$KOSTKA"; } >mapped.ppm
check mapped.ppm
check mapped.ppm --optimize
{ printf 'P5 1999 1501 255\n' && head -c 3000499 "$KOSTKA"; } >mapped.pgm
check mapped.pgm --restart 1r
head -c 2999997 "$KOSTKA" >mapped.raw
check mapped.raw --raw 1001x999x3:8
check mapped.raw --raw 1001x999x3:8 --raw-layout planes

# Neither the picture nor the file has to have room in memory.
printf 'P5 10000 10000 255\n' >large.pgm
truncate -s 100000019 large.pgm
expect 0 "$KOSTKA" encode --max-memory 8M large.pgm large.jpg
# shellcheck disable=SC2002 # a pipe
cat large.pgm | "$KOSTKA" encode --max-memory 8M - pipe.jpg || fail "a large picture through a pipe"
same large.jpg pipe.jpg
for extension in pgm png tif; do
    expect 0 "$KOSTKA" decode --max-memory 64M --device cpu large.jpg large.$extension
    rm -f large.$extension
done

# With optimised tables, coefficients that have no room are not kept: the picture is read twice, or, of a pipe, they are
# packed in a temporary file, which an output that is a pipe has none of.
head -c 4000000 "$KOSTKA" >twice.raw
expect 0 "$KOSTKA" encode --device cpu --optimize --raw 2000x2000:8 twice.raw kept.jpg
expect 0 "$KOSTKA" encode --device cpu --optimize --max-memory 4M --raw 2000x2000:8 twice.raw twice.jpg
same kept.jpg twice.jpg
expect 0 "$KOSTKA" convert --raw 2000x2000:8 twice.raw twice.png
expect 0 "$KOSTKA" encode --device cpu --optimize --max-memory 4M twice.png twice.jpg
same kept.jpg twice.jpg
# shellcheck disable=SC2016 # expanded by that shell
expect 0 sh -c 'cat twice.raw | "$KOSTKA" encode --device cpu --optimize --max-memory 4M --raw 2000x2000:8 - twice.jpg'
same kept.jpg twice.jpg
# shellcheck disable=SC2016
expect 1 sh -c 'cat twice.raw | "$KOSTKA" encode --device cpu --optimize --max-memory 4M --raw 2000x2000:8 - - >none.jpg'
says 'max-memory'
rm none.jpg

# An endless input that is no picture ends at once; one that may be is read as far as the memory limit.
for command in "info /dev/zero" "decode /dev/zero none.ppm" "encode /dev/zero none.jpg" "transcode /dev/zero none.jpg" \
    "convert /dev/zero none.png" "encode --raw 40000x40000:8 /dev/zero none.jpg" \
    "encode --raw 400x400:8 /dev/zero none.jpg" "convert --max-memory 20M --raw 4000x4000:8 /dev/zero none.jpg"; do
    # shellcheck disable=SC2086 # words
    within 10 "$KOSTKA" $command >out 2>err
    code=$?
    [ $code = 1 ] || fail "$command: exit status $code"
    [ -s err ] || fail "$command: no message"
done
# shellcheck disable=SC2317 # called by expect
endless() {
    { printf '\377\330\377'; cat /dev/zero; } | within 10 "$KOSTKA" decode --max-memory 20M - none.ppm
}
expect 1 endless
says 'memory limit'
truncate -s 6G sparse
expect 1 within 5 "$KOSTKA" decode sparse none.ppm
for name in none.jpg none.ppm none.png; do
    [ ! -e $name ] || fail "a file of no picture: $name"
done
finish
