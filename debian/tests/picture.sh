# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests: changes to a folder of their own, and defines picture and fail.
set -eu
cd "${AUTOPKGTEST_TMP:-$(mktemp -d)}"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# picture FILE: a PPM picture of 160 by 120 pixels with slopes and edges.
picture() {
    awk 'BEGIN {
        print "P3\n160 120\n255"
        for (y = 0; y < 120; y++)
            for (x = 0; x < 160; x++)
                print (x * 3 + y) % 256, (x * y) % 251, (int(x / 9) + int(y / 7)) % 2 * 200
    }' >"$1"
}
