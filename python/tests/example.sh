#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs examples/python_batch.py on a folder of pictures, one of which is invalid.
set -eu
python=$1
build=$2
PYTHONPATH=$build/python
export PYTHONPATH
"$python" -c 'import numpy' 2>/dev/null || {
    echo "NumPy is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" - "$work" <<'END'
import sys, kostka, numpy
for side in (200, 300, 777):
    with open(f"{sys.argv[1]}/{side}.jpg", "wb") as file:
        file.write(kostka.encode(numpy.full((side, side + 9, 3), 128, numpy.uint8)))
with open(f"{sys.argv[1]}/none.jpg", "wb") as file:
    file.write(b"not a picture")
END
"$python" "$KOSTKA_SOURCE/examples/python_batch.py" "$work" --side 128 >"$work/said" 2>"$work/complained"
cat "$work/said" "$work/complained"
grep -q '3 of 4 pictures.*(3, 128, 128, 3)' "$work/said"
grep -q 'none.jpg' "$work/complained"
