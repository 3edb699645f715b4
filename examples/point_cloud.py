# SPDX-License-Identifier: BSD-2-Clause
"""JPEG files of one scene become a cloud of points in space, in a PLY file.

    python3 point_cloud.py CAMERAS.txt NEAREST FARTHEST CLOUD.ply [--reference NAME] [--device cuda:0]

The list is that of Middlebury's multi-view data sets: the number of pictures, and for each its name and the numbers of
K, R and t, row by row. Pictures lie beside the list. One device decodes and matches them. Depths are between NEAREST and
FARTHEST, in units of t.
"""

import argparse
import pathlib
import struct
import sys

import kostka


def read_cameras(path):
    """Return names and (k, r, t) of each line."""
    lines = [line.split() for line in path.read_text().splitlines() if line.strip()][1:]
    numbers = [[float(word) for word in line[1:22]] for line in lines]
    return [line[0] for line in lines], [(row[:9], row[9:18], row[18:21]) for row in numbers]


def choose(names, cameras, reference, most):
    """Return the indices of the reference and of the cameras that are nearest to its."""

    def centre(camera):  # -R^T t
        _, r, t = camera
        return [-sum(r[3 * i + j] * t[i] for i in range(3)) for j in range(3)]

    own = names.index(reference) if reference else 0
    apart = [sum((a - b) ** 2 for a, b in zip(centre(camera), centre(cameras[own]))) for camera in cameras]
    return sorted(range(len(cameras)), key=lambda i: (i != own, apart[i]))[:most]


def inverse(m):
    """Return the inverse of a matrix of nine numbers, row by row."""
    a, b, c, d, e, f, g, h, i = m
    parts = [e * i - f * h, c * h - b * i, b * f - c * e, f * g - d * i, a * i - c * g]
    parts += [c * d - a * f, d * h - e * g, b * g - a * h, a * e - b * d]
    whole = a * parts[0] + b * parts[3] + c * parts[6]
    return [part / whole for part in parts]


def points(depths, colours, camera, unit):
    """Yield the place and the colour of each pixel whose depth is known: X = R^T (depth K^-1 (x, y, 1) - t)."""
    k, r, t = camera
    back = inverse(k)
    for y, row in enumerate(memoryview(depths).tolist()):
        for x, sample in enumerate(row):
            if sample == 0:
                continue
            depth = sample * unit
            seen = [depth * (back[3 * i] * x + back[3 * i + 1] * y + back[3 * i + 2]) - t[i] for i in range(3)]
            place = [sum(r[3 * i + j] * seen[i] for i in range(3)) for j in range(3)]
            yield place, colours[y][x]


def write_cloud(path, found):
    """Write points as PLY."""
    kinds = ["float x", "float y", "float z", "uchar red", "uchar green", "uchar blue"]
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(found)}"]
    head += [f"property {kind}" for kind in kinds] + ["end_header", ""]
    with open(path, "wb") as file:
        file.write("\n".join(head).encode())
        for place, colour in found:
            file.write(struct.pack("<3f3B", *place, *colour))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cameras", type=pathlib.Path)
    parser.add_argument("nearest", type=float)
    parser.add_argument("farthest", type=float)
    parser.add_argument("cloud", type=pathlib.Path)
    parser.add_argument("--reference", default="")
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()
    names, cameras = read_cameras(arguments.cameras)
    chosen = choose(names, cameras, arguments.reference, 16)
    with kostka.Context(arguments.device) as context:
        streams = [(arguments.cameras.parent / names[i]).read_bytes() for i in chosen]
        # Results lie where the reference does: on the host. The other views stay in the memory of a GPU, if there is one.
        memory = "host" if context.device.kind == "cpu" else "device"
        views = [context.decode(streams[0], format="rgb")]
        views += [context.decode(stream, format="rgb", memory=memory) for stream in streams[1:]]
        depths, _ = context.sweep(
            views, cameras=[cameras[i] for i in chosen], nearest=arguments.nearest, farthest=arguments.farthest
        )
        colours = memoryview(views[0]).tolist()
        found = list(points(depths, colours, cameras[chosen[0]], arguments.farthest / 65535))
    write_cloud(arguments.cloud, found)
    print(f"{len(views)} pictures, {len(found)} points")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
