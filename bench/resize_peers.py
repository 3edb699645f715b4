#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Resizing in Python against Pillow: resize_peers.py PHOTO [--rounds N]

The photograph is continued by its mirror images to 3840x2160 RGB. Both take turns, from an image in memory to a new one,
with one thread; results are compared first. Each row gives medians of the thread's processor time, in milliseconds, and
of Pillow's time over Kostka's.
"""

import argparse
import statistics
import time

import kostka
import numpy
import PIL
from PIL import Image

WIDTH, HEIGHT = 3840, 2160
SIZES = ((640, 360), (224, 224), (1920, 1080))
FILTERS = ("bilinear", "bicubic", "lanczos")


def read(path):
    pixels = numpy.asarray(kostka.decode(path, format="rgb"))
    after = [(0, max(0, side - have)) for side, have in zip((HEIGHT, WIDTH), pixels.shape)]
    return numpy.ascontiguousarray(numpy.pad(pixels, [*after, (0, 0)], "symmetric")[:HEIGHT, :WIDTH])


def spent(work):
    begin = time.thread_time()
    result = work()
    return time.thread_time() - begin, result


def measure(ours, theirs, rounds):
    times = []
    for _ in range(rounds):
        (mine, found), (peer, expected) = spent(ours), spent(theirs)
        if not times and numpy.asarray(found).tobytes() != expected.tobytes():
            raise SystemExit("the results differ")
        times.append((mine, peer))
    return (
        1e3 * statistics.median(mine for mine, _ in times),
        1e3 * statistics.median(peer for _, peer in times),
        statistics.median(peer / mine for mine, peer in times),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photo")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    pixels = read(arguments.photo)
    picture = Image.fromarray(pixels)
    order = "auto" if int(PIL.__version__.split(".")[0]) >= 13 else "horizontal"
    print(f"{WIDTH}x{HEIGHT} RGB, Pillow {PIL.__version__}, {kostka.devices()[0].tier}")
    print("| to | filter | Kostka, ms | Pillow, ms | ratio |\n|---|---|---:|---:|---:|")
    with kostka.Context("cpu", threads=1) as context:
        for size in SIZES:
            for name in FILTERS:
                mine, peer, ratio = measure(
                    lambda: context.resize(pixels, size=size, filter=name, order=order),
                    lambda: picture.resize(size, Image.Resampling[name.upper()]),
                    arguments.rounds,
                )
                print(f"| {size[0]}×{size[1]} | {name} | {mine:.1f} | {peer:.1f} | {ratio:.2f} |", flush=True)


main()
