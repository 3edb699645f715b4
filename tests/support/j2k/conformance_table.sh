#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The table of docs/conformance.md, by the tests that hold decoding to it: tests/support/j2k/conformance_table.sh BUILD [DEVICE]
# With a device, such as cuda:0, what that decodes, with a column that says where code-blocks were decoded.
set -eu
cd "$(dirname "$0")/../../.."
KOSTKA_CORPUS=${KOSTKA_CORPUS:-../shared/corpus}
export KOSTKA_CORPUS KOSTKA_TABLE=1
if [ $# -gt 1 ]; then
    echo '| stream | reduced | component | peak | allowed | MSE | allowed | on |'
    echo '|---|---|---|---|---|---|---|---|'
    "$1/tests/test_j2k_conformance" "$2" | grep '^| '
    exit
fi
echo '| stream | reduced | component | peak | allowed | MSE | allowed |'
echo '|---|---|---|---|---|---|---|'
for test in j2k_conformance j2k_files; do
    "$1/tests/test_$test" | grep '^| '
done
