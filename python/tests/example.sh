#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the examples in Python: python_batch.py on a folder of pictures, one of which is invalid, seismic.py,
# point_cloud.py and python_train.py.
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

# Runs examples/seismic.py, first on a survey that it makes, then on that one as a file. The slice is the survey's.
KOSTKA=$build/kostka
export KOSTKA
"$python" "$KOSTKA_SOURCE/examples/seismic.py" "$work/survey" >"$work/said"
grep -q '48 inlines, 64 crosslines, 120 samples; 2215440 bytes became ' "$work/said"
"$python" "$KOSTKA_SOURCE/examples/seismic.py" "$work/survey/survey.sgy" "$work/again" | cmp - "$work/said"
"$python" - "$work/survey" <<'END'
import sys, kostka, numpy
traces = numpy.fromfile(f"{sys.argv[1]}/survey.sgy", "u1")[3600:].reshape(48, 64, 720)
survey = traces[:, :, 240:].copy().view(">f4")
for name, wanted in (("inline", survey[24].T), ("crossline", survey[:, 32].T), ("time", survey[:, :, 60])):
    painted = numpy.asarray(kostka.decode(f"{sys.argv[1]}/{name}.jpg", format="rgb")).astype(int)
    assert numpy.corrcoef((painted[..., 0] - painted[..., 2]).ravel(), wanted.ravel())[0, 1] > 0.9, name
cube = numpy.asarray(kostka.decode(f"{sys.argv[1]}/cube.jpg", format="rgb")).astype(int)
assert cube.min(axis=2).max() > 250 and (numpy.ptp(cube, axis=2) > 60).mean() > 0.3, cube.shape
END

# Runs examples/point_cloud.py on three pictures of a textured plane at depth 4, which cameras see from places in a row.
mkdir "$work/scene"
"$python" - "$work/scene" <<'END'
import sys, kostka, numpy
rows = numpy.random.default_rng(5).integers(0, 255, (30, 45, 3)).repeat(4, 0).repeat(4, 1).astype(numpy.uint8)
lines = ["3"]
for i, moved in enumerate((0, 4, 8)):
    kostka.save(f"{sys.argv[1]}/{i}.jpg", rows[:, moved : moved + 160], quality=95)
    lines.append(f"{i}.jpg 100 0 80 0 100 60 0 0 1 1 0 0 0 1 0 0 0 1 {-moved * 4 / 100} 0 0")
open(f"{sys.argv[1]}/cameras.txt", "w").write("\n".join(lines))
END
"$python" "$KOSTKA_SOURCE/examples/point_cloud.py" "$work/scene/cameras.txt" 2 8 "$work/cloud.ply" --device cpu >"$work/said"
cat "$work/said"
grep -q '^3 pictures, ' "$work/said"
"$python" - "$work/cloud.ply" <<'END'
import sys, numpy
head, body = open(sys.argv[1], "rb").read().split(b"end_header\n")
cloud = numpy.frombuffer(body, [("place", "<f4", 3), ("colour", "u1", 3)])
assert f"element vertex {len(cloud)}".encode() in head and len(cloud) > 9000, len(cloud)
assert numpy.median(abs(cloud["place"][:, 2] - 4)) < 0.1, numpy.median(cloud["place"][:, 2])
assert numpy.ptp(cloud["colour"], axis=0).min() > 150
END

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
