# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# Read by scripts that run kernels on Oclgrind: finds its library, and how it is to compile.

# find_simulator: sets "simulator" to the library that OpenCL's loader opens, or skips the test.
find_simulator() {
    for library in /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/local/lib/liboclgrind-rt-icd.so; do
        [ ! -e "$library" ] || simulator=$library
    done
    if [ -z "${simulator:-}" ]; then
        echo "oclgrind is not installed"
        exit 77
    fi
}

# simulated COMMAND…: run it with the options that let the simulator compile kernels without variables in memory, if it has the
# compiler that SIMULATOR_PASSES (see simulator_passes.c) works with; otherwise not optimised, which takes three times as long.
simulated() {
    core=$(ldd "$simulator" | sed -n 's/.*liboclgrind-[0-9.]*so => \([^ ]*\).*/\1/p')
    if [ -e "${SIMULATOR_PASSES:-}" ] && grep -q -a flegacy-pass-manager "$core"; then
        OCLGRIND_BUILD_OPTIONS='-O1 -flegacy-pass-manager' LD_PRELOAD="$SIMULATOR_PASSES" "$@"
    else
        OCLGRIND_BUILD_OPTIONS=-O0 "$@"
    fi
}
