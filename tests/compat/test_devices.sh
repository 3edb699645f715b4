#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Below the libraries in the place of others KOSTKA_DEVICE names the device: it works, as PoCL reports, and what programs make is
# what the CPU makes. Without that variable no driver is loaded. A device that is not there is reported.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
for program in djpeg cjpeg opj_compress opj_decompress; do
    command -v $program >/dev/null || lacks $program
done
picture 600 500 >plain.ppm # enough pixels for djpeg's to be decoded as a whole
cjpeg -quality 90 plain.ppm >a.jpg
cjpeg -progressive -sample 1x1 plain.ppm >progressive.jpg
djpeg -outfile a.ppm a.jpg
djpeg -scale 1/4 -outfile small.ppm a.jpg
opj_compress -i small.ppm -o small.jp2 -t 100,100 >log 2>&1

# A device that is not there: the system's libjpeg works, and OpenJPEG's library has an error.
for device in opencl:77 none; do
    KOSTKA_DEVICE=$device LD_LIBRARY_PATH=$COMPAT expect 0 djpeg -outfile out.ppm a.jpg
    says "^kostka: .*KOSTKA_DEVICE='$device'.*: "
    equals "$(wc -l <err)" 1
    same out.ppm a.ppm
    KOSTKA_DEVICE=$device LD_LIBRARY_PATH=$COMPAT expect 1 opj_decompress -i small.jp2 -o out.ppm
    prints "KOSTKA_DEVICE='$device': "
done

# opened FILES COMMAND…: how many files of such names the program opens with the libraries in place
opened() {
    names=$1
    shift
    LD_LIBRARY_PATH=$COMPAT strace -f -qq -e trace=open,openat -o trace "$@" >log 2>&1 || fail "$*: $(cat log)"
    grep -v ENOENT trace | grep -c "$names"
}
drivers='libOpenCL\|libcuda\|libpocl'
if command -v strace >/dev/null; then
    for device in '' cpu; do
        for command in 'djpeg -outfile out.ppm a.jpg' 'cjpeg -outfile out.jpg a.ppm' "$CALLS a.jpg" \
            'opj_decompress -i small.jp2 -o out.ppm' 'opj_compress -i small.ppm -o out.jp2'; do
            # shellcheck disable=SC2086 # words
            equals "$(KOSTKA_DEVICE=$device opened "$drivers" $command)" 0 "drivers below $command"
            # shellcheck disable=SC2086 # words
            [ "$(opened libkostka $command)" -gt 0 ] || fail "$command does not load Kostka"
        done
    done
else
    echo 'skipped: whether a driver is loaded: no strace'
fi

"$KOSTKA" devices | grep -q '^opencl:0 .*pthread' || {
    echo 'skipped: what a device makes: opencl:0 is not PoCL, which reports its work'
    finish
}
if command -v strace >/dev/null; then
    [ "$(KOSTKA_DEVICE=opencl:0 opened "$drivers" djpeg -outfile out.ppm a.jpg)" -gt 0 ] || fail 'strace sees no driver'
fi
# on_device OUT COMMAND…: the device works, and the output is what the CPU makes
on_device() {
    output=$1
    shift
    LD_LIBRARY_PATH=$COMPAT POCL_DEBUG=timing "$@" >of_cpu 2>err || fail "$*: $(cat err)"
    ! grep -q 'NDRange' err || fail "$*: a kernel ran, and nobody asked"
    [ "$output" = of_cpu ] || mv "$output" of_cpu
    KOSTKA_DEVICE=opencl:0 LD_LIBRARY_PATH=$COMPAT POCL_DEBUG=timing "$@" >of_device 2>err || fail "$*: $(cat err)"
    grep -q 'NDRange' err || fail "$*: no kernel ran"
    [ "$output" = of_cpu ] || mv "$output" of_device
    cmp of_cpu of_device || fail "$*: the device makes something else"
}
on_device of_cpu djpeg a.jpg
on_device of_cpu djpeg progressive.jpg
on_device of_cpu cjpeg -optimize -quality 85 a.ppm
on_device of_cpu "$CALLS" a.jpg
on_device out.ppm opj_decompress -i small.jp2 -o out.ppm
on_device out.ppm opj_decompress -i small.jp2 -o out.ppm -d 20,30,120,90
on_device out.jp2 opj_compress -i small.ppm -o out.jp2
on_device out.jp2 opj_compress -i small.ppm -o out.jp2 -r 10 -I
finish
