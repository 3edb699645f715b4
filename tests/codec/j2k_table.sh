#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The table of docs/conformance.md, by the tests that hold decoding to it: tests/codec/j2k_table.sh BUILD
set -eu
cd "$(dirname "$0")/../.."
KOSTKA_CORPUS=${KOSTKA_CORPUS:-../shared/corpus}
export KOSTKA_CORPUS KOSTKA_TABLE=1
echo '| stream | reduced | component | peak | allowed | MSE | allowed |'
echo '|---|---|---|---|---|---|---|'
for test in j2k_conformance j2k_files; do
    "$1/tests/test_$test" | grep '^| '
done
