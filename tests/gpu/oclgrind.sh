#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Run a test program on Oclgrind's simulated device: any race, wild access, divergence or use of what was never written
# fails it. Not optimised: the simulator lacks some of the functions that the optimiser puts in. Usage: oclgrind.sh PROGRAM [ARGUMENT…]
set -eu
for library in /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/local/lib/liboclgrind-rt-icd.so; do
    [ ! -e "$library" ] || found=$library
done
if [ -z "${found:-}" ]; then
    echo "oclgrind is not installed"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
OCL_ICD_VENDORS=$found OCLGRIND_LOG=$folder/log OCLGRIND_DATA_RACES=1 OCLGRIND_UNINITIALIZED=1 OCLGRIND_CHECK_API=1 \
    OCLGRIND_BUILD_OPTIONS=-O0 KOSTKA_CACHE=off \
    KOSTKA_TEST_DEVICES=opencl:0 KOSTKA_TEST_SIMULATED=1 "$@"
if [ -s "$folder/log" ]; then
    head -n 60 "$folder/log"
    exit 1
fi
