#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Run a test program on Oclgrind's simulated device: any race, wild access, divergence or use of what was never written
# fails it. Usage: oclgrind.sh PROGRAM [ARGUMENT…]
# KOSTKA_UNINITIALIZED=0: use of what was never written is no failure. Oclgrind 21.10 keeps track of a buffer only as far as the first
# write to it is long: where that is a part from the middle on, it tells of what was written, too.
# Programs open the device anew for each case, so that nothing in its memory is left of the one before; what it has compiled for
# these options is kept, in a cache of its own.
set -eu
# shellcheck source=tests/support/gpu/simulator.sh
. "$(dirname "$0")/simulator.sh"
find_simulator
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cache=${XDG_CACHE_HOME:-$folder}/simulator
mkdir -p "$cache"
# Each context opens the log again, and would overwrite those of earlier contexts in a file.
mkfifo "$folder/pipe"
cat "$folder/pipe" >"$folder/log" &
exec 3>"$folder/pipe"
status=0
export OCL_ICD_VENDORS="$simulator" OCLGRIND_LOG="$folder/pipe" OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1
export OCLGRIND_UNINITIALIZED="${KOSTKA_UNINITIALIZED:-1}" XDG_CACHE_HOME="$cache" KOSTKA_TEST_DEVICES=opencl:0 KOSTKA_TEST_SIMULATED=1
simulated "$@" 3>&- || status=$?
exec 3>&-
wait
[ "$status" = 0 ] || exit "$status"
if [ -s "$folder/log" ]; then
    head -n 60 "$folder/log"
    exit 1
fi
