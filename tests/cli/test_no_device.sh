#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Drivers without a device, and no drivers at all: a device asked for by name is missing, everything else works.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

mkdir empty
export CUDA_VISIBLE_DEVICES='' OCL_ICD_VENDORS="$PWD/empty" OPENCL_VENDOR_PATH="$PWD/empty"
printf 'P5 8 8 255\n%064d' 0 >in.pgm

expect 0 "$KOSTKA" devices
[ "$(wc -l <out)" -eq 1 ] || fail "other devices than the CPU"
prints '^cpu '
for device in cuda cuda:0 opencl opencl:3; do
    expect 3 "$KOSTKA" encode in.pgm out.jpg --device "$device"
    says 'not available'
    silent
    [ ! -e out.jpg ] || fail "a file without a device"
done
expect 0 "$KOSTKA" encode in.pgm out.jpg --device auto
expect 0 env KOSTKA_DEVICE=auto "$KOSTKA" decode out.jpg out.pgm -v
says cpu
finish
