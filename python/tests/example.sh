#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the examples in Python: python_batch.py on a folder of pictures, one of which is invalid, and python_train.py.
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

# Runs examples/python_train.py on a folder with two classes: once, and interrupted twice. Both learn the same.
mkdir "$work/train" "$work/train/dark" "$work/train/light"
"$python" - "$work/train" <<'END'
import sys, kostka, numpy
for name, value in (("dark", 40), ("light", 200)):
    for i in range(9):
        pixels = numpy.full((60 + i, 70, 3), value + i, numpy.uint8)
        kostka.save(f"{sys.argv[1]}/{name}/{i}.jpg", pixels)
END
train() {
    "$python" "$KOSTKA_SOURCE/examples/python_train.py" "$work/train" --size 32 --batch 4 --epochs 2 "$@"
}
echo "not a picture" >"$work/train/dark/none.jpg"
train >"$work/whole" 2>"$work/complained"
cat "$work/whole" "$work/complained"
grep -q 'dark: 18 pictures, mean colour 44 44 44' "$work/whole"
grep -q 'light: 18 pictures, mean colour 204 204 204' "$work/whole"
grep -q '2 pictures were left out' "$work/complained"
train --state "$work/state" --batches 2 >/dev/null 2>&1
train --state "$work/state" --batches 5 >/dev/null 2>&1
train --state "$work/state" >"$work/resumed" 2>&1
cat "$work/resumed"
grep -v 'left out' "$work/resumed" | cmp - "$work/whole"
