#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""From SEG-Y to a Zarr store, slices and a picture of the cube: seismic.py [SURVEY.sgy] FOLDER

The samples of a survey are numbers (format 1 or 5). Without a file, a small one is made. The command line, KOSTKA or `kostka` in PATH, codes it in bricks so that no sample
differs by more than 0.001; it reads only the bricks of what is asked for then. FOLDER receives
survey.zarr, a slice along each axis, and cube.jpg, which shows three faces of the cube.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys

import kostka
import numpy

tool = os.environ.get("KOSTKA", "kostka")
COLOURS = numpy.array([(30, 60, 150), (245, 245, 245), (165, 30, 40)], float)  # of the least, 0 and the largest


def run(*arguments):
    return subprocess.run([tool, "volume", *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def make_survey(path, inlines=48, crosslines=64, samples=120):
    """Folded layers with a fault, as SEG-Y of revision 1: 3600 bytes of headers, then traces of IEEE numbers."""
    z, y, x = numpy.mgrid[0:inlines, 0:crosslines, 0:samples].astype(float)
    depth = x + 6 * numpy.sin(z / 9) + 5 * numpy.cos(y / 13) + 8 * (y + z / 2 > 50)
    volume = (numpy.sin(depth / 2.1) + 0.6 * numpy.sin(depth / 5.3 + 1)).astype(">f4")
    header = bytearray(3600)
    struct.pack_into(">HxxHxxH", header, 3216, 4000, samples, 5)  # microseconds, samples of a trace, format
    struct.pack_into(">H", header, 3500, 0x0100)
    with open(path, "wb") as file:
        file.write(header)
        for i, j in numpy.ndindex(inlines, crosslines):
            trace = bytearray(240)
            struct.pack_into(">H", trace, 114, samples)
            struct.pack_into(">ii", trace, 188, i + 1, j + 1)
            file.write(trace + volume[i, j].tobytes())


def read_box(store, first, size):
    """Decode a part of the store, whose samples come raw."""
    box = "x".join(map(str, size)) + "".join(f"+{at}" for at in first)
    part = store.parent / "part.raw"
    run("decode", "--box", box, store, part)
    samples = numpy.fromfile(part, "float32").reshape(size)
    part.unlink()
    return samples


def read_slice(store, shape, axis, index):
    first, size = [0, 0, 0], list(shape)
    first[axis], size[axis] = index, 1
    return read_box(store, first, size).squeeze(axis)


def paint(samples, largest):
    """Colours of samples, from blue through white to red."""
    at = numpy.clip(samples / largest, -1, 1) + 1
    return numpy.stack([numpy.interp(at, (0, 1, 2), COLOURS[:, i]) for i in range(3)], axis=-1)


def render(top, front, side, scale=3):
    """Three faces in a parallel projection: the front (crosslines × samples), the top and the side drawn back aslant.

    Each pixel of the picture asks which face it shows, and where.
    """
    deep, wide, high = top.shape[0], front.shape[1], front.shape[0]
    slant = 0.6 * numpy.array([numpy.cos(0.6), numpy.sin(0.6)])  # of one inline, to the right and up
    right, up = slant * deep
    v, u = numpy.mgrid[0 : int((high + up) * scale), 0 : int((wide + right) * scale)] / scale
    picture = numpy.full((*u.shape, 3), 255.0)
    v = v - up  # from the upper edge of the front on, downwards
    for face, across, down, light in (
        (front, u, v, 1.0),
        (top, u + v / slant[1] * slant[0], -v / slant[1], 0.85),
        (side, (u - wide) / slant[0], v + (u - wide) / slant[0] * slant[1], 0.7),
    ):
        inside = (across >= 0) & (across < face.shape[1]) & (down >= 0) & (down < face.shape[0])
        picture[inside] = light * face[down[inside].astype(int), across[inside].astype(int)]
    return picture.round().astype("uint8")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[-1])
    folder.mkdir(parents=True, exist_ok=True)
    survey = pathlib.Path(sys.argv[1]) if len(sys.argv) == 3 else folder / "survey.sgy"
    if len(sys.argv) == 2:
        make_survey(survey)
    store = folder / "survey.zarr"
    run("encode", "--error", "0.001", "--brick", "32", survey, store)
    described = json.loads(run("info", "--json", store))
    shape = [described[name] for name in ("depth", "height", "width")]
    middle = [read_slice(store, shape, axis, shape[axis] // 2) for axis in range(3)]
    largest = max(float(numpy.abs(part).max()) for part in middle) or 1.0
    for name, part in zip(("inline", "crossline", "time"), middle):
        kostka.save(str(folder / f"{name}.jpg"), paint(part.T if name != "time" else part, largest).astype("uint8"), quality=92)
    faces = [read_slice(store, shape, 2, 0), read_slice(store, shape, 0, 0).T, read_slice(store, shape, 1, shape[1] - 1).T]
    kostka.save(str(folder / "cube.jpg"), render(*(paint(face, largest) for face in faces)), quality=92)
    print(f"{shape[0]} inlines, {shape[1]} crosslines, {shape[2]} samples; {survey.stat().st_size} bytes became {size_of(store)}")


def size_of(store):
    return sum(file.stat().st_size for file in (store / "0").rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
