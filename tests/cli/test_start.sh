#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Small work loads no library that it does not need: neither those of PNG, TIFF, WebP and GIF, with all that they need, nor a
# GPU's driver.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

# loads COMMAND…: the libraries that it loads, one a line, in the file "loaded"
loads() {
    LD_DEBUG=files LD_DEBUG_OUTPUT="$work/debug" "$@" >out 2>err || fail "$*: $(cat err)"
    cat "$work"/debug.* 2>/dev/null | sed -n 's/.*calling init: //p' | sort -u >loaded
    rm -f "$work"/debug.*
    [ -s loaded ] || { echo "LD_DEBUG tells nothing"; exit 77; }
}

needless='png|libz\.|tiff|webp|libgif|jbig|lzma|zstd|libcuda|OpenCL|libstdc'
loads "$KOSTKA" --version
! grep -qE 'lib(a|t|ub)san' loaded || needless=${needless%|libstdc} # sanitizers need that themselves
printf 'P6 16 16 255\n%0768d' 0 >in.ppm
for command in "--version" "encode in.ppm small.jpg" "decode small.jpg out.ppm" "transcode --progressive small.jpg out.jpg" \
    "encode in.ppm small.jp2" "decode small.jp2 out.ppm" "info small.jpg" "info in.ppm"; do
    # shellcheck disable=SC2086 # words
    loads "$KOSTKA" $command
    ! grep -E "$needless" loaded || fail "$command loads what it does not need"
done

loads "$KOSTKA" convert in.ppm out.tif
grep -q tiff loaded || fail "TIFF written without libtiff"
expect 0 "$KOSTKA" convert out.tif back.ppm
identical in.ppm back.ppm
loads "$KOSTKA" convert in.ppm out.png
grep -q png loaded || fail "PNG written without libpng"
loads "$KOSTKA" convert out.png back.ppm
grep -q png loaded || fail "PNG read without libpng"
identical in.ppm back.ppm

# Each format loads its own alone. A file that only begins like one is enough for it to be tried.
printf 'RIFF\100\000\000\000WEBPVP8 ' >cut.webp
printf 'GIF89a' >cut.gif
for format in webp gif; do
    LD_DEBUG=files LD_DEBUG_OUTPUT="$work/debug" "$KOSTKA" info cut.$format >out 2>err
    if grep -q 'missing when this program was built' err; then
        echo "skipped: there is no lib$format"
        continue
    fi
    cat "$work"/debug.* | sed -n 's/.*calling init: //p' >loaded
    rm -f "$work"/debug.*
    grep -q "lib$format" loaded || fail "$format without lib$format"
    ! grep -E "$needless" loaded | grep -v "lib$format" || fail "$format loads what it does not need"
done
finish
