#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs installed programs with their own libraries and with Kostka's in place, and prints a table of what they make, as suites.sh
# does: programs.sh BUILD FOLDER. Pixels and JPEG files must be the same byte for byte, and samples of the 9/7 transform must be
# within 1. Lossless files of JPEG 2000 must decode to the same pixels. Each program must have loaded the library. The script
# fails if any of this is not so.
set -eu
build=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
in=$folder/in
photograph=/usr/share/backgrounds/mate/nature/Wood.jpg
failed=0
unset LD_LIBRARY_PATH KOSTKA_THREADS KOSTKA_DEVICE
[ -e $photograph ] || {
    echo "programs.sh: there is no $photograph (mate-backgrounds)" >&2
    exit 1
}

# pdf FILE FILTER: a page that a picture of 640x480 fills
pdf() {
    length=$(wc -c <"$1")
    content='q 640 0 0 480 0 0 cm /P Do Q'
    printf '%%PDF-1.5\n'
    printf '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n'
    printf '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n'
    printf '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 640 480]/Contents 4 0 R/Resources<</XObject<</P 5 0 R>>>>>>endobj\n'
    printf '4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n' ${#content} "$content"
    printf '5 0 obj<</Type/XObject/Subtype/Image/Width 640/Height 480/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/%s/Length %d>>stream\n' "$2" "$length"
    cat "$1"
    printf '\nendstream endobj\ntrailer<</Size 6/Root 1 0 R>>\n%%%%EOF\n'
}

make_inputs() {
    rm -rf "$in"
    mkdir -p "$in"
    cd "$in"
    djpeg -scale 1/4 -outfile a.ppm $photograph
    djpeg -scale 1/4 -grayscale -outfile a.pgm $photograph
    cjpeg -quality 90 -outfile photo.jpg a.ppm
    cjpeg -quality 80 -progressive -outfile progressive.jpg a.ppm
    cjpeg -quality 95 -sample 1x1 -restart 2 -outfile restart.jpg a.ppm
    cjpeg -outfile grey.jpg a.pgm
    head -c 30000 photo.jpg >cut.jpg
    {
        opj_compress -i a.ppm -o lossless.jp2
        opj_compress -i a.ppm -o tiled.jp2 -t 200,150 -p RPCL -n 5
        opj_compress -i a.pgm -o grey.jp2
        opj_compress -i a.ppm -o stream.j2k
        opj_compress -i a.ppm -o rate.jp2 -r 12 -I
    } >log 2>&1
    pdf photo.jpg DCTDecode >photo.pdf
    pdf lossless.jp2 JPXDecode >lossless.pdf
    pdf rate.jp2 JPXDecode >rate.pdf
}

# row PROGRAM PACKAGE LIBRARY: a line of the table, which counts the tries behind it
row() {
    end_row
    program=$1 library=$3 tries=0 same=0 near=0 pixels=0 wrong=
    # shellcheck disable=SC2016 # dpkg-query expands it
    version=$(dpkg-query -W -f '${Version}' "$2" 2>/dev/null | sed 's/^[0-9]*://; s/.*+really//; s/[-+~].*//') || version=
}

end_row() {
    [ -n "${program:-}" ] || return 0
    if [ -z "$version" ]; then
        echo "| $program | $library | not installed | | |"
        return
    fi
    echo "| $program $version | $library | $same | $near | $pixels |" | sed 's/| 0 /| /g'
    [ -z "$wrong" ] || {
        printf '%s\n' "$wrong" | sed '/^$/d; s/^/WRONG: /' >&2
        failed=1
    }
    program=
}

# loaded: the program that has just run with our libraries has loaded the row's
loaded() {
    cat "$folder"/debug.* 2>/dev/null | grep -q "calling init: $build/compat/$library"
}

# run SIDE COMMAND…: in a folder of its own, where it leaves its outputs
run() {
    side=$1
    shift
    rm -rf "${folder:?}/$side"
    mkdir -p "$folder/$side"
    (
        cd "$folder/$side"
        if [ "$side" = ours ]; then
            rm -f "$folder"/debug.*
            export LD_LIBRARY_PATH="$build/compat" LD_DEBUG=libs LD_DEBUG_OUTPUT="$folder/debug"
        fi
        "$@" >"$folder/$side.log" 2>&1
    )
}

# is_near: each output's samples are within 1 of the original's
is_near() {
    for output in "$folder"/theirs/*; do
        "$build/kostka" compare --json "$output" "$folder/ours/${output##*/}" >"$folder/compared" 2>&1 || [ $? = 1 ] || return 1
        grep -Eq '"max_error": *[01]\b|"identical": *true' "$folder/compared" || return 1
    done
}

# has_pixels: each output, a file of JPEG 2000, decodes to the original's pixels
has_pixels() {
    for output in "$folder"/theirs/*; do
        rm -f "$folder/theirs.ppm" "$folder/ours.ppm"
        opj_decompress -i "$output" -o "$folder/theirs.ppm" >"$folder/log" 2>&1 &&
            opj_decompress -i "$folder/ours/${output##*/}" -o "$folder/ours.ppm" >"$folder/log" 2>&1 &&
            cmp -s "$folder/theirs.ppm" "$folder/ours.ppm" || return 1
    done
}

complain() {
    wrong="$wrong
$*"
}

# try HOW COMMAND…: `same` bytes, `near` samples, or `pixels` of files that are decoded. A command must make something, or fail
# with both libraries.
try() {
    how=$1
    shift
    [ -n "$version" ] || return 0
    tries=$((tries + 1))
    theirs=0
    run theirs "$@" || theirs=$?
    ours=0
    run ours "$@" || ours=$?
    if [ $theirs != $ours ]; then
        complain "'$*' ends with $ours, not $theirs"
    elif ! loaded; then
        complain "'$*' does not load $library"
    elif [ -z "$(ls "$folder/theirs")" ]; then
        complain "'$*' makes nothing with either library"
    elif [ "$how" = same ] && diff -r "$folder/theirs" "$folder/ours" >/dev/null; then
        same=$((same + 1))
    elif [ "$how" = near ] && is_near; then
        near=$((near + 1))
    elif [ "$how" = pixels ] && has_pixels; then
        pixels=$((pixels + 1))
    else
        complain "'$*' makes something else"
    fi
}

jpegs() {
    for picture in photo progressive restart grey cut; do
        echo "$in/$picture.jpg"
    done
}

lossless() {
    for picture in lossless.jp2 tiled.jp2 grey.jp2 stream.j2k; do
        echo "$in/$picture"
    done
}

# of_one FILE HOW COMMAND…: try a command with a file for the word FILE
of_one() {
    one=$1 how=$2
    shift 2
    count=$#
    for word in "$@"; do
        [ "$word" != FILE ] || word=$one
        set -- "$@" "$word"
    done
    shift $count
    try "$how" "$@"
}

# of_each HOW "FILES" COMMAND…: try it with each
of_each() {
    each=$1 files=$2
    shift 2
    for file in $files; do
        of_one "$file" "$each" "$@"
    done
}

imagemagick() {
    row ImageMagick imagemagick libjpeg
    of_each same "$(jpegs)" convert-im6.q16 FILE out.ppm
    of_each same "$in/photo.jpg" convert-im6.q16 -define jpeg:size=160x120 FILE out.ppm
    of_each same "$in/a.ppm $in/a.pgm" convert-im6.q16 FILE -quality 85 out.jpg
    try same convert-im6.q16 "$in/a.ppm" -quality 70 -interlace JPEG -sampling-factor 4:2:0 out.jpg
    row ImageMagick imagemagick libopenjp2
    of_each same "$(lossless)" convert-im6.q16 FILE out.ppm
    of_each near "$in/rate.jp2" convert-im6.q16 FILE out.ppm
    of_each pixels "$in/a.ppm $in/a.pgm" convert-im6.q16 FILE -quality 100 out.jp2
}

graphicsmagick() {
    row GraphicsMagick graphicsmagick libjpeg
    of_each same "$(jpegs)" gm convert FILE out.ppm
    of_each same "$in/a.ppm $in/a.pgm" gm convert FILE -quality 85 out.jpg
}

# shellcheck disable=SC2016 # the inner shell expands it
netpbm() {
    row netpbm netpbm libjpeg
    of_each same "$(jpegs)" sh -c 'jpegtopnm "$0" >out.ppm' FILE
    of_each same "$in/a.ppm $in/a.pgm" sh -c 'pnmtojpeg -quality=85 "$0" >out.jpg' FILE
    try same sh -c 'pnmtojpeg -progressive -optimize "$0" >out.jpg' "$in/a.ppm"
}

mupdf() {
    row MuPDF mupdf-tools libjpeg
    of_each same "$in/photo.pdf $in/progressive.jpg $in/cut.jpg" mutool draw -q -r 72 -o out.ppm FILE
    row MuPDF mupdf-tools libopenjp2
    of_each same "$in/lossless.pdf $in/tiled.jp2" mutool draw -q -r 72 -o out.ppm FILE
    of_each near "$in/rate.pdf" mutool draw -q -r 72 -o out.ppm FILE
}

ghostscript() {
    row Ghostscript ghostscript libjpeg
    of_each same "$in/photo.pdf" gs -q -dNOPAUSE -dBATCH -sDEVICE=ppmraw -r72 -sOutputFile=out.ppm FILE
    of_each same "$in/photo.pdf" gs -q -dNOPAUSE -dBATCH -sDEVICE=jpeg -r72 -sOutputFile=out.jpg FILE
    row Ghostscript ghostscript libopenjp2
    of_each same "$in/lossless.pdf" gs -q -dNOPAUSE -dBATCH -sDEVICE=ppmraw -r72 -sOutputFile=out.ppm FILE
    of_each near "$in/rate.pdf" gs -q -dNOPAUSE -dBATCH -sDEVICE=ppmraw -r72 -sOutputFile=out.ppm FILE
}

ffmpegs() {
    row "FFmpeg, libopenjpeg" ffmpeg libopenjp2
    of_each same "$(lossless)" ffmpeg -v error -c:v libopenjpeg -i FILE -pix_fmt rgb24 out.ppm
    of_each near "$in/rate.jp2" ffmpeg -v error -c:v libopenjpeg -i FILE -pix_fmt rgb24 out.ppm
    of_each pixels "$in/a.ppm" ffmpeg -v error -i FILE -c:v libopenjpeg out.jp2
}

libvips() {
    row libvips libvips-tools libjpeg
    of_each same "$(jpegs)" vips rawsave FILE out.raw
    of_each same "$in/photo.jpg" vips thumbnail FILE out.jpg 200
    of_each same "$in/a.ppm $in/a.pgm" vips jpegsave FILE out.jpg --Q 85
    try same vips jpegsave "$in/a.ppm" out.jpg --optimize-coding --interlace
    row libvips libvips-tools libopenjp2
    of_each same "$(lossless)" vips rawsave FILE out.raw
    of_each near "$in/rate.jp2" vips copy FILE out.ppm
    of_each pixels "$in/a.ppm" vips jp2ksave FILE out.jp2 --lossless
}

gdal() {
    row GDAL gdal-bin libjpeg
    of_each same "$(jpegs)" gdal_translate -q FILE out.tif
    of_each same "$in/photo.jpg" gdal_translate -q -srcwin 100 50 300 200 FILE out.tif
    of_each same "$in/photo.jpg" gdal_translate -q -outsize 25% 25% FILE out.tif
    of_each same "$in/a.ppm $in/a.pgm" gdal_translate -q -of JPEG FILE out.jpg
    row GDAL gdal-bin libopenjp2
    of_each same "$(lossless)" gdal_translate -q FILE out.tif
    of_each same "$in/tiled.jp2" gdal_translate -q -srcwin 100 50 300 200 FILE out.tif
    of_each same "$in/lossless.jp2" gdal_translate -q -outsize 25% 25% FILE out.tif
    of_each near "$in/rate.jp2" gdal_translate -q FILE out.tif
    of_each pixels "$in/a.ppm" gdal_translate -q -of JP2OpenJPEG -co QUALITY=100 -co REVERSIBLE=YES FILE out.jp2
}

poppler() {
    row poppler poppler-utils libjpeg
    of_each same "$in/photo.pdf" pdftoppm -r 72 FILE out
    of_each same "$in/photo.pdf" pdftoppm -r 72 -jpeg FILE out
    of_each same "$in/photo.pdf" pdfimages FILE out
    row poppler poppler-utils libopenjp2
    of_each same "$in/lossless.pdf" pdftoppm -r 72 FILE out
    of_each same "$in/lossless.pdf" pdfimages FILE out
    of_each near "$in/rate.pdf" pdftoppm -r 72 FILE out
}

opencv() {
    cat >"$folder/opencv.py" <<'PYTHON'
import sys

import cv2

flags = cv2.IMREAD_REDUCED_COLOR_4 if "quarter" in sys.argv else cv2.IMREAD_COLOR
lossless = [cv2.IMWRITE_JPEG2000_COMPRESSION_X1000, 1000] if sys.argv[2].endswith("jp2") else []
cv2.imwrite(sys.argv[2], cv2.imread(sys.argv[1], flags), lossless)
PYTHON
    row OpenCV python3-opencv libjpeg
    of_each same "$(jpegs)" /usr/bin/python3 "$folder/opencv.py" FILE out.ppm
    of_each same "$in/photo.jpg" /usr/bin/python3 "$folder/opencv.py" FILE out.ppm quarter
    of_each same "$in/a.ppm" /usr/bin/python3 "$folder/opencv.py" FILE out.jpg
    row OpenCV python3-opencv libopenjp2
    of_each same "$(lossless)" /usr/bin/python3 "$folder/opencv.py" FILE out.ppm
    of_each near "$in/rate.jp2" /usr/bin/python3 "$folder/opencv.py" FILE out.ppm
    of_each pixels "$in/a.ppm" /usr/bin/python3 "$folder/opencv.py" FILE out.jp2
}

# gdk-pixbuf ends a file that is cut off by two bytes of its own where it thinks the first unread byte is. Kostka has read all
# of them, so that the last blocks are others.
pixbuf() {
    row gdk-pixbuf libgdk-pixbuf2.0-bin libjpeg
    of_each same "$(jpegs | grep -v cut)" gdk-pixbuf-pixdata FILE out
    of_each same "$in/photo.jpg" gdk-pixbuf-thumbnailer -s 200 FILE out.png
}

make_inputs
printf '\n| program | library | the same bytes | 9/7 within 1 | coded, with the same pixels |\n|---|---|---|---|---|\n'
imagemagick
graphicsmagick
netpbm
mupdf
ghostscript
ffmpegs
libvips
gdal
poppler
opencv
pixbuf
end_row
exit $failed
