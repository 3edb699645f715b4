#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Read amalgamated kernels as OpenCL C of both versions that matter, with all warnings. Usage: syntax.sh FILE…
set -eu
clang=$(sh "$(dirname "$0")/../support/newest_clang.sh" clang) || {
    echo "clang is not installed"
    exit 77
}
for file in "$@"; do
    for version in CL1.2 CL3.0; do
        "$clang" -x cl -cl-std=$version -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Wcast-align -Wshadow -Wpedantic \
            -Wno-unused-function -Werror "$file"
    done
done
